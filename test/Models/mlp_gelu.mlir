// Made by: tpc-import torch mlp_activations.py:mlp_gelu -o mlp_gelu.mlir (torch 2.15.0)
#loc1 = loc("mlp_activations.py":17:0)
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#loc2 = loc("up"(#loc1))
#loc3 = loc("activation"(#loc1))
#loc4 = loc("down"(#loc1))
module {
  func.func @forward(%arg0: tensor<2x20x24xf32> {tp.name = "x"} loc("x"("mlp_activations.py":17:0)), %arg1: tensor<128x24xf32> {tp.name = "up.weight", tp.param} loc("up.weight"("mlp_activations.py":17:0)), %arg2: tensor<128xf32> {tp.name = "up.bias", tp.param} loc("up.bias"("mlp_activations.py":17:0)), %arg3: tensor<24x128xf32> {tp.name = "down.weight", tp.param} loc("down.weight"("mlp_activations.py":17:0)), %arg4: tensor<24xf32> {tp.name = "down.bias", tp.param} loc("down.bias"("mlp_activations.py":17:0))) -> (tensor<2x20x24xf32> {tp.name = "y"}) {
    %cst = arith.constant 0.000000e+00 : f32 loc(#loc)
    %cst_0 = arith.constant 0.79788456080286541 : f64 loc(#loc3)
    %cst_1 = arith.constant 4.471500e-02 : f64 loc(#loc3)
    %cst_2 = arith.constant 5.000000e-01 : f32 loc(#loc)
    %cst_3 = arith.constant 1.000000e+00 : f32 loc(#loc)
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x20x24xf32> into tensor<40x24xf32> loc(#loc2)
    %0 = tensor.empty() : tensor<24x128xf32> loc(#loc2)
    %transposed = linalg.transpose ins(%arg1 : tensor<128x24xf32>) outs(%0 : tensor<24x128xf32>) permutation = [1, 0]  loc(#loc2)
    %1 = tensor.empty() : tensor<40x128xf32> loc(#loc2)
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<40x128xf32>) -> tensor<40x128xf32> loc(#loc2)
    %3 = linalg.matmul ins(%collapsed, %transposed : tensor<40x24xf32>, tensor<24x128xf32>) outs(%2 : tensor<40x128xf32>) -> tensor<40x128xf32> loc(#loc2)
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<128xf32>) outs(%1 : tensor<40x128xf32>) {
    ^bb0(%in: f32 loc("up"(#loc1)), %out: f32 loc("up"(#loc1))):
      linalg.yield %in : f32 loc(#loc2)
    } -> tensor<40x128xf32> loc(#loc2)
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<40x128xf32>, tensor<40x128xf32>) outs(%1 : tensor<40x128xf32>) {
    ^bb0(%in: f32 loc("up"(#loc1)), %in_7: f32 loc("up"(#loc1)), %out: f32 loc("up"(#loc1))):
      %22 = arith.addf %in, %in_7 : f32 loc(#loc2)
      linalg.yield %22 : f32 loc(#loc2)
    } -> tensor<40x128xf32> loc(#loc2)
    %expanded = tensor.expand_shape %5 [[0, 1], [2]] output_shape [2, 20, 128] : tensor<40x128xf32> into tensor<2x20x128xf32> loc(#loc2)
    %6 = tensor.empty() : tensor<2x20x128xf32> loc(#loc3)
    %7 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded, %expanded : tensor<2x20x128xf32>, tensor<2x20x128xf32>) outs(%6 : tensor<2x20x128xf32>) {
    ^bb0(%in: f32 loc("up"(#loc1)), %in_7: f32 loc("up"(#loc1)), %out: f32 loc("activation"(#loc1))):
      %22 = arith.mulf %in, %in_7 : f32 loc(#loc3)
      linalg.yield %22 : f32 loc(#loc3)
    } -> tensor<2x20x128xf32> loc(#loc3)
    %8 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %expanded : tensor<2x20x128xf32>, tensor<2x20x128xf32>) outs(%6 : tensor<2x20x128xf32>) {
    ^bb0(%in: f32 loc("activation"(#loc1)), %in_7: f32 loc("up"(#loc1)), %out: f32 loc("activation"(#loc1))):
      %22 = arith.mulf %in, %in_7 : f32 loc(#loc3)
      linalg.yield %22 : f32 loc(#loc3)
    } -> tensor<2x20x128xf32> loc(#loc3)
    %9 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<2x20x128xf32>) outs(%6 : tensor<2x20x128xf32>) {
    ^bb0(%in: f32 loc("activation"(#loc1)), %out: f32 loc("activation"(#loc1))):
      %22 = arith.truncf %cst_1 : f64 to f32 loc(#loc3)
      %23 = arith.mulf %in, %22 : f32 loc(#loc3)
      linalg.yield %23 : f32 loc(#loc3)
    } -> tensor<2x20x128xf32> loc(#loc3)
    %10 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded, %9 : tensor<2x20x128xf32>, tensor<2x20x128xf32>) outs(%6 : tensor<2x20x128xf32>) {
    ^bb0(%in: f32 loc("up"(#loc1)), %in_7: f32 loc("activation"(#loc1)), %out: f32 loc("activation"(#loc1))):
      %22 = arith.addf %in, %in_7 : f32 loc(#loc3)
      linalg.yield %22 : f32 loc(#loc3)
    } -> tensor<2x20x128xf32> loc(#loc3)
    %11 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10 : tensor<2x20x128xf32>) outs(%6 : tensor<2x20x128xf32>) {
    ^bb0(%in: f32 loc("activation"(#loc1)), %out: f32 loc("activation"(#loc1))):
      %22 = arith.truncf %cst_0 : f64 to f32 loc(#loc3)
      %23 = arith.mulf %in, %22 : f32 loc(#loc3)
      linalg.yield %23 : f32 loc(#loc3)
    } -> tensor<2x20x128xf32> loc(#loc3)
    %12 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x20x128xf32>) outs(%6 : tensor<2x20x128xf32>) {
    ^bb0(%in: f32 loc("up"(#loc1)), %out: f32 loc("activation"(#loc1))):
      %22 = arith.mulf %in, %cst_2 : f32 loc(#loc3)
      linalg.yield %22 : f32 loc(#loc3)
    } -> tensor<2x20x128xf32> loc(#loc3)
    %13 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<2x20x128xf32>) outs(%6 : tensor<2x20x128xf32>) {
    ^bb0(%in: f32 loc("activation"(#loc1)), %out: f32 loc("activation"(#loc1))):
      %22 = math.tanh %in : f32 loc(#loc3)
      linalg.yield %22 : f32 loc(#loc3)
    } -> tensor<2x20x128xf32> loc(#loc3)
    %14 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<2x20x128xf32>) outs(%6 : tensor<2x20x128xf32>) {
    ^bb0(%in: f32 loc("activation"(#loc1)), %out: f32 loc("activation"(#loc1))):
      %22 = arith.addf %in, %cst_3 : f32 loc(#loc3)
      linalg.yield %22 : f32 loc(#loc3)
    } -> tensor<2x20x128xf32> loc(#loc3)
    %15 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12, %14 : tensor<2x20x128xf32>, tensor<2x20x128xf32>) outs(%6 : tensor<2x20x128xf32>) {
    ^bb0(%in: f32 loc("activation"(#loc1)), %in_7: f32 loc("activation"(#loc1)), %out: f32 loc("activation"(#loc1))):
      %22 = arith.mulf %in, %in_7 : f32 loc(#loc3)
      linalg.yield %22 : f32 loc(#loc3)
    } -> tensor<2x20x128xf32> loc(#loc3)
    %collapsed_4 = tensor.collapse_shape %15 [[0, 1], [2]] : tensor<2x20x128xf32> into tensor<40x128xf32> loc(#loc4)
    %16 = tensor.empty() : tensor<128x24xf32> loc(#loc4)
    %transposed_5 = linalg.transpose ins(%arg3 : tensor<24x128xf32>) outs(%16 : tensor<128x24xf32>) permutation = [1, 0]  loc(#loc4)
    %17 = tensor.empty() : tensor<40x24xf32> loc(#loc4)
    %18 = linalg.fill ins(%cst : f32) outs(%17 : tensor<40x24xf32>) -> tensor<40x24xf32> loc(#loc4)
    %19 = linalg.matmul ins(%collapsed_4, %transposed_5 : tensor<40x128xf32>, tensor<128x24xf32>) outs(%18 : tensor<40x24xf32>) -> tensor<40x24xf32> loc(#loc4)
    %20 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg4 : tensor<24xf32>) outs(%17 : tensor<40x24xf32>) {
    ^bb0(%in: f32 loc("down"(#loc1)), %out: f32 loc("down"(#loc1))):
      linalg.yield %in : f32 loc(#loc4)
    } -> tensor<40x24xf32> loc(#loc4)
    %21 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%19, %20 : tensor<40x24xf32>, tensor<40x24xf32>) outs(%17 : tensor<40x24xf32>) {
    ^bb0(%in: f32 loc("down"(#loc1)), %in_7: f32 loc("down"(#loc1)), %out: f32 loc("down"(#loc1))):
      %22 = arith.addf %in, %in_7 : f32 loc(#loc4)
      linalg.yield %22 : f32 loc(#loc4)
    } -> tensor<40x24xf32> loc(#loc4)
    %expanded_6 = tensor.expand_shape %21 [[0, 1], [2]] output_shape [2, 20, 24] : tensor<40x24xf32> into tensor<2x20x24xf32> loc(#loc4)
    return %expanded_6 : tensor<2x20x24xf32> loc(#loc4)
  } loc(#loc2)
} loc(#loc)
#loc = loc(unknown)
