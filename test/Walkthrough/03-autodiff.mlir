// RUN: tpc-compile %S/Inputs/mlp.mlir --mesh tp=4 --place 'w1=tp:S(0)' --place 'w2=tp:S(1)' --place x=R --place y=R --grad params --objective=bytes --stop-after=autodiff | FileCheck %s --match-full-lines
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forward, then backward on the global program: no operation below knows of ranks. The cotangent dy is an argument, placed like y; the
// gradients dw1 and dw2 are results, placed like w1 and w2. There is no dx: nobody asked for it, and nothing is computed for it.

// CHECK: #R = #tp.placement<@mesh, []>
// CHECK-NEXT: #S0_tp = #tp.placement<@mesh, [tp: S(0)]>
// CHECK-NEXT: #S1_tp = #tp.placement<@mesh, [tp: S(1)]>
// CHECK-NEXT: #map = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-NEXT: #map1 = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-NEXT: #map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-NEXT: #map3 = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-NEXT: #map4 = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-NEXT: #map5 = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-NEXT: module {
// CHECK-NEXT:   tp.mesh @mesh ["tp" = 4]
// -- The signature: dy comes in, dw1 and dw2 go out.
// CHECK-NEXT:   func.func @mlp(%arg0: tensor<16x24xf32> {tp.name = "x", tp.placement = #R}, %arg1: tensor<128x24xf32> {tp.name = "w1", tp.param, tp.placement = #S0_tp}, %arg2: tensor<8x128xf32> {tp.name = "w2", tp.param, tp.placement = #S1_tp}, %arg3: tensor<16x8xf32> {tp.name = "dy", tp.placement = #R}) -> (tensor<16x8xf32> {tp.name = "y", tp.placement = #R}, tensor<128x24xf32> {tp.name = "dw1", tp.placement = #S0_tp}, tensor<8x128xf32> {tp.name = "dw2", tp.placement = #S1_tp}) {
// CHECK-NEXT:     %cst = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %0 = tensor.empty() : tensor<16x128xf32>
// CHECK-NEXT:     %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<16x128xf32>) -> tensor<16x128xf32>
// CHECK-NEXT:     %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<16x24xf32>, tensor<128x24xf32>) outs(%1 : tensor<16x128xf32>) {
// CHECK-NEXT:     ^bb0(%in: f32, %in_1: f32, %out: f32):
// CHECK-NEXT:       %17 = arith.mulf %in, %in_1 : f32
// CHECK-NEXT:       %18 = arith.addf %out, %17 : f32
// CHECK-NEXT:       linalg.yield %18 : f32
// CHECK-NEXT:     } -> tensor<16x128xf32>
// CHECK-NEXT:     %3 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<16x128xf32>) outs(%0 : tensor<16x128xf32>) {
// CHECK-NEXT:     ^bb0(%in: f32, %out: f32):
// CHECK-NEXT:       %17 = arith.cmpf ugt, %in, %cst : f32
// CHECK-NEXT:       %18 = arith.select %17, %in, %cst : f32
// CHECK-NEXT:       linalg.yield %18 : f32
// CHECK-NEXT:     } -> tensor<16x128xf32>
// CHECK-NEXT:     %4 = tensor.empty() : tensor<16x8xf32>
// CHECK-NEXT:     %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<16x8xf32>) -> tensor<16x8xf32>
// CHECK-NEXT:     %6 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%3, %arg2 : tensor<16x128xf32>, tensor<8x128xf32>) outs(%5 : tensor<16x8xf32>) {
// CHECK-NEXT:     ^bb0(%in: f32, %in_1: f32, %out: f32):
// CHECK-NEXT:       %17 = arith.mulf %in, %in_1 : f32
// CHECK-NEXT:       %18 = arith.addf %out, %17 : f32
// CHECK-NEXT:       linalg.yield %18 : f32
// CHECK-NEXT:     } -> tensor<16x8xf32>
// -- Backward begins.
// CHECK-NEXT:     %cst_0 = arith.constant {tp.phase = "backward"} 0.000000e+00 : f32
// CHECK-NEXT:     %7 = tensor.empty() {tp.phase = "backward"} : tensor<16x128xf32>
// CHECK-NEXT:     %8 = linalg.fill {tp.phase = "backward"} ins(%cst_0 : f32) outs(%7 : tensor<16x128xf32>) -> tensor<16x128xf32>
// -- da = dy w2: summed over the outputs of w2.
// CHECK-NEXT:     %9 = linalg.generic {indexing_maps = [#map, #map4, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg3, %arg2 : tensor<16x8xf32>, tensor<8x128xf32>) outs(%8 : tensor<16x128xf32>) attrs =  {tp.phase = "backward"} {
// CHECK-NEXT:     ^bb0(%in: f32, %in_1: f32, %out: f32):
// CHECK-NEXT:       %17 = arith.mulf %in, %in_1 : f32
// CHECK-NEXT:       %18 = arith.addf %out, %17 : f32
// CHECK-NEXT:       linalg.yield %18 : f32
// CHECK-NEXT:     } -> tensor<16x128xf32>
// CHECK-NEXT:     %10 = tensor.empty() {tp.phase = "backward"} : tensor<8x128xf32>
// CHECK-NEXT:     %11 = linalg.fill {tp.phase = "backward"} ins(%cst_0 : f32) outs(%10 : tensor<8x128xf32>) -> tensor<8x128xf32>
// -- dw2 = dy^T a: summed over the rows.
// CHECK-NEXT:     %12 = linalg.generic {indexing_maps = [#map5, #map4, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg3, %3 : tensor<16x8xf32>, tensor<16x128xf32>) outs(%11 : tensor<8x128xf32>) attrs =  {tp.phase = "backward"} {
// CHECK-NEXT:     ^bb0(%in: f32, %in_1: f32, %out: f32):
// CHECK-NEXT:       %17 = arith.mulf %in, %in_1 : f32
// CHECK-NEXT:       %18 = arith.addf %out, %17 : f32
// CHECK-NEXT:       linalg.yield %18 : f32
// CHECK-NEXT:     } -> tensor<8x128xf32>
// -- dh: da where h was above zero. Reads h from forward.
// CHECK-NEXT:     %13 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%9, %2 : tensor<16x128xf32>, tensor<16x128xf32>) outs(%7 : tensor<16x128xf32>) attrs =  {tp.phase = "backward"} {
// CHECK-NEXT:     ^bb0(%in: f32, %in_1: f32, %out: f32):
// CHECK-NEXT:       %17 = arith.cmpf ugt, %in_1, %cst : f32
// CHECK-NEXT:       %18 = arith.select %17, %in, %cst : f32
// CHECK-NEXT:       linalg.yield %18 : f32
// CHECK-NEXT:     } -> tensor<16x128xf32>
// CHECK-NEXT:     %14 = tensor.empty() {tp.phase = "backward"} : tensor<128x24xf32>
// CHECK-NEXT:     %15 = linalg.fill {tp.phase = "backward"} ins(%cst_0 : f32) outs(%14 : tensor<128x24xf32>) -> tensor<128x24xf32>
// -- dw1 = dh^T x: summed over the rows.
// CHECK-NEXT:     %16 = linalg.generic {indexing_maps = [#map5, #map4, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%13, %arg0 : tensor<16x128xf32>, tensor<16x24xf32>) outs(%15 : tensor<128x24xf32>) attrs =  {tp.phase = "backward"} {
// CHECK-NEXT:     ^bb0(%in: f32, %in_1: f32, %out: f32):
// CHECK-NEXT:       %17 = arith.mulf %in, %in_1 : f32
// CHECK-NEXT:       %18 = arith.addf %out, %17 : f32
// CHECK-NEXT:       linalg.yield %18 : f32
// CHECK-NEXT:     } -> tensor<128x24xf32>
// CHECK-NEXT:     return %6, %16, %12 : tensor<16x8xf32>, tensor<128x24xf32>, tensor<8x128xf32>
// CHECK-NEXT:   }
// CHECK-NEXT: }
