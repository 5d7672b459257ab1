// Kernel bodies end as LLVM: intrinsics where LLVM has them, libm where not,
// and bf16 in integer arithmetic. Nothing of other dialects is left.
// RUN: tpc-opt %s --tpc-lower --split-input-file | FileCheck %s --implicit-check-not=arith. --implicit-check-not=scf. --implicit-check-not=math. --implicit-check-not=tp.mesh

#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: llvm.func internal @tpc_kernel_0_body
// CHECK: llvm.intr.exp
// CHECK: llvm.call @erff
// CHECK: llvm.intr.maximum
tp.mesh @mesh ["tp" = 1]
func.func @functions(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = math.exp %p : f32
    %2 = math.erf %1 : f32
    %3 = arith.maximumf %2, %p : f32
    linalg.yield %3 : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// A bf16 sum is one in f32, rounded.
// CHECK-LABEL: llvm.func internal @tpc_kernel_0_body
// CHECK: llvm.shl
// CHECK: llvm.fadd {{.*}} : f32
// CHECK: llvm.lshr
func.func @brain_floats(%x: tensor<64xbf16>) -> tensor<64xbf16> {
  %e = tensor.empty() : tensor<64xbf16>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xbf16>) outs(%e : tensor<64xbf16>) {
  ^bb0(%p: bf16, %o: bf16):
    %1 = arith.addf %p, %p : bf16
    linalg.yield %1 : bf16
  } -> tensor<64xbf16>
  return %0 : tensor<64xbf16>
}

// -----

#id = affine_map<(d0) -> (d0)>

// Booleans are bytes in memory.
// CHECK-LABEL: llvm.func internal @tpc_kernel_0_body
// CHECK: llvm.zext {{.*}} : i1 to i8
// CHECK: llvm.store {{.*}} : i8, !llvm.ptr
func.func @booleans(%x: tensor<64xf32>) -> tensor<64xi1> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xi1>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%e : tensor<64xi1>) {
  ^bb0(%p: f32, %o: i1):
    %1 = arith.cmpf ogt, %p, %zero : f32
    linalg.yield %1 : i1
  } -> tensor<64xi1>
  return %0 : tensor<64xi1>
}
