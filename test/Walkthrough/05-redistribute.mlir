// RUN: tpc-compile %S/Inputs/mlp.mlir --mesh tp=4 --place 'w1=tp:S(0)' --place 'w2=tp:S(1)' --place x=R --place y=R --grad params --objective=bytes --stop-after=redistribute | FileCheck %s --match-full-lines
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As before, but for the tp.redistribute: from P(sum) to replicated is one tp.all_reduce over tp.

// CHECK: #Psum_tp = #tp.placement<@mesh, [tp: P(sum)]>
// CHECK-NEXT: #R = #tp.placement<@mesh, []>
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
// CHECK-NEXT:   func.func @mlp(%arg0: tensor<16x24xf32, #R> {tp.name = "x", tp.placement = #R}, %arg1: tensor<128x24xf32, #S0_tp> {tp.name = "w1", tp.param, tp.placement = #S0_tp}, %arg2: tensor<8x128xf32, #S1_tp> {tp.name = "w2", tp.param, tp.placement = #S1_tp}, %arg3: tensor<16x8xf32, #R> {tp.name = "dy", tp.placement = #R}) -> (tensor<16x8xf32, #R> {tp.name = "y", tp.placement = #R}, tensor<128x24xf32, #S0_tp> {tp.name = "dw1", tp.placement = #S0_tp}, tensor<8x128xf32, #S1_tp> {tp.name = "dw2", tp.placement = #S1_tp}) attributes {tp.plan = {cost = array<i64: 768, 30584000, 0>, lower_bound = array<i64: 768, 30584000, 0>, method = "elimination", objective = "bytes", peak_bytes = 16896 : i64}} {
// CHECK-NEXT:     %cst = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %0 = tensor.empty() : tensor<16x128xf32, #S1_tp>
// CHECK-NEXT:     %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<16x128xf32, #S1_tp>) -> tensor<16x128xf32, #S1_tp>
// CHECK-NEXT:     %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<16x24xf32, #R>, tensor<128x24xf32, #S0_tp>) outs(%1 : tensor<16x128xf32, #S1_tp>) {
// CHECK-NEXT:     ^bb0(%in: f32, %in_1: f32, %out: f32):
// CHECK-NEXT:       %18 = arith.mulf %in, %in_1 : f32
// CHECK-NEXT:       %19 = arith.addf %out, %18 : f32
// CHECK-NEXT:       linalg.yield %19 : f32
// CHECK-NEXT:     } -> tensor<16x128xf32, #S1_tp>
// CHECK-NEXT:     %3 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<16x128xf32, #S1_tp>) outs(%0 : tensor<16x128xf32, #S1_tp>) {
// CHECK-NEXT:     ^bb0(%in: f32, %out: f32):
// CHECK-NEXT:       %18 = arith.cmpf ugt, %in, %cst : f32
// CHECK-NEXT:       %19 = arith.select %18, %in, %cst : f32
// CHECK-NEXT:       linalg.yield %19 : f32
// CHECK-NEXT:     } -> tensor<16x128xf32, #S1_tp>
// CHECK-NEXT:     %4 = tensor.empty() : tensor<16x8xf32, #Psum_tp>
// CHECK-NEXT:     %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<16x8xf32, #Psum_tp>) -> tensor<16x8xf32, #Psum_tp>
// CHECK-NEXT:     %6 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%3, %arg2 : tensor<16x128xf32, #S1_tp>, tensor<8x128xf32, #S1_tp>) outs(%5 : tensor<16x8xf32, #Psum_tp>) {
// CHECK-NEXT:     ^bb0(%in: f32, %in_1: f32, %out: f32):
// CHECK-NEXT:       %18 = arith.mulf %in, %in_1 : f32
// CHECK-NEXT:       %19 = arith.addf %out, %18 : f32
// CHECK-NEXT:       linalg.yield %19 : f32
// CHECK-NEXT:     } -> tensor<16x8xf32, #Psum_tp>
// -- Here stood the tp.redistribute.
// CHECK-NEXT:     %7 = tp.all_reduce %6 over ["tp"] by "sum" {tp.lower_bound = 768 : i64, tp.value = "y", tp.why = "contraction at mlp.mlir:31 gives P(sum) over tp since the dim it reduces (size 128) is sharded there; result 'y' (pinned) needs it replicated"} : (tensor<16x8xf32, #Psum_tp>) -> tensor<16x8xf32, #R>
// CHECK-NEXT:     %cst_0 = arith.constant {tp.phase = "backward"} 0.000000e+00 : f32
// CHECK-NEXT:     %8 = tensor.empty() {tp.phase = "backward"} : tensor<16x128xf32, #S1_tp>
// CHECK-NEXT:     %9 = linalg.fill {tp.phase = "backward"} ins(%cst_0 : f32) outs(%8 : tensor<16x128xf32, #S1_tp>) -> tensor<16x128xf32, #S1_tp>
// CHECK-NEXT:     %10 = linalg.generic {indexing_maps = [#map, #map4, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg3, %arg2 : tensor<16x8xf32, #R>, tensor<8x128xf32, #S1_tp>) outs(%9 : tensor<16x128xf32, #S1_tp>) attrs =  {tp.phase = "backward"} {
// CHECK-NEXT:     ^bb0(%in: f32, %in_1: f32, %out: f32):
// CHECK-NEXT:       %18 = arith.mulf %in, %in_1 : f32
// CHECK-NEXT:       %19 = arith.addf %out, %18 : f32
// CHECK-NEXT:       linalg.yield %19 : f32
// CHECK-NEXT:     } -> tensor<16x128xf32, #S1_tp>
// CHECK-NEXT:     %11 = tensor.empty() {tp.phase = "backward"} : tensor<8x128xf32, #S1_tp>
// CHECK-NEXT:     %12 = linalg.fill {tp.phase = "backward"} ins(%cst_0 : f32) outs(%11 : tensor<8x128xf32, #S1_tp>) -> tensor<8x128xf32, #S1_tp>
// CHECK-NEXT:     %13 = linalg.generic {indexing_maps = [#map5, #map4, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg3, %3 : tensor<16x8xf32, #R>, tensor<16x128xf32, #S1_tp>) outs(%12 : tensor<8x128xf32, #S1_tp>) attrs =  {tp.phase = "backward"} {
// CHECK-NEXT:     ^bb0(%in: f32, %in_1: f32, %out: f32):
// CHECK-NEXT:       %18 = arith.mulf %in, %in_1 : f32
// CHECK-NEXT:       %19 = arith.addf %out, %18 : f32
// CHECK-NEXT:       linalg.yield %19 : f32
// CHECK-NEXT:     } -> tensor<8x128xf32, #S1_tp>
// CHECK-NEXT:     %14 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%10, %2 : tensor<16x128xf32, #S1_tp>, tensor<16x128xf32, #S1_tp>) outs(%8 : tensor<16x128xf32, #S1_tp>) attrs =  {tp.phase = "backward"} {
// CHECK-NEXT:     ^bb0(%in: f32, %in_1: f32, %out: f32):
// CHECK-NEXT:       %18 = arith.cmpf ugt, %in_1, %cst : f32
// CHECK-NEXT:       %19 = arith.select %18, %in, %cst : f32
// CHECK-NEXT:       linalg.yield %19 : f32
// CHECK-NEXT:     } -> tensor<16x128xf32, #S1_tp>
// CHECK-NEXT:     %15 = tensor.empty() {tp.phase = "backward"} : tensor<128x24xf32, #S0_tp>
// CHECK-NEXT:     %16 = linalg.fill {tp.phase = "backward"} ins(%cst_0 : f32) outs(%15 : tensor<128x24xf32, #S0_tp>) -> tensor<128x24xf32, #S0_tp>
// CHECK-NEXT:     %17 = linalg.generic {indexing_maps = [#map5, #map4, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%14, %arg0 : tensor<16x128xf32, #S1_tp>, tensor<16x24xf32, #R>) outs(%16 : tensor<128x24xf32, #S0_tp>) attrs =  {tp.phase = "backward"} {
// CHECK-NEXT:     ^bb0(%in: f32, %in_1: f32, %out: f32):
// CHECK-NEXT:       %18 = arith.mulf %in, %in_1 : f32
// CHECK-NEXT:       %19 = arith.addf %out, %18 : f32
// CHECK-NEXT:       linalg.yield %19 : f32
// CHECK-NEXT:     } -> tensor<128x24xf32, #S0_tp>
// CHECK-NEXT:     return %7, %17, %13 : tensor<16x8xf32, #R>, tensor<128x24xf32, #S0_tp>, tensor<8x128xf32, #S1_tp>
// CHECK-NEXT:   }
// CHECK-NEXT: }
