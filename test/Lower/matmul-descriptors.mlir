// The fields of tpc_rt_matmul_t behind the first four: m, n, k, batch; then per
// operand its batch strides, row stride and column stride;
// the type of the result, flags, the stride of aux, and bytes of workspace.
// RUN: tpc-opt %s --tp-lower-to-runtime --split-input-file | FileCheck %s

!x = tensor<32x40xf32>
!w = tensor<40x48xf32>
!y = tensor<32x48xf32>

// CHECK: [304 : i32, 0 : i32, 1 : i32, 0 : i32, 32, 48, 40, dense<1> : tensor<6xi64>, dense<0> : tensor<6xi64>, 40, 1, dense<0> : tensor<6xi64>, 48, 1, dense<0> : tensor<6xi64>, 48, 1, 0 : i32, 0 : i32, 0, 0]
// CHECK-LABEL: llvm.func @tpc_fn_plain
func.func @plain(%a: !x, %b: !w, %c: !y) -> !y {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : !x, !w) outs(%c : !y) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.mulf %p, %q : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> !y
  return %0 : !y
}

// -----

// A transposed operand is a change of strides, and so is a transposed result.
// CHECK: 32, 48, 40, {{.*}}, 1, 32, dense<0> : tensor<6xi64>, 1, 40, dense<0> : tensor<6xi64>, 1, 32, 0 : i32, 0 : i32, 0, 0]
// CHECK-LABEL: llvm.func @tpc_fn_all_transposed
func.func @all_transposed(%a: tensor<40x32xf32>, %b: tensor<48x40xf32>, %c: tensor<48x32xf32>) -> tensor<48x32xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (n, m)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<40x32xf32>, tensor<48x40xf32>) outs(%c : tensor<48x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.mulf %p, %q : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<48x32xf32>
  return %0 : tensor<48x32xf32>
}

// -----

// Attention scores of (batch, row, head, feature) operands: two batch dims,
// neither of which is contiguous, and bf16 with sums rounded once (dtype 3).
// CHECK: [304 : i32, 3 : i32, 0 : i32, 2 : i32, 32, 32, 16, dense<[2, 4, 1, 1, 1, 1]> : tensor<6xi64>, dense<[2048, 16, 0, 0, 0, 0]> : tensor<6xi64>, 64, 1,
// CHECK-SAME: dense<[2048, 16, 0, 0, 0, 0]> : tensor<6xi64>, 1, 64, dense<[4096, 1024, 0, 0, 0, 0]> : tensor<6xi64>, 32, 1, 3 : i32, 0 : i32, 0, 0]
// CHECK-LABEL: llvm.func @tpc_fn_scores
func.func @scores(%q: tensor<2x32x4x16xbf16>, %k: tensor<2x32x4x16xbf16>) -> tensor<2x4x32x32xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<2x4x32x32xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<2x4x32x32xbf16>) -> tensor<2x4x32x32xbf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(b, h, m, n, k) -> (b, m, h, k)>, affine_map<(b, h, m, n, k) -> (b, n, h, k)>, affine_map<(b, h, m, n, k) -> (b, h, m, n)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x32x4x16xbf16>, tensor<2x32x4x16xbf16>) outs(%f : tensor<2x4x32x32xbf16>) {
  ^bb0(%p: bf16, %r: bf16, %o: bf16):
    %1 = arith.extf %p : bf16 to f32
    %2 = arith.extf %r : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.extf %o : bf16 to f32
    %5 = arith.addf %4, %3 : f32
    %6 = arith.truncf %5 : f32 to bf16
    linalg.yield %6 : bf16
  } -> tensor<2x4x32x32xbf16>
  return %0 : tensor<2x4x32x32xbf16>
}

// -----

// Rows over two dims that lie together are one m; the weight has no batch.
// CHECK: 0 : i32, 0 : i32, 128, 48, 40,
// CHECK-LABEL: llvm.func @tpc_fn_merged_rows
func.func @merged_rows(%a: tensor<4x32x40xf32>, %b: tensor<40x48xf32>) -> tensor<4x32x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x32x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x32x48xf32>) -> tensor<4x32x48xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : tensor<4x32x40xf32>, tensor<40x48xf32>) outs(%f : tensor<4x32x48xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.mulf %p, %q : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x32x48xf32>
  return %0 : tensor<4x32x48xf32>
}

// -----

// Matrix times vector: n is 1, and the missing strides make dense matrices.
// CHECK: 64, 1, 40, {{.*}}, 40, 1, dense<0> : tensor<6xi64>, 1, 40, dense<0> : tensor<6xi64>, 1, 64, 0 : i32, 0 : i32, 0, 0]
// CHECK-LABEL: llvm.func @tpc_fn_vector
func.func @vector(%a: tensor<64x40xf32>, %b: tensor<40xf32>, %c: tensor<64xf32>) -> tensor<64xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%a, %b : tensor<64x40xf32>, tensor<40xf32>) outs(%c : tensor<64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.mulf %p, %q : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// Products of integers, and products smaller than a call, are loops.
// CHECK-LABEL: llvm.func @tpc_fn_loops
// CHECK-NOT: llvm.call @tpc_rt_matmul
// CHECK: llvm.return
func.func @loops(%a: tensor<32x32xi32>, %b: tensor<32x32xi32>, %c: tensor<32x32xi32>, %d: tensor<4x4xf32>, %e: tensor<4x4xf32>) -> (tensor<32x32xi32>, tensor<4x4xf32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<32x32xi32>, tensor<32x32xi32>) outs(%c : tensor<32x32xi32>) {
  ^bb0(%p: i32, %q: i32, %o: i32):
    %1 = arith.muli %p, %q : i32
    %2 = arith.addi %o, %1 : i32
    linalg.yield %2 : i32
  } -> tensor<32x32xi32>
  %3 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%d, %e : tensor<4x4xf32>, tensor<4x4xf32>) outs(%d : tensor<4x4xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.mulf %p, %q : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x4xf32>
  return %0, %3 : tensor<32x32xi32>, tensor<4x4xf32>
}
