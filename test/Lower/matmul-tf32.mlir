// The second last 32-bit number of a descriptor are its flags: 1 where factors of
// f32 may be rounded to TF32, which is asked for and never of other types.
// RUN: tpc-opt %s --tp-lower-to-runtime=tf32=true | FileCheck %s
// RUN: tpc-opt %s --tp-lower-to-runtime | FileCheck %s --check-prefix=EXACT

// CHECK-DAG: @tpc_matmul_{{.*}}[304 : i32, 0 : i32, {{.*}}, 0 : i32, 1 : i32, 0, 0]
// CHECK-DAG: @tpc_matmul_{{.*}}[304 : i32, 1 : i32, {{.*}}, 1 : i32, 0 : i32, 0, 0]
// EXACT-DAG: @tpc_matmul_{{.*}}[304 : i32, 0 : i32, {{.*}}, 0 : i32, 0 : i32, 0, 0]
// EXACT-DAG: @tpc_matmul_{{.*}}[304 : i32, 1 : i32, {{.*}}, 1 : i32, 0 : i32, 0, 0]

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

func.func @products(%a: tensor<32x16xf32>, %b: tensor<16x64xf32>, %c: tensor<32x64xf32>, %x: tensor<32x16xf64>, %y: tensor<16x64xf64>, %z: tensor<32x64xf64>) -> (tensor<32x64xf32>, tensor<32x64xf64>) {
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<32x16xf32>, tensor<16x64xf32>) outs(%c : tensor<32x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x64xf32>
  %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : tensor<32x16xf64>, tensor<16x64xf64>) outs(%z : tensor<32x64xf64>) {
  ^bb0(%p: f64, %q: f64, %o: f64):
    %m = arith.mulf %p, %q : f64
    %s = arith.addf %o, %m : f64
    linalg.yield %s : f64
  } -> tensor<32x64xf64>
  return %0, %1 : tensor<32x64xf32>, tensor<32x64xf64>
}
