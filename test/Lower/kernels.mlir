// Kernels: what is one kernel, how its loops lie, and which are shared.
// RUN: tpc-opt %s --tp-lower-to-runtime --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// The nests of a softmax run row by row in one kernel: 256 rows, and within one
// row the maximum, the exponentials, their sum and the quotients. The sums are
// in registers, joined by operations that may be reordered.
// CHECK-LABEL: llvm.func @tpc_fn_softmax
// CHECK-COUNT-1: llvm.call @tpc_rt_launch
// CHECK-NOT: llvm.call @tpc_rt_launch
// CHECK-LABEL: llvm.func internal @tpc_kernel_0(
// CHECK-LABEL: llvm.func internal @tpc_kernel_0_body
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.maximumf {{.*}} fastmath<reassoc,contract>
// CHECK: scf.for
// CHECK: math.exp {{.*}} fastmath<contract>
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.addf {{.*}} fastmath<reassoc,contract>
// CHECK: scf.for
// CHECK: arith.divf {{.*}} fastmath<contract>
func.func @softmax(%x: tensor<256x512xf32>) -> tensor<256x512xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<256x512xf32>
  %r = tensor.empty() : tensor<256xf32>
  %f0 = linalg.fill ins(%low : f32) outs(%r : tensor<256xf32>) -> tensor<256xf32>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<256x512xf32>) outs(%f0 : tensor<256xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.maximumf %p, %o : f32
    linalg.yield %1 : f32
  } -> tensor<256xf32>
  %exp = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %max : tensor<256x512xf32>, tensor<256xf32>) outs(%e : tensor<256x512xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.subf %p, %q : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<256x512xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%r : tensor<256xf32>) -> tensor<256xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%exp : tensor<256x512xf32>) outs(%f1 : tensor<256xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.addf %o, %p : f32
    linalg.yield %1 : f32
  } -> tensor<256xf32>
  %out = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%exp, %sum : tensor<256x512xf32>, tensor<256xf32>) outs(%e : tensor<256x512xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.divf %p, %q : f32
    linalg.yield %1 : f32
  } -> tensor<256x512xf32>
  return %out : tensor<256x512xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#transposed = affine_map<(d0, d1) -> (d1, d0)>

// What a nest writes and the next one reads in another order is no common
// kernel: units of one kernel run in any order.
// CHECK-LABEL: llvm.func @tpc_fn_transposed_use
// CHECK-COUNT-2: llvm.call @tpc_rt_launch
func.func @transposed_use(%x: tensor<256x256xf32>) -> (tensor<256x256xf32>, tensor<256x256xf32>) {
  %e = tensor.empty() : tensor<256x256xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<256x256xf32>) outs(%e : tensor<256x256xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = math.exp %p : f32
    linalg.yield %1 : f32
  } -> tensor<256x256xf32>
  %2 = linalg.generic {indexing_maps = [#transposed, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %0 : tensor<256x256xf32>, tensor<256x256xf32>) outs(%e : tensor<256x256xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.addf %p, %q : f32
    linalg.yield %1 : f32
  } -> tensor<256x256xf32>
  return %0, %2 : tensor<256x256xf32>, tensor<256x256xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#part = #tp.placement<@mesh, [tp: P(sum)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]

// Kernels of equal structure exist once, whatever their constants' names and
// their buffers are; another constant is another kernel.
// CHECK-LABEL: llvm.func @tpc_fn_shared
// CHECK: llvm.mlir.addressof @tpc_kernel_0
// CHECK: llvm.mlir.addressof @tpc_kernel_0
// CHECK: llvm.mlir.addressof @tpc_kernel_1
// CHECK-NOT: llvm.mlir.addressof
func.func @shared(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %two = arith.constant 2.0 : f32
  %also_two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.mulf %p, %two : f32
    linalg.yield %1 : f32
  } -> tensor<64x64xf32>
  %2 = tp.all_reduce %0 over ["tp"] by "sum" parts [#tp.part<tensor<64x64xf32>, #part, #all>] {tp.index = 0 : i64} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.mulf %p, %also_two : f32
    linalg.yield %1 : f32
  } -> tensor<64x64xf32>
  %4 = tp.all_reduce %3 over ["tp"] by "sum" parts [#tp.part<tensor<64x64xf32>, #part, #all>] {tp.index = 1 : i64} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %5 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.mulf %p, %three : f32
    linalg.yield %1 : f32
  } -> tensor<64x64xf32>
  return %5, %2 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// Sums of columns run along the rows, which are contiguous, with the sums in
// memory: no column is walked with the stride of a row.
// CHECK-LABEL: llvm.func internal @tpc_kernel_0_body
// CHECK: scf.for %[[UNIT:.*]] =
// CHECK: scf.for %[[START:.*]] =
// CHECK: scf.for %[[ROW:.*]] =
// CHECK: scf.for %[[COLUMN:.*]] =
// CHECK: llvm.load
// CHECK: arith.addf
// CHECK: llvm.store
func.func @column_sums(%x: tensor<64x128xf32>) -> tensor<128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %0 = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<64x128xf32>) outs(%f : tensor<128xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.addf %o, %p : f32
    linalg.yield %1 : f32
  } -> tensor<128xf32>
  return %0 : tensor<128xf32>
}
