// Made by: tpc-import torch mlp_activations.py:mlp_relu_bf16 -o mlp_relu_bf16.mlir (torch 2.15.0)
#loc1 = loc("mlp_activations.py":17:0)
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#loc2 = loc("up"(#loc1))
#loc3 = loc("activation"(#loc1))
#loc4 = loc("down"(#loc1))
module {
  func.func @forward(%arg0: tensor<2x20x24xbf16> {tp.name = "x"} loc("x"("mlp_activations.py":17:0)), %arg1: tensor<256x24xbf16> {tp.name = "up.weight", tp.param} loc("up.weight"("mlp_activations.py":17:0)), %arg2: tensor<256xbf16> {tp.name = "up.bias", tp.param} loc("up.bias"("mlp_activations.py":17:0)), %arg3: tensor<24x256xbf16> {tp.name = "down.weight", tp.param} loc("down.weight"("mlp_activations.py":17:0)), %arg4: tensor<24xbf16> {tp.name = "down.bias", tp.param} loc("down.bias"("mlp_activations.py":17:0))) -> (tensor<2x20x24xbf16> {tp.name = "y"}) {
    %cst = arith.constant 0.000000e+00 : f32 loc(#loc)
    %cst_0 = arith.constant 0.000000e+00 : bf16 loc(#loc)
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x20x24xbf16> into tensor<40x24xbf16> loc(#loc2)
    %0 = tensor.empty() : tensor<24x256xbf16> loc(#loc2)
    %transposed = linalg.transpose ins(%arg1 : tensor<256x24xbf16>) outs(%0 : tensor<24x256xbf16>) permutation = [1, 0]  loc(#loc2)
    %1 = tensor.empty() : tensor<256xf32> loc(#loc2)
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg2 : tensor<256xbf16>) outs(%1 : tensor<256xf32>) {
    ^bb0(%in: bf16 loc("up"(#loc1)), %out: f32 loc("up"(#loc1))):
      %28 = arith.extf %in : bf16 to f32 loc(#loc2)
      linalg.yield %28 : f32 loc(#loc2)
    } -> tensor<256xf32> loc(#loc2)
    %3 = tensor.empty() : tensor<40x24xf32> loc(#loc2)
    %4 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%collapsed : tensor<40x24xbf16>) outs(%3 : tensor<40x24xf32>) {
    ^bb0(%in: bf16 loc("up"(#loc1)), %out: f32 loc("up"(#loc1))):
      %28 = arith.extf %in : bf16 to f32 loc(#loc2)
      linalg.yield %28 : f32 loc(#loc2)
    } -> tensor<40x24xf32> loc(#loc2)
    %5 = tensor.empty() : tensor<24x256xf32> loc(#loc2)
    %6 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%transposed : tensor<24x256xbf16>) outs(%5 : tensor<24x256xf32>) {
    ^bb0(%in: bf16 loc("up"(#loc1)), %out: f32 loc("up"(#loc1))):
      %28 = arith.extf %in : bf16 to f32 loc(#loc2)
      linalg.yield %28 : f32 loc(#loc2)
    } -> tensor<24x256xf32> loc(#loc2)
    %7 = tensor.empty() : tensor<40x256xf32> loc(#loc2)
    %8 = linalg.fill ins(%cst : f32) outs(%7 : tensor<40x256xf32>) -> tensor<40x256xf32> loc(#loc2)
    %9 = linalg.matmul ins(%4, %6 : tensor<40x24xf32>, tensor<24x256xf32>) outs(%8 : tensor<40x256xf32>) -> tensor<40x256xf32> loc(#loc2)
    %10 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<256xf32>) outs(%7 : tensor<40x256xf32>) {
    ^bb0(%in: f32 loc("up"(#loc1)), %out: f32 loc("up"(#loc1))):
      linalg.yield %in : f32 loc(#loc2)
    } -> tensor<40x256xf32> loc(#loc2)
    %11 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%9, %10 : tensor<40x256xf32>, tensor<40x256xf32>) outs(%7 : tensor<40x256xf32>) {
    ^bb0(%in: f32 loc("up"(#loc1)), %in_4: f32 loc("up"(#loc1)), %out: f32 loc("up"(#loc1))):
      %28 = arith.addf %in, %in_4 : f32 loc(#loc2)
      linalg.yield %28 : f32 loc(#loc2)
    } -> tensor<40x256xf32> loc(#loc2)
    %12 = tensor.empty() : tensor<40x256xbf16> loc(#loc2)
    %13 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<40x256xf32>) outs(%12 : tensor<40x256xbf16>) {
    ^bb0(%in: f32 loc("up"(#loc1)), %out: bf16 loc("up"(#loc1))):
      %28 = arith.truncf %in : f32 to bf16 loc(#loc2)
      linalg.yield %28 : bf16 loc(#loc2)
    } -> tensor<40x256xbf16> loc(#loc2)
    %expanded = tensor.expand_shape %13 [[0, 1], [2]] output_shape [2, 20, 256] : tensor<40x256xbf16> into tensor<2x20x256xbf16> loc(#loc2)
    %14 = tensor.empty() : tensor<2x20x256xbf16> loc(#loc3)
    %15 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x20x256xbf16>) outs(%14 : tensor<2x20x256xbf16>) {
    ^bb0(%in: bf16 loc("up"(#loc1)), %out: bf16 loc("activation"(#loc1))):
      %28 = arith.cmpf ugt, %in, %cst_0 : bf16 loc(#loc3)
      %29 = arith.select %28, %in, %cst_0 : bf16 loc(#loc3)
      linalg.yield %29 : bf16 loc(#loc3)
    } -> tensor<2x20x256xbf16> loc(#loc3)
    %collapsed_1 = tensor.collapse_shape %15 [[0, 1], [2]] : tensor<2x20x256xbf16> into tensor<40x256xbf16> loc(#loc4)
    %16 = tensor.empty() : tensor<256x24xbf16> loc(#loc4)
    %transposed_2 = linalg.transpose ins(%arg3 : tensor<24x256xbf16>) outs(%16 : tensor<256x24xbf16>) permutation = [1, 0]  loc(#loc4)
    %17 = tensor.empty() : tensor<24xf32> loc(#loc4)
    %18 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg4 : tensor<24xbf16>) outs(%17 : tensor<24xf32>) {
    ^bb0(%in: bf16 loc("down"(#loc1)), %out: f32 loc("down"(#loc1))):
      %28 = arith.extf %in : bf16 to f32 loc(#loc4)
      linalg.yield %28 : f32 loc(#loc4)
    } -> tensor<24xf32> loc(#loc4)
    %19 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%collapsed_1 : tensor<40x256xbf16>) outs(%7 : tensor<40x256xf32>) {
    ^bb0(%in: bf16 loc("down"(#loc1)), %out: f32 loc("down"(#loc1))):
      %28 = arith.extf %in : bf16 to f32 loc(#loc4)
      linalg.yield %28 : f32 loc(#loc4)
    } -> tensor<40x256xf32> loc(#loc4)
    %20 = tensor.empty() : tensor<256x24xf32> loc(#loc4)
    %21 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%transposed_2 : tensor<256x24xbf16>) outs(%20 : tensor<256x24xf32>) {
    ^bb0(%in: bf16 loc("down"(#loc1)), %out: f32 loc("down"(#loc1))):
      %28 = arith.extf %in : bf16 to f32 loc(#loc4)
      linalg.yield %28 : f32 loc(#loc4)
    } -> tensor<256x24xf32> loc(#loc4)
    %22 = linalg.fill ins(%cst : f32) outs(%3 : tensor<40x24xf32>) -> tensor<40x24xf32> loc(#loc4)
    %23 = linalg.matmul ins(%19, %21 : tensor<40x256xf32>, tensor<256x24xf32>) outs(%22 : tensor<40x24xf32>) -> tensor<40x24xf32> loc(#loc4)
    %24 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<24xf32>) outs(%3 : tensor<40x24xf32>) {
    ^bb0(%in: f32 loc("down"(#loc1)), %out: f32 loc("down"(#loc1))):
      linalg.yield %in : f32 loc(#loc4)
    } -> tensor<40x24xf32> loc(#loc4)
    %25 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%23, %24 : tensor<40x24xf32>, tensor<40x24xf32>) outs(%3 : tensor<40x24xf32>) {
    ^bb0(%in: f32 loc("down"(#loc1)), %in_4: f32 loc("down"(#loc1)), %out: f32 loc("down"(#loc1))):
      %28 = arith.addf %in, %in_4 : f32 loc(#loc4)
      linalg.yield %28 : f32 loc(#loc4)
    } -> tensor<40x24xf32> loc(#loc4)
    %26 = tensor.empty() : tensor<40x24xbf16> loc(#loc4)
    %27 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%25 : tensor<40x24xf32>) outs(%26 : tensor<40x24xbf16>) {
    ^bb0(%in: f32 loc("down"(#loc1)), %out: bf16 loc("down"(#loc1))):
      %28 = arith.truncf %in : f32 to bf16 loc(#loc4)
      linalg.yield %28 : bf16 loc(#loc4)
    } -> tensor<40x24xbf16> loc(#loc4)
    %expanded_3 = tensor.expand_shape %27 [[0, 1], [2]] output_shape [2, 20, 24] : tensor<40x24xbf16> into tensor<2x20x24xbf16> loc(#loc4)
    return %expanded_3 : tensor<2x20x24xbf16> loc(#loc4)
  } loc(#loc2)
} loc(#loc)
#loc = loc(unknown)
