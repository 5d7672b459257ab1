// Made by: tpc-import torch toy.py:toy_loss -o toy_loss.mlir (torch 2.15.0)
#loc1 = loc("toy.py":16:0)
#loc2 = loc("toy.py":23:0)
#loc3 = loc("toy.py":17:0)
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> ()>
#map3 = affine_map<() -> ()>
#loc4 = loc("in_proj"(#loc1))
#loc5 = loc("relu"(#loc1))
#loc6 = loc("out_proj"(#loc3))
module {
  func.func @forward(%arg0: tensor<4x10xf32> {tp.name = "x"} loc("x"("toy.py":16:0)), %arg1: tensor<4x5xf32> {tp.name = "t"} loc("t"("toy.py":23:0)), %arg2: tensor<32x10xf32> {tp.name = "in_proj.weight", tp.param} loc("in_proj.weight"("toy.py":16:0)), %arg3: tensor<32xf32> {tp.name = "in_proj.bias", tp.param} loc("in_proj.bias"("toy.py":16:0)), %arg4: tensor<5x32xf32> {tp.name = "out_proj.weight", tp.param} loc("out_proj.weight"("toy.py":17:0)), %arg5: tensor<5xf32> {tp.name = "out_proj.bias", tp.param} loc("out_proj.bias"("toy.py":17:0))) -> (tensor<f32> {tp.name = "loss"}) {
    %c2_i64 = arith.constant 2 : i64 loc(#loc2)
    %cst = arith.constant 0.000000e+00 : f32 loc(#loc)
    %cst_0 = arith.constant 2.000000e+01 : f32 loc(#loc)
    %0 = tensor.empty() : tensor<10x32xf32> loc(#loc4)
    %transposed = linalg.transpose ins(%arg2 : tensor<32x10xf32>) outs(%0 : tensor<10x32xf32>) permutation = [1, 0]  loc(#loc4)
    %1 = tensor.empty() : tensor<4x32xf32> loc(#loc4)
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<4x32xf32>) -> tensor<4x32xf32> loc(#loc4)
    %3 = linalg.matmul ins(%arg0, %transposed : tensor<4x10xf32>, tensor<10x32xf32>) outs(%2 : tensor<4x32xf32>) -> tensor<4x32xf32> loc(#loc4)
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<32xf32>) outs(%1 : tensor<4x32xf32>) {
    ^bb0(%in: f32 loc("in_proj"(#loc1)), %out: f32 loc("in_proj"(#loc1))):
      linalg.yield %in : f32 loc(#loc4)
    } -> tensor<4x32xf32> loc(#loc4)
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<4x32xf32>, tensor<4x32xf32>) outs(%1 : tensor<4x32xf32>) {
    ^bb0(%in: f32 loc("in_proj"(#loc1)), %in_2: f32 loc("in_proj"(#loc1)), %out: f32 loc("in_proj"(#loc1))):
      %19 = arith.addf %in, %in_2 : f32 loc(#loc4)
      linalg.yield %19 : f32 loc(#loc4)
    } -> tensor<4x32xf32> loc(#loc4)
    %6 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<4x32xf32>) outs(%1 : tensor<4x32xf32>) {
    ^bb0(%in: f32 loc("in_proj"(#loc1)), %out: f32 loc("relu"(#loc1))):
      %19 = arith.cmpf ugt, %in, %cst : f32 loc(#loc5)
      %20 = arith.select %19, %in, %cst : f32 loc(#loc5)
      linalg.yield %20 : f32 loc(#loc5)
    } -> tensor<4x32xf32> loc(#loc5)
    %7 = tensor.empty() : tensor<32x5xf32> loc(#loc6)
    %transposed_1 = linalg.transpose ins(%arg4 : tensor<5x32xf32>) outs(%7 : tensor<32x5xf32>) permutation = [1, 0]  loc(#loc6)
    %8 = tensor.empty() : tensor<4x5xf32> loc(#loc6)
    %9 = linalg.fill ins(%cst : f32) outs(%8 : tensor<4x5xf32>) -> tensor<4x5xf32> loc(#loc6)
    %10 = linalg.matmul ins(%6, %transposed_1 : tensor<4x32xf32>, tensor<32x5xf32>) outs(%9 : tensor<4x5xf32>) -> tensor<4x5xf32> loc(#loc6)
    %11 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<5xf32>) outs(%8 : tensor<4x5xf32>) {
    ^bb0(%in: f32 loc("out_proj"(#loc3)), %out: f32 loc("out_proj"(#loc3))):
      linalg.yield %in : f32 loc(#loc6)
    } -> tensor<4x5xf32> loc(#loc6)
    %12 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%10, %11 : tensor<4x5xf32>, tensor<4x5xf32>) outs(%8 : tensor<4x5xf32>) {
    ^bb0(%in: f32 loc("out_proj"(#loc3)), %in_2: f32 loc("out_proj"(#loc3)), %out: f32 loc("out_proj"(#loc3))):
      %19 = arith.addf %in, %in_2 : f32 loc(#loc6)
      linalg.yield %19 : f32 loc(#loc6)
    } -> tensor<4x5xf32> loc(#loc6)
    %13 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%12, %arg1 : tensor<4x5xf32>, tensor<4x5xf32>) outs(%8 : tensor<4x5xf32>) {
    ^bb0(%in: f32 loc("out_proj"(#loc3)), %in_2: f32 loc("toy.py":23:0), %out: f32 loc("toy.py":23:0)):
      %19 = arith.subf %in, %in_2 : f32 loc(#loc2)
      linalg.yield %19 : f32 loc(#loc2)
    } -> tensor<4x5xf32> loc(#loc2)
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<4x5xf32>) outs(%8 : tensor<4x5xf32>) {
    ^bb0(%in: f32 loc("toy.py":23:0), %out: f32 loc("toy.py":23:0)):
      %19 = math.fpowi %in, %c2_i64 : f32, i64 loc(#loc2)
      linalg.yield %19 : f32 loc(#loc2)
    } -> tensor<4x5xf32> loc(#loc2)
    %15 = tensor.empty() : tensor<f32> loc(#loc2)
    %16 = linalg.fill ins(%cst : f32) outs(%15 : tensor<f32>) -> tensor<f32> loc(#loc2)
    %17 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["reduction", "reduction"]} ins(%14 : tensor<4x5xf32>) outs(%16 : tensor<f32>) {
    ^bb0(%in: f32 loc("toy.py":23:0), %out: f32 loc("toy.py":23:0)):
      %19 = arith.addf %in, %out : f32 loc(#loc2)
      linalg.yield %19 : f32 loc(#loc2)
    } -> tensor<f32> loc(#loc2)
    %18 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = []} ins(%17 : tensor<f32>) outs(%15 : tensor<f32>) {
    ^bb0(%in: f32 loc("toy.py":23:0), %out: f32 loc("toy.py":23:0)):
      %19 = arith.divf %in, %cst_0 : f32 loc(#loc2)
      linalg.yield %19 : f32 loc(#loc2)
    } -> tensor<f32> loc(#loc2)
    return %18 : tensor<f32> loc(#loc2)
  } loc(#loc4)
} loc(#loc)
#loc = loc(unknown)
