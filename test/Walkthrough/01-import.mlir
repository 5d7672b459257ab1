// RUN: tpc-compile %S/Inputs/mlp.mlir --stop-after=import | FileCheck %s --match-full-lines
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model in normal form. @relu is inlined; the transposes of the weights are in the indexing maps of the contractions (#map1 reads
// a weight by output and summed feature); named operations are linalg.generic; each operation has a destination of its own.

// CHECK: #map = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-NEXT: #map1 = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-NEXT: #map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-NEXT: #map3 = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-NEXT: module {
// CHECK-NEXT:   func.func @mlp(%arg0: tensor<16x24xf32> {tp.name = "x"}, %arg1: tensor<128x24xf32> {tp.name = "w1", tp.param}, %arg2: tensor<8x128xf32> {tp.name = "w2", tp.param}) -> (tensor<16x8xf32> {tp.name = "y"}) {
// CHECK-NEXT:     %cst = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %0 = tensor.empty() : tensor<16x128xf32>
// CHECK-NEXT:     %1 = tensor.empty() : tensor<16x128xf32>
// CHECK-NEXT:     %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<16x128xf32>) -> tensor<16x128xf32>
// -- h = x w1^T: loops over row, output and the summed feature.
// CHECK-NEXT:     %3 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<16x24xf32>, tensor<128x24xf32>) outs(%2 : tensor<16x128xf32>) {
// CHECK-NEXT:     ^bb0(%in: f32, %in_0: f32, %out: f32):
// CHECK-NEXT:       %8 = arith.mulf %in, %in_0 : f32
// CHECK-NEXT:       %9 = arith.addf %out, %8 : f32
// CHECK-NEXT:       linalg.yield %9 : f32
// CHECK-NEXT:     } -> tensor<16x128xf32>
// -- a = relu(h).
// CHECK-NEXT:     %4 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<16x128xf32>) outs(%0 : tensor<16x128xf32>) {
// CHECK-NEXT:     ^bb0(%in: f32, %out: f32):
// CHECK-NEXT:       %8 = arith.cmpf ugt, %in, %cst : f32
// CHECK-NEXT:       %9 = arith.select %8, %in, %cst : f32
// CHECK-NEXT:       linalg.yield %9 : f32
// CHECK-NEXT:     } -> tensor<16x128xf32>
// CHECK-NEXT:     %5 = tensor.empty() : tensor<16x8xf32>
// CHECK-NEXT:     %6 = linalg.fill ins(%cst : f32) outs(%5 : tensor<16x8xf32>) -> tensor<16x8xf32>
// -- y = a w2^T.
// CHECK-NEXT:     %7 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%4, %arg2 : tensor<16x128xf32>, tensor<8x128xf32>) outs(%6 : tensor<16x8xf32>) {
// CHECK-NEXT:     ^bb0(%in: f32, %in_0: f32, %out: f32):
// CHECK-NEXT:       %8 = arith.mulf %in, %in_0 : f32
// CHECK-NEXT:       %9 = arith.addf %out, %8 : f32
// CHECK-NEXT:       linalg.yield %9 : f32
// CHECK-NEXT:     } -> tensor<16x8xf32>
// CHECK-NEXT:     return %7 : tensor<16x8xf32>
// CHECK-NEXT:   }
// CHECK-NEXT: }
