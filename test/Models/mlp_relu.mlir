// Made by: tpc-import torch mlp_activations.py:mlp_relu -o mlp_relu.mlir (torch 2.15.0)
#loc1 = loc("mlp_activations.py":17:0)
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#loc2 = loc("up"(#loc1))
#loc3 = loc("activation"(#loc1))
#loc4 = loc("down"(#loc1))
module {
  func.func @forward(%arg0: tensor<2x20x24xf32> {tp.name = "x"} loc("x"("mlp_activations.py":17:0)), %arg1: tensor<256x24xf32> {tp.name = "up.weight", tp.param} loc("up.weight"("mlp_activations.py":17:0)), %arg2: tensor<256xf32> {tp.name = "up.bias", tp.param} loc("up.bias"("mlp_activations.py":17:0)), %arg3: tensor<24x256xf32> {tp.name = "down.weight", tp.param} loc("down.weight"("mlp_activations.py":17:0)), %arg4: tensor<24xf32> {tp.name = "down.bias", tp.param} loc("down.bias"("mlp_activations.py":17:0))) -> (tensor<2x20x24xf32> {tp.name = "y"}) {
    %cst = arith.constant 0.000000e+00 : f32 loc(#loc)
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x20x24xf32> into tensor<40x24xf32> loc(#loc2)
    %0 = tensor.empty() : tensor<24x256xf32> loc(#loc2)
    %transposed = linalg.transpose ins(%arg1 : tensor<256x24xf32>) outs(%0 : tensor<24x256xf32>) permutation = [1, 0]  loc(#loc2)
    %1 = tensor.empty() : tensor<40x256xf32> loc(#loc2)
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<40x256xf32>) -> tensor<40x256xf32> loc(#loc2)
    %3 = linalg.matmul ins(%collapsed, %transposed : tensor<40x24xf32>, tensor<24x256xf32>) outs(%2 : tensor<40x256xf32>) -> tensor<40x256xf32> loc(#loc2)
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<256xf32>) outs(%1 : tensor<40x256xf32>) {
    ^bb0(%in: f32 loc("up"(#loc1)), %out: f32 loc("up"(#loc1))):
      linalg.yield %in : f32 loc(#loc2)
    } -> tensor<40x256xf32> loc(#loc2)
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<40x256xf32>, tensor<40x256xf32>) outs(%1 : tensor<40x256xf32>) {
    ^bb0(%in: f32 loc("up"(#loc1)), %in_3: f32 loc("up"(#loc1)), %out: f32 loc("up"(#loc1))):
      %14 = arith.addf %in, %in_3 : f32 loc(#loc2)
      linalg.yield %14 : f32 loc(#loc2)
    } -> tensor<40x256xf32> loc(#loc2)
    %expanded = tensor.expand_shape %5 [[0, 1], [2]] output_shape [2, 20, 256] : tensor<40x256xf32> into tensor<2x20x256xf32> loc(#loc2)
    %6 = tensor.empty() : tensor<2x20x256xf32> loc(#loc3)
    %7 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x20x256xf32>) outs(%6 : tensor<2x20x256xf32>) {
    ^bb0(%in: f32 loc("up"(#loc1)), %out: f32 loc("activation"(#loc1))):
      %14 = arith.cmpf ugt, %in, %cst : f32 loc(#loc3)
      %15 = arith.select %14, %in, %cst : f32 loc(#loc3)
      linalg.yield %15 : f32 loc(#loc3)
    } -> tensor<2x20x256xf32> loc(#loc3)
    %collapsed_0 = tensor.collapse_shape %7 [[0, 1], [2]] : tensor<2x20x256xf32> into tensor<40x256xf32> loc(#loc4)
    %8 = tensor.empty() : tensor<256x24xf32> loc(#loc4)
    %transposed_1 = linalg.transpose ins(%arg3 : tensor<24x256xf32>) outs(%8 : tensor<256x24xf32>) permutation = [1, 0]  loc(#loc4)
    %9 = tensor.empty() : tensor<40x24xf32> loc(#loc4)
    %10 = linalg.fill ins(%cst : f32) outs(%9 : tensor<40x24xf32>) -> tensor<40x24xf32> loc(#loc4)
    %11 = linalg.matmul ins(%collapsed_0, %transposed_1 : tensor<40x256xf32>, tensor<256x24xf32>) outs(%10 : tensor<40x24xf32>) -> tensor<40x24xf32> loc(#loc4)
    %12 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg4 : tensor<24xf32>) outs(%9 : tensor<40x24xf32>) {
    ^bb0(%in: f32 loc("down"(#loc1)), %out: f32 loc("down"(#loc1))):
      linalg.yield %in : f32 loc(#loc4)
    } -> tensor<40x24xf32> loc(#loc4)
    %13 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%11, %12 : tensor<40x24xf32>, tensor<40x24xf32>) outs(%9 : tensor<40x24xf32>) {
    ^bb0(%in: f32 loc("down"(#loc1)), %in_3: f32 loc("down"(#loc1)), %out: f32 loc("down"(#loc1))):
      %14 = arith.addf %in, %in_3 : f32 loc(#loc4)
      linalg.yield %14 : f32 loc(#loc4)
    } -> tensor<40x24xf32> loc(#loc4)
    %expanded_2 = tensor.expand_shape %13 [[0, 1], [2]] output_shape [2, 20, 24] : tensor<40x24xf32> into tensor<2x20x24xf32> loc(#loc4)
    return %expanded_2 : tensor<2x20x24xf32> loc(#loc4)
  } loc(#loc2)
} loc(#loc)
#loc = loc(unknown)
