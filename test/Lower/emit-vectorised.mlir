// Kernels use the widest vectors of the processor, math functions glibc's
// vector variants for it, and what the kernels of one function read and write
// is known not to alias: no loop is there twice with a check before it.
// RUN: tpc-compile %s --mesh tp=1 --mcpu sapphirerapids --emit llvm -o - | FileCheck %s --check-prefixes=CHECK,WIDE --implicit-check-not=memcheck
// RUN: tpc-compile %s --mesh tp=1 --mcpu x86-64-v3 --emit llvm -o - | FileCheck %s --check-prefixes=CHECK,NARROW --implicit-check-not=memcheck

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

// CHECK: @tpc_artifact_manifest = {{.*}}constant
// WIDE-DAG: fadd contract <16 x float>
// WIDE-DAG: call contract <16 x float> @_ZGVeN16v_expf(
// WIDE-DAG: call contract <16 x float> @_ZGVeN16v_tanhf(
// WIDE-DAG: call {{.*}}<16 x float> @_ZGVeN16v_erff(
// WIDE-DAG: call contract <16 x float> @_ZGVeN16v_logf(
// WIDE-DAG: call contract <16 x float> @_ZGVeN16vv_powf(
// WIDE-DAG: call contract <8 x double> @_ZGVeN8v_sin(
// NARROW-DAG: fadd contract <8 x float>
// NARROW-DAG: call contract <8 x float> @_ZGVdN8v_expf(
// NARROW-DAG: call contract <4 x double> @_ZGVdN4v_sin(
func.func @elementwise(%x: tensor<64x1024xf32>, %y: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
  %e = tensor.empty() : tensor<64x1024xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<64x1024xf32>, tensor<64x1024xf32>) outs(%e : tensor<64x1024xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.addf %p, %q : f32
    %2 = math.exp %1 : f32
    %3 = math.tanh %2 : f32
    %4 = math.erf %3 : f32
    %5 = math.log %4 : f32
    %6 = math.powf %5, %q : f32
    linalg.yield %6 : f32
  } -> tensor<64x1024xf32>
  return %0 : tensor<64x1024xf32>
}

func.func @doubles(%x: tensor<64x1024xf64>) -> tensor<64x1024xf64> {
  %e = tensor.empty() : tensor<64x1024xf64>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x1024xf64>) outs(%e : tensor<64x1024xf64>) {
  ^bb0(%p: f64, %o: f64):
    %1 = math.sin %p : f64
    linalg.yield %1 : f64
  } -> tensor<64x1024xf64>
  return %0 : tensor<64x1024xf64>
}

// Sums along rows keep several partial sums; a maximum keeps NaN.
// WIDE-DAG: fadd reassoc contract <16 x float>
// WIDE-DAG: call reassoc contract <16 x float> @llvm.maximum.v16f32(
// WIDE-DAG: call reassoc contract float @llvm.vector.reduce.fmaximum.v16f32(
func.func @rows(%x: tensor<64x1024xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x1024xf32>) outs(%f : tensor<64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.addf %o, %p : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %e1 = tensor.empty() : tensor<64xf32>
  %f1 = linalg.fill ins(%low : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %2 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x1024xf32>) outs(%f1 : tensor<64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %3 = arith.maximumf %o, %p : f32
    linalg.yield %3 : f32
  } -> tensor<64xf32>
  return %0, %2 : tensor<64xf32>, tensor<64xf32>
}
