// Made by: tpc-import torch mlp_activations.py:mlp_gelu_odd_bf16 -o mlp_gelu_odd_bf16.mlir (torch 2.15.0)
#loc1 = loc("mlp_activations.py":17:0)
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#loc2 = loc("up"(#loc1))
#loc3 = loc("activation"(#loc1))
#loc4 = loc("down"(#loc1))
module {
  func.func @forward(%arg0: tensor<2x20x24xbf16> {tp.name = "x"} loc("x"("mlp_activations.py":17:0)), %arg1: tensor<54x24xbf16> {tp.name = "up.weight", tp.param} loc("up.weight"("mlp_activations.py":17:0)), %arg2: tensor<54xbf16> {tp.name = "up.bias", tp.param} loc("up.bias"("mlp_activations.py":17:0)), %arg3: tensor<24x54xbf16> {tp.name = "down.weight", tp.param} loc("down.weight"("mlp_activations.py":17:0)), %arg4: tensor<24xbf16> {tp.name = "down.bias", tp.param} loc("down.bias"("mlp_activations.py":17:0))) -> (tensor<2x20x24xbf16> {tp.name = "y"}) {
    %cst = arith.constant 0.000000e+00 : f32 loc(#loc)
    %cst_0 = arith.constant 0.79788456080286541 : f64 loc(#loc3)
    %cst_1 = arith.constant 4.471500e-02 : f64 loc(#loc3)
    %cst_2 = arith.constant 5.000000e-01 : f32 loc(#loc)
    %cst_3 = arith.constant 1.000000e+00 : f32 loc(#loc)
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x20x24xbf16> into tensor<40x24xbf16> loc(#loc2)
    %0 = tensor.empty() : tensor<24x54xbf16> loc(#loc2)
    %transposed = linalg.transpose ins(%arg1 : tensor<54x24xbf16>) outs(%0 : tensor<24x54xbf16>) permutation = [1, 0]  loc(#loc2)
    %1 = tensor.empty() : tensor<54xf32> loc(#loc2)
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg2 : tensor<54xbf16>) outs(%1 : tensor<54xf32>) {
    ^bb0(%in: bf16 loc("up"(#loc1)), %out: f32 loc("up"(#loc1))):
      %39 = arith.extf %in : bf16 to f32 loc(#loc2)
      linalg.yield %39 : f32 loc(#loc2)
    } -> tensor<54xf32> loc(#loc2)
    %3 = tensor.empty() : tensor<40x24xf32> loc(#loc2)
    %4 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%collapsed : tensor<40x24xbf16>) outs(%3 : tensor<40x24xf32>) {
    ^bb0(%in: bf16 loc("up"(#loc1)), %out: f32 loc("up"(#loc1))):
      %39 = arith.extf %in : bf16 to f32 loc(#loc2)
      linalg.yield %39 : f32 loc(#loc2)
    } -> tensor<40x24xf32> loc(#loc2)
    %5 = tensor.empty() : tensor<24x54xf32> loc(#loc2)
    %6 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%transposed : tensor<24x54xbf16>) outs(%5 : tensor<24x54xf32>) {
    ^bb0(%in: bf16 loc("up"(#loc1)), %out: f32 loc("up"(#loc1))):
      %39 = arith.extf %in : bf16 to f32 loc(#loc2)
      linalg.yield %39 : f32 loc(#loc2)
    } -> tensor<24x54xf32> loc(#loc2)
    %7 = tensor.empty() : tensor<40x54xf32> loc(#loc2)
    %8 = linalg.fill ins(%cst : f32) outs(%7 : tensor<40x54xf32>) -> tensor<40x54xf32> loc(#loc2)
    %9 = linalg.matmul ins(%4, %6 : tensor<40x24xf32>, tensor<24x54xf32>) outs(%8 : tensor<40x54xf32>) -> tensor<40x54xf32> loc(#loc2)
    %10 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<54xf32>) outs(%7 : tensor<40x54xf32>) {
    ^bb0(%in: f32 loc("up"(#loc1)), %out: f32 loc("up"(#loc1))):
      linalg.yield %in : f32 loc(#loc2)
    } -> tensor<40x54xf32> loc(#loc2)
    %11 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%9, %10 : tensor<40x54xf32>, tensor<40x54xf32>) outs(%7 : tensor<40x54xf32>) {
    ^bb0(%in: f32 loc("up"(#loc1)), %in_7: f32 loc("up"(#loc1)), %out: f32 loc("up"(#loc1))):
      %39 = arith.addf %in, %in_7 : f32 loc(#loc2)
      linalg.yield %39 : f32 loc(#loc2)
    } -> tensor<40x54xf32> loc(#loc2)
    %12 = tensor.empty() : tensor<40x54xbf16> loc(#loc2)
    %13 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<40x54xf32>) outs(%12 : tensor<40x54xbf16>) {
    ^bb0(%in: f32 loc("up"(#loc1)), %out: bf16 loc("up"(#loc1))):
      %39 = arith.truncf %in : f32 to bf16 loc(#loc2)
      linalg.yield %39 : bf16 loc(#loc2)
    } -> tensor<40x54xbf16> loc(#loc2)
    %expanded = tensor.expand_shape %13 [[0, 1], [2]] output_shape [2, 20, 54] : tensor<40x54xbf16> into tensor<2x20x54xbf16> loc(#loc2)
    %14 = tensor.empty() : tensor<2x20x54xf32> loc(#loc3)
    %15 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded : tensor<2x20x54xbf16>) outs(%14 : tensor<2x20x54xf32>) {
    ^bb0(%in: bf16 loc("up"(#loc1)), %out: f32 loc("activation"(#loc1))):
      %39 = arith.extf %in : bf16 to f32 loc(#loc3)
      linalg.yield %39 : f32 loc(#loc3)
    } -> tensor<2x20x54xf32> loc(#loc3)
    %16 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15, %15 : tensor<2x20x54xf32>, tensor<2x20x54xf32>) outs(%14 : tensor<2x20x54xf32>) {
    ^bb0(%in: f32 loc("activation"(#loc1)), %in_7: f32 loc("activation"(#loc1)), %out: f32 loc("activation"(#loc1))):
      %39 = arith.mulf %in, %in_7 : f32 loc(#loc3)
      linalg.yield %39 : f32 loc(#loc3)
    } -> tensor<2x20x54xf32> loc(#loc3)
    %17 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16, %15 : tensor<2x20x54xf32>, tensor<2x20x54xf32>) outs(%14 : tensor<2x20x54xf32>) {
    ^bb0(%in: f32 loc("activation"(#loc1)), %in_7: f32 loc("activation"(#loc1)), %out: f32 loc("activation"(#loc1))):
      %39 = arith.mulf %in, %in_7 : f32 loc(#loc3)
      linalg.yield %39 : f32 loc(#loc3)
    } -> tensor<2x20x54xf32> loc(#loc3)
    %18 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17 : tensor<2x20x54xf32>) outs(%14 : tensor<2x20x54xf32>) {
    ^bb0(%in: f32 loc("activation"(#loc1)), %out: f32 loc("activation"(#loc1))):
      %39 = arith.truncf %cst_1 : f64 to f32 loc(#loc3)
      %40 = arith.mulf %in, %39 : f32 loc(#loc3)
      linalg.yield %40 : f32 loc(#loc3)
    } -> tensor<2x20x54xf32> loc(#loc3)
    %19 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15, %18 : tensor<2x20x54xf32>, tensor<2x20x54xf32>) outs(%14 : tensor<2x20x54xf32>) {
    ^bb0(%in: f32 loc("activation"(#loc1)), %in_7: f32 loc("activation"(#loc1)), %out: f32 loc("activation"(#loc1))):
      %39 = arith.addf %in, %in_7 : f32 loc(#loc3)
      linalg.yield %39 : f32 loc(#loc3)
    } -> tensor<2x20x54xf32> loc(#loc3)
    %20 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19 : tensor<2x20x54xf32>) outs(%14 : tensor<2x20x54xf32>) {
    ^bb0(%in: f32 loc("activation"(#loc1)), %out: f32 loc("activation"(#loc1))):
      %39 = arith.truncf %cst_0 : f64 to f32 loc(#loc3)
      %40 = arith.mulf %in, %39 : f32 loc(#loc3)
      linalg.yield %40 : f32 loc(#loc3)
    } -> tensor<2x20x54xf32> loc(#loc3)
    %21 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<2x20x54xf32>) outs(%14 : tensor<2x20x54xf32>) {
    ^bb0(%in: f32 loc("activation"(#loc1)), %out: f32 loc("activation"(#loc1))):
      %39 = arith.mulf %in, %cst_2 : f32 loc(#loc3)
      linalg.yield %39 : f32 loc(#loc3)
    } -> tensor<2x20x54xf32> loc(#loc3)
    %22 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20 : tensor<2x20x54xf32>) outs(%14 : tensor<2x20x54xf32>) {
    ^bb0(%in: f32 loc("activation"(#loc1)), %out: f32 loc("activation"(#loc1))):
      %39 = math.tanh %in : f32 loc(#loc3)
      linalg.yield %39 : f32 loc(#loc3)
    } -> tensor<2x20x54xf32> loc(#loc3)
    %23 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22 : tensor<2x20x54xf32>) outs(%14 : tensor<2x20x54xf32>) {
    ^bb0(%in: f32 loc("activation"(#loc1)), %out: f32 loc("activation"(#loc1))):
      %39 = arith.addf %in, %cst_3 : f32 loc(#loc3)
      linalg.yield %39 : f32 loc(#loc3)
    } -> tensor<2x20x54xf32> loc(#loc3)
    %24 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21, %23 : tensor<2x20x54xf32>, tensor<2x20x54xf32>) outs(%14 : tensor<2x20x54xf32>) {
    ^bb0(%in: f32 loc("activation"(#loc1)), %in_7: f32 loc("activation"(#loc1)), %out: f32 loc("activation"(#loc1))):
      %39 = arith.mulf %in, %in_7 : f32 loc(#loc3)
      linalg.yield %39 : f32 loc(#loc3)
    } -> tensor<2x20x54xf32> loc(#loc3)
    %25 = tensor.empty() : tensor<2x20x54xbf16> loc(#loc3)
    %26 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24 : tensor<2x20x54xf32>) outs(%25 : tensor<2x20x54xbf16>) {
    ^bb0(%in: f32 loc("activation"(#loc1)), %out: bf16 loc("activation"(#loc1))):
      %39 = arith.truncf %in : f32 to bf16 loc(#loc3)
      linalg.yield %39 : bf16 loc(#loc3)
    } -> tensor<2x20x54xbf16> loc(#loc3)
    %collapsed_4 = tensor.collapse_shape %26 [[0, 1], [2]] : tensor<2x20x54xbf16> into tensor<40x54xbf16> loc(#loc4)
    %27 = tensor.empty() : tensor<54x24xbf16> loc(#loc4)
    %transposed_5 = linalg.transpose ins(%arg3 : tensor<24x54xbf16>) outs(%27 : tensor<54x24xbf16>) permutation = [1, 0]  loc(#loc4)
    %28 = tensor.empty() : tensor<24xf32> loc(#loc4)
    %29 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg4 : tensor<24xbf16>) outs(%28 : tensor<24xf32>) {
    ^bb0(%in: bf16 loc("down"(#loc1)), %out: f32 loc("down"(#loc1))):
      %39 = arith.extf %in : bf16 to f32 loc(#loc4)
      linalg.yield %39 : f32 loc(#loc4)
    } -> tensor<24xf32> loc(#loc4)
    %30 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%collapsed_4 : tensor<40x54xbf16>) outs(%7 : tensor<40x54xf32>) {
    ^bb0(%in: bf16 loc("down"(#loc1)), %out: f32 loc("down"(#loc1))):
      %39 = arith.extf %in : bf16 to f32 loc(#loc4)
      linalg.yield %39 : f32 loc(#loc4)
    } -> tensor<40x54xf32> loc(#loc4)
    %31 = tensor.empty() : tensor<54x24xf32> loc(#loc4)
    %32 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%transposed_5 : tensor<54x24xbf16>) outs(%31 : tensor<54x24xf32>) {
    ^bb0(%in: bf16 loc("down"(#loc1)), %out: f32 loc("down"(#loc1))):
      %39 = arith.extf %in : bf16 to f32 loc(#loc4)
      linalg.yield %39 : f32 loc(#loc4)
    } -> tensor<54x24xf32> loc(#loc4)
    %33 = linalg.fill ins(%cst : f32) outs(%3 : tensor<40x24xf32>) -> tensor<40x24xf32> loc(#loc4)
    %34 = linalg.matmul ins(%30, %32 : tensor<40x54xf32>, tensor<54x24xf32>) outs(%33 : tensor<40x24xf32>) -> tensor<40x24xf32> loc(#loc4)
    %35 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%29 : tensor<24xf32>) outs(%3 : tensor<40x24xf32>) {
    ^bb0(%in: f32 loc("down"(#loc1)), %out: f32 loc("down"(#loc1))):
      linalg.yield %in : f32 loc(#loc4)
    } -> tensor<40x24xf32> loc(#loc4)
    %36 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%34, %35 : tensor<40x24xf32>, tensor<40x24xf32>) outs(%3 : tensor<40x24xf32>) {
    ^bb0(%in: f32 loc("down"(#loc1)), %in_7: f32 loc("down"(#loc1)), %out: f32 loc("down"(#loc1))):
      %39 = arith.addf %in, %in_7 : f32 loc(#loc4)
      linalg.yield %39 : f32 loc(#loc4)
    } -> tensor<40x24xf32> loc(#loc4)
    %37 = tensor.empty() : tensor<40x24xbf16> loc(#loc4)
    %38 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%36 : tensor<40x24xf32>) outs(%37 : tensor<40x24xbf16>) {
    ^bb0(%in: f32 loc("down"(#loc1)), %out: bf16 loc("down"(#loc1))):
      %39 = arith.truncf %in : f32 to bf16 loc(#loc4)
      linalg.yield %39 : bf16 loc(#loc4)
    } -> tensor<40x24xbf16> loc(#loc4)
    %expanded_6 = tensor.expand_shape %38 [[0, 1], [2]] output_shape [2, 20, 24] : tensor<40x24xbf16> into tensor<2x20x24xbf16> loc(#loc4)
    return %expanded_6 : tensor<2x20x24xbf16> loc(#loc4)
  } loc(#loc2)
} loc(#loc)
#loc = loc(unknown)
