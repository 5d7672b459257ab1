// Made by: tpc-import torch block.py:block_large_bf16 -o block_large_bf16.mlir (torch 2.15.0)
#loc1 = loc("block.py":38:0)
#loc2 = loc("block.py":39:0)
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1) -> (d1)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map7 = affine_map<(d0, d1) -> (0, d1)>
#map8 = affine_map<(d0, d1) -> (d0, 0)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map10 = affine_map<(d0, d1, d2, d3) -> ()>
#map11 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#loc3 = loc("norm1"(#loc1))
#loc4 = loc("q"(#loc1))
#loc5 = loc("k"(#loc1))
#loc6 = loc("v"(#loc1))
#loc7 = loc("o"(#loc1))
#loc8 = loc("norm2"(#loc2))
#loc9 = loc("up"(#loc2))
#loc10 = loc("down"(#loc2))
module {
  func.func @forward(%arg0: tensor<4x2048x2048xbf16> {tp.name = "x"} loc("x"("block.py":38:0)), %arg1: tensor<2048xbf16> {tp.name = "norm1.weight", tp.param} loc("norm1.weight"("block.py":38:0)), %arg2: tensor<2048xbf16> {tp.name = "norm1.bias", tp.param} loc("norm1.bias"("block.py":38:0)), %arg3: tensor<2048x2048xbf16> {tp.name = "q.weight", tp.param} loc("q.weight"("block.py":38:0)), %arg4: tensor<2048xbf16> {tp.name = "q.bias", tp.param} loc("q.bias"("block.py":38:0)), %arg5: tensor<2048x2048xbf16> {tp.name = "k.weight", tp.param} loc("k.weight"("block.py":38:0)), %arg6: tensor<2048x2048xbf16> {tp.name = "v.weight", tp.param} loc("v.weight"("block.py":38:0)), %arg7: tensor<2048xbf16> {tp.name = "v.bias", tp.param} loc("v.bias"("block.py":38:0)), %arg8: tensor<2048x2048xbf16> {tp.name = "o.weight", tp.param} loc("o.weight"("block.py":38:0)), %arg9: tensor<2048xbf16> {tp.name = "o.bias", tp.param} loc("o.bias"("block.py":38:0)), %arg10: tensor<2048xbf16> {tp.name = "norm2.weight", tp.param} loc("norm2.weight"("block.py":39:0)), %arg11: tensor<2048xbf16> {tp.name = "norm2.bias", tp.param} loc("norm2.bias"("block.py":39:0)), %arg12: tensor<8192x2048xbf16> {tp.name = "up.weight", tp.param} loc("up.weight"("block.py":39:0)), %arg13: tensor<8192xbf16> {tp.name = "up.bias", tp.param} loc("up.bias"("block.py":39:0)), %arg14: tensor<2048x8192xbf16> {tp.name = "down.weight", tp.param} loc("down.weight"("block.py":39:0)), %arg15: tensor<2048xbf16> {tp.name = "down.bias", tp.param} loc("down.bias"("block.py":39:0))) -> (tensor<4x2048x2048xbf16> {tp.name = "y"}) {
    %c0_i64 = arith.constant 0 : i64 loc(#loc)
    %cst = arith.constant 0.000000e+00 : f64 loc(#loc)
    %cst_0 = arith.constant 0.000000e+00 : f32 loc(#loc)
    %cst_1 = arith.constant 0xFF800000 : f32 loc(#loc1)
    %cst_2 = arith.constant 1.000000e+00 : bf16 loc(#loc)
    %cst_3 = arith.constant 2.000000e+00 : bf16 loc(#loc)
    %cst_4 = arith.constant 5.000000e-01 : bf16 loc(#loc)
    %cst_5 = arith.constant dense<-9.982440e+08> : tensor<bf16> loc(#loc1)
    %cst_6 = arith.constant 0.088388347648318447 : f64 loc(#loc1)
    %cst_7 = arith.constant 1.000000e-05 : f64 loc(#loc3)
    %cst_8 = arith.constant 2.048000e+03 : f64 loc(#loc)
    %cst_9 = arith.constant 2.048000e+03 : f32 loc(#loc)
    %0 = tensor.empty() : tensor<4x2048x2048xf32> loc(#loc3)
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<4x2048x2048xbf16>) outs(%0 : tensor<4x2048x2048xf32>) {
    ^bb0(%in: bf16 loc("norm1"(#loc1)), %out: f32 loc("norm1"(#loc1))):
      %129 = arith.extf %in : bf16 to f32 loc(#loc3)
      linalg.yield %129 : f32 loc(#loc3)
    } -> tensor<4x2048x2048xf32> loc(#loc3)
    %2 = tensor.empty() : tensor<4x2048x2048xf64> loc(#loc3)
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<4x2048x2048xf32>) outs(%2 : tensor<4x2048x2048xf64>) {
    ^bb0(%in: f32 loc("norm1"(#loc1)), %out: f64 loc("norm1"(#loc1))):
      %129 = arith.extf %in : f32 to f64 loc(#loc3)
      linalg.yield %129 : f64 loc(#loc3)
    } -> tensor<4x2048x2048xf64> loc(#loc3)
    %4 = tensor.empty() : tensor<4x2048x1xf64> loc(#loc3)
    %5 = linalg.fill ins(%cst : f64) outs(%4 : tensor<4x2048x1xf64>) -> tensor<4x2048x1xf64> loc(#loc3)
    %6 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%3 : tensor<4x2048x2048xf64>) outs(%5 : tensor<4x2048x1xf64>) {
    ^bb0(%in: f64 loc("norm1"(#loc1)), %out: f64 loc("norm1"(#loc1))):
      %129 = arith.addf %in, %out : f64 loc(#loc3)
      linalg.yield %129 : f64 loc(#loc3)
    } -> tensor<4x2048x1xf64> loc(#loc3)
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<4x2048x1xf64>) outs(%4 : tensor<4x2048x1xf64>) {
    ^bb0(%in: f64 loc("norm1"(#loc1)), %out: f64 loc("norm1"(#loc1))):
      %129 = arith.divf %in, %cst_8 : f64 loc(#loc3)
      linalg.yield %129 : f64 loc(#loc3)
    } -> tensor<4x2048x1xf64> loc(#loc3)
    %8 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3, %7 : tensor<4x2048x2048xf64>, tensor<4x2048x1xf64>) outs(%2 : tensor<4x2048x2048xf64>) {
    ^bb0(%in: f64 loc("norm1"(#loc1)), %in_36: f64 loc("norm1"(#loc1)), %out: f64 loc("norm1"(#loc1))):
      %129 = arith.subf %in, %in_36 : f64 loc(#loc3)
      linalg.yield %129 : f64 loc(#loc3)
    } -> tensor<4x2048x2048xf64> loc(#loc3)
    %9 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %8 : tensor<4x2048x2048xf64>, tensor<4x2048x2048xf64>) outs(%2 : tensor<4x2048x2048xf64>) {
    ^bb0(%in: f64 loc("norm1"(#loc1)), %in_36: f64 loc("norm1"(#loc1)), %out: f64 loc("norm1"(#loc1))):
      %129 = arith.mulf %in, %in_36 : f64 loc(#loc3)
      linalg.yield %129 : f64 loc(#loc3)
    } -> tensor<4x2048x2048xf64> loc(#loc3)
    %10 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%9 : tensor<4x2048x2048xf64>) outs(%5 : tensor<4x2048x1xf64>) {
    ^bb0(%in: f64 loc("norm1"(#loc1)), %out: f64 loc("norm1"(#loc1))):
      %129 = arith.addf %in, %out : f64 loc(#loc3)
      linalg.yield %129 : f64 loc(#loc3)
    } -> tensor<4x2048x1xf64> loc(#loc3)
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10 : tensor<4x2048x1xf64>) outs(%4 : tensor<4x2048x1xf64>) {
    ^bb0(%in: f64 loc("norm1"(#loc1)), %out: f64 loc("norm1"(#loc1))):
      %129 = arith.divf %in, %cst_8 : f64 loc(#loc3)
      linalg.yield %129 : f64 loc(#loc3)
    } -> tensor<4x2048x1xf64> loc(#loc3)
    %12 = tensor.empty() : tensor<4x2048x1xf32> loc(#loc3)
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<4x2048x1xf64>) outs(%12 : tensor<4x2048x1xf32>) {
    ^bb0(%in: f64 loc("norm1"(#loc1)), %out: f32 loc("norm1"(#loc1))):
      %129 = arith.truncf %in : f64 to f32 loc(#loc3)
      linalg.yield %129 : f32 loc(#loc3)
    } -> tensor<4x2048x1xf32> loc(#loc3)
    %14 = linalg.fill ins(%cst_0 : f32) outs(%12 : tensor<4x2048x1xf32>) -> tensor<4x2048x1xf32> loc(#loc3)
    %15 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1 : tensor<4x2048x2048xf32>) outs(%14 : tensor<4x2048x1xf32>) {
    ^bb0(%in: f32 loc("norm1"(#loc1)), %out: f32 loc("norm1"(#loc1))):
      %129 = arith.addf %in, %out : f32 loc(#loc3)
      linalg.yield %129 : f32 loc(#loc3)
    } -> tensor<4x2048x1xf32> loc(#loc3)
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<4x2048x1xf32>) outs(%12 : tensor<4x2048x1xf32>) {
    ^bb0(%in: f32 loc("norm1"(#loc1)), %out: f32 loc("norm1"(#loc1))):
      %129 = arith.divf %in, %cst_9 : f32 loc(#loc3)
      linalg.yield %129 : f32 loc(#loc3)
    } -> tensor<4x2048x1xf32> loc(#loc3)
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<4x2048x1xf32>) outs(%12 : tensor<4x2048x1xf32>) {
    ^bb0(%in: f32 loc("norm1"(#loc1)), %out: f32 loc("norm1"(#loc1))):
      %129 = arith.truncf %cst_7 : f64 to f32 loc(#loc3)
      %130 = arith.addf %in, %129 : f32 loc(#loc3)
      linalg.yield %130 : f32 loc(#loc3)
    } -> tensor<4x2048x1xf32> loc(#loc3)
    %18 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17 : tensor<4x2048x1xf32>) outs(%12 : tensor<4x2048x1xf32>) {
    ^bb0(%in: f32 loc("norm1"(#loc1)), %out: f32 loc("norm1"(#loc1))):
      %129 = math.rsqrt %in : f32 loc(#loc3)
      linalg.yield %129 : f32 loc(#loc3)
    } -> tensor<4x2048x1xf32> loc(#loc3)
    %19 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %16 : tensor<4x2048x2048xf32>, tensor<4x2048x1xf32>) outs(%0 : tensor<4x2048x2048xf32>) {
    ^bb0(%in: f32 loc("norm1"(#loc1)), %in_36: f32 loc("norm1"(#loc1)), %out: f32 loc("norm1"(#loc1))):
      %129 = arith.subf %in, %in_36 : f32 loc(#loc3)
      linalg.yield %129 : f32 loc(#loc3)
    } -> tensor<4x2048x2048xf32> loc(#loc3)
    %20 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19, %18 : tensor<4x2048x2048xf32>, tensor<4x2048x1xf32>) outs(%0 : tensor<4x2048x2048xf32>) {
    ^bb0(%in: f32 loc("norm1"(#loc1)), %in_36: f32 loc("norm1"(#loc1)), %out: f32 loc("norm1"(#loc1))):
      %129 = arith.mulf %in, %in_36 : f32 loc(#loc3)
      linalg.yield %129 : f32 loc(#loc3)
    } -> tensor<4x2048x2048xf32> loc(#loc3)
    %21 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %arg1 : tensor<4x2048x2048xf32>, tensor<2048xbf16>) outs(%0 : tensor<4x2048x2048xf32>) {
    ^bb0(%in: f32 loc("norm1"(#loc1)), %in_36: bf16 loc("norm1"(#loc1)), %out: f32 loc("norm1"(#loc1))):
      %129 = arith.extf %in_36 : bf16 to f32 loc(#loc3)
      %130 = arith.mulf %in, %129 : f32 loc(#loc3)
      linalg.yield %130 : f32 loc(#loc3)
    } -> tensor<4x2048x2048xf32> loc(#loc3)
    %22 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21, %arg2 : tensor<4x2048x2048xf32>, tensor<2048xbf16>) outs(%0 : tensor<4x2048x2048xf32>) {
    ^bb0(%in: f32 loc("norm1"(#loc1)), %in_36: bf16 loc("norm1"(#loc1)), %out: f32 loc("norm1"(#loc1))):
      %129 = arith.extf %in_36 : bf16 to f32 loc(#loc3)
      %130 = arith.addf %in, %129 : f32 loc(#loc3)
      linalg.yield %130 : f32 loc(#loc3)
    } -> tensor<4x2048x2048xf32> loc(#loc3)
    %23 = tensor.empty() : tensor<4x2048x2048xbf16> loc(#loc3)
    %24 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22 : tensor<4x2048x2048xf32>) outs(%23 : tensor<4x2048x2048xbf16>) {
    ^bb0(%in: f32 loc("norm1"(#loc1)), %out: bf16 loc("norm1"(#loc1))):
      %129 = arith.truncf %in : f32 to bf16 loc(#loc3)
      linalg.yield %129 : bf16 loc(#loc3)
    } -> tensor<4x2048x2048xbf16> loc(#loc3)
    %collapsed = tensor.collapse_shape %24 [[0, 1], [2]] : tensor<4x2048x2048xbf16> into tensor<8192x2048xbf16> loc(#loc4)
    %25 = tensor.empty() : tensor<2048x2048xbf16> loc(#loc4)
    %transposed = linalg.transpose ins(%arg3 : tensor<2048x2048xbf16>) outs(%25 : tensor<2048x2048xbf16>) permutation = [1, 0]  loc(#loc4)
    %26 = tensor.empty() : tensor<2048xf32> loc(#loc4)
    %27 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg4 : tensor<2048xbf16>) outs(%26 : tensor<2048xf32>) {
    ^bb0(%in: bf16 loc("q"(#loc1)), %out: f32 loc("q"(#loc1))):
      %129 = arith.extf %in : bf16 to f32 loc(#loc4)
      linalg.yield %129 : f32 loc(#loc4)
    } -> tensor<2048xf32> loc(#loc4)
    %28 = tensor.empty() : tensor<8192x2048xf32> loc(#loc4)
    %29 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%collapsed : tensor<8192x2048xbf16>) outs(%28 : tensor<8192x2048xf32>) {
    ^bb0(%in: bf16 loc("q"(#loc1)), %out: f32 loc("q"(#loc1))):
      %129 = arith.extf %in : bf16 to f32 loc(#loc4)
      linalg.yield %129 : f32 loc(#loc4)
    } -> tensor<8192x2048xf32> loc(#loc4)
    %30 = tensor.empty() : tensor<2048x2048xf32> loc(#loc4)
    %31 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%transposed : tensor<2048x2048xbf16>) outs(%30 : tensor<2048x2048xf32>) {
    ^bb0(%in: bf16 loc("q"(#loc1)), %out: f32 loc("q"(#loc1))):
      %129 = arith.extf %in : bf16 to f32 loc(#loc4)
      linalg.yield %129 : f32 loc(#loc4)
    } -> tensor<2048x2048xf32> loc(#loc4)
    %32 = linalg.fill ins(%cst_0 : f32) outs(%28 : tensor<8192x2048xf32>) -> tensor<8192x2048xf32> loc(#loc4)
    %33 = linalg.matmul ins(%29, %31 : tensor<8192x2048xf32>, tensor<2048x2048xf32>) outs(%32 : tensor<8192x2048xf32>) -> tensor<8192x2048xf32> loc(#loc4)
    %34 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel"]} ins(%27 : tensor<2048xf32>) outs(%28 : tensor<8192x2048xf32>) {
    ^bb0(%in: f32 loc("q"(#loc1)), %out: f32 loc("q"(#loc1))):
      linalg.yield %in : f32 loc(#loc4)
    } -> tensor<8192x2048xf32> loc(#loc4)
    %35 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%33, %34 : tensor<8192x2048xf32>, tensor<8192x2048xf32>) outs(%28 : tensor<8192x2048xf32>) {
    ^bb0(%in: f32 loc("q"(#loc1)), %in_36: f32 loc("q"(#loc1)), %out: f32 loc("q"(#loc1))):
      %129 = arith.addf %in, %in_36 : f32 loc(#loc4)
      linalg.yield %129 : f32 loc(#loc4)
    } -> tensor<8192x2048xf32> loc(#loc4)
    %36 = tensor.empty() : tensor<8192x2048xbf16> loc(#loc4)
    %37 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%35 : tensor<8192x2048xf32>) outs(%36 : tensor<8192x2048xbf16>) {
    ^bb0(%in: f32 loc("q"(#loc1)), %out: bf16 loc("q"(#loc1))):
      %129 = arith.truncf %in : f32 to bf16 loc(#loc4)
      linalg.yield %129 : bf16 loc(#loc4)
    } -> tensor<8192x2048xbf16> loc(#loc4)
    %expanded = tensor.expand_shape %37 [[0, 1], [2, 3]] output_shape [4, 2048, 16, 128] : tensor<8192x2048xbf16> into tensor<4x2048x16x128xbf16> loc(#loc1)
    %38 = tensor.empty() : tensor<4x16x2048x128xbf16> loc(#loc1)
    %transposed_10 = linalg.transpose ins(%expanded : tensor<4x2048x16x128xbf16>) outs(%38 : tensor<4x16x2048x128xbf16>) permutation = [0, 2, 1, 3]  loc(#loc1)
    %transposed_11 = linalg.transpose ins(%arg5 : tensor<2048x2048xbf16>) outs(%25 : tensor<2048x2048xbf16>) permutation = [1, 0]  loc(#loc5)
    %39 = linalg.matmul ins(%collapsed, %transposed_11 : tensor<8192x2048xbf16>, tensor<2048x2048xbf16>) outs(%32 : tensor<8192x2048xf32>) -> tensor<8192x2048xf32> loc(#loc5)
    %40 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%39 : tensor<8192x2048xf32>) outs(%36 : tensor<8192x2048xbf16>) {
    ^bb0(%in: f32 loc("k"(#loc1)), %out: bf16 loc("k"(#loc1))):
      %129 = arith.truncf %in : f32 to bf16 loc(#loc5)
      linalg.yield %129 : bf16 loc(#loc5)
    } -> tensor<8192x2048xbf16> loc(#loc5)
    %expanded_12 = tensor.expand_shape %40 [[0, 1], [2, 3]] output_shape [4, 2048, 16, 128] : tensor<8192x2048xbf16> into tensor<4x2048x16x128xbf16> loc(#loc1)
    %transposed_13 = linalg.transpose ins(%arg6 : tensor<2048x2048xbf16>) outs(%25 : tensor<2048x2048xbf16>) permutation = [1, 0]  loc(#loc6)
    %41 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg7 : tensor<2048xbf16>) outs(%26 : tensor<2048xf32>) {
    ^bb0(%in: bf16 loc("v"(#loc1)), %out: f32 loc("v"(#loc1))):
      %129 = arith.extf %in : bf16 to f32 loc(#loc6)
      linalg.yield %129 : f32 loc(#loc6)
    } -> tensor<2048xf32> loc(#loc6)
    %42 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%transposed_13 : tensor<2048x2048xbf16>) outs(%30 : tensor<2048x2048xf32>) {
    ^bb0(%in: bf16 loc("v"(#loc1)), %out: f32 loc("v"(#loc1))):
      %129 = arith.extf %in : bf16 to f32 loc(#loc6)
      linalg.yield %129 : f32 loc(#loc6)
    } -> tensor<2048x2048xf32> loc(#loc6)
    %43 = linalg.matmul ins(%29, %42 : tensor<8192x2048xf32>, tensor<2048x2048xf32>) outs(%32 : tensor<8192x2048xf32>) -> tensor<8192x2048xf32> loc(#loc6)
    %44 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel"]} ins(%41 : tensor<2048xf32>) outs(%28 : tensor<8192x2048xf32>) {
    ^bb0(%in: f32 loc("v"(#loc1)), %out: f32 loc("v"(#loc1))):
      linalg.yield %in : f32 loc(#loc6)
    } -> tensor<8192x2048xf32> loc(#loc6)
    %45 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%43, %44 : tensor<8192x2048xf32>, tensor<8192x2048xf32>) outs(%28 : tensor<8192x2048xf32>) {
    ^bb0(%in: f32 loc("v"(#loc1)), %in_36: f32 loc("v"(#loc1)), %out: f32 loc("v"(#loc1))):
      %129 = arith.addf %in, %in_36 : f32 loc(#loc6)
      linalg.yield %129 : f32 loc(#loc6)
    } -> tensor<8192x2048xf32> loc(#loc6)
    %46 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%45 : tensor<8192x2048xf32>) outs(%36 : tensor<8192x2048xbf16>) {
    ^bb0(%in: f32 loc("v"(#loc1)), %out: bf16 loc("v"(#loc1))):
      %129 = arith.truncf %in : f32 to bf16 loc(#loc6)
      linalg.yield %129 : bf16 loc(#loc6)
    } -> tensor<8192x2048xbf16> loc(#loc6)
    %expanded_14 = tensor.expand_shape %46 [[0, 1], [2, 3]] output_shape [4, 2048, 16, 128] : tensor<8192x2048xbf16> into tensor<4x2048x16x128xbf16> loc(#loc1)
    %transposed_15 = linalg.transpose ins(%expanded_14 : tensor<4x2048x16x128xbf16>) outs(%38 : tensor<4x16x2048x128xbf16>) permutation = [0, 2, 1, 3]  loc(#loc1)
    %47 = tensor.empty() : tensor<4x16x128x2048xbf16> loc(#loc1)
    %transposed_16 = linalg.transpose ins(%expanded_12 : tensor<4x2048x16x128xbf16>) outs(%47 : tensor<4x16x128x2048xbf16>) permutation = [0, 2, 3, 1]  loc(#loc1)
    %collapsed_17 = tensor.collapse_shape %transposed_10 [[0, 1], [2], [3]] : tensor<4x16x2048x128xbf16> into tensor<64x2048x128xbf16> loc(#loc1)
    %collapsed_18 = tensor.collapse_shape %transposed_16 [[0, 1], [2], [3]] : tensor<4x16x128x2048xbf16> into tensor<64x128x2048xbf16> loc(#loc1)
    %48 = tensor.empty() : tensor<64x2048x2048xf32> loc(#loc1)
    %49 = linalg.fill ins(%cst_0 : f32) outs(%48 : tensor<64x2048x2048xf32>) -> tensor<64x2048x2048xf32> loc(#loc1)
    %50 = linalg.batch_matmul ins(%collapsed_17, %collapsed_18 : tensor<64x2048x128xbf16>, tensor<64x128x2048xbf16>) outs(%49 : tensor<64x2048x2048xf32>) -> tensor<64x2048x2048xf32> loc(#loc1)
    %51 = tensor.empty() : tensor<64x2048x2048xbf16> loc(#loc1)
    %52 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%50 : tensor<64x2048x2048xf32>) outs(%51 : tensor<64x2048x2048xbf16>) {
    ^bb0(%in: f32 loc("block.py":38:0), %out: bf16 loc("block.py":38:0)):
      %129 = arith.truncf %in : f32 to bf16 loc(#loc1)
      linalg.yield %129 : bf16 loc(#loc1)
    } -> tensor<64x2048x2048xbf16> loc(#loc1)
    %expanded_19 = tensor.expand_shape %52 [[0, 1], [2], [3]] output_shape [4, 16, 2048, 2048] : tensor<64x2048x2048xbf16> into tensor<4x16x2048x2048xbf16> loc(#loc1)
    %53 = tensor.empty() : tensor<4x16x2048x2048xbf16> loc(#loc1)
    %54 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_19 : tensor<4x16x2048x2048xbf16>) outs(%53 : tensor<4x16x2048x2048xbf16>) {
    ^bb0(%in: bf16 loc("block.py":38:0), %out: bf16 loc("block.py":38:0)):
      %129 = arith.truncf %cst_6 : f64 to bf16 loc(#loc1)
      %130 = arith.mulf %in, %129 : bf16 loc(#loc1)
      linalg.yield %130 : bf16 loc(#loc1)
    } -> tensor<4x16x2048x2048xbf16> loc(#loc1)
    %55 = tensor.empty() : tensor<2048xi64> loc(#loc1)
    %56 = linalg.generic {indexing_maps = [#map3], iterator_types = ["parallel"]} outs(%55 : tensor<2048xi64>) {
    ^bb0(%out: i64 loc("block.py":38:0)):
      %129 = linalg.index 0 : index loc(#loc1)
      %130 = arith.index_cast %129 : index to i64 loc(#loc1)
      linalg.yield %130 : i64 loc(#loc1)
    } -> tensor<2048xi64> loc(#loc1)
    %expanded_20 = tensor.expand_shape %56 [[0, 1]] output_shape [2048, 1] : tensor<2048xi64> into tensor<2048x1xi64> loc(#loc1)
    %expanded_21 = tensor.expand_shape %56 [[0, 1]] output_shape [1, 2048] : tensor<2048xi64> into tensor<1x2048xi64> loc(#loc1)
    %57 = tensor.empty() : tensor<2048x2048xi1> loc(#loc1)
    %58 = linalg.generic {indexing_maps = [#map7, #map8, #map4], iterator_types = ["parallel", "parallel"]} ins(%expanded_21, %expanded_20 : tensor<1x2048xi64>, tensor<2048x1xi64>) outs(%57 : tensor<2048x2048xi1>) {
    ^bb0(%in: i64 loc("block.py":38:0), %in_36: i64 loc("block.py":38:0), %out: i1 loc("block.py":38:0)):
      %129 = arith.cmpi sle, %in, %in_36 : i64 loc(#loc1)
      linalg.yield %129 : i1 loc(#loc1)
    } -> tensor<2048x2048xi1> loc(#loc1)
    %59 = linalg.generic {indexing_maps = [#map9, #map6, #map10, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%58, %54, %cst_5 : tensor<2048x2048xi1>, tensor<4x16x2048x2048xbf16>, tensor<bf16>) outs(%53 : tensor<4x16x2048x2048xbf16>) {
    ^bb0(%in: i1 loc("block.py":38:0), %in_36: bf16 loc("block.py":38:0), %in_37: bf16 loc("block.py":38:0), %out: bf16 loc("block.py":38:0)):
      %129 = arith.select %in, %in_36, %in_37 : bf16 loc(#loc1)
      linalg.yield %129 : bf16 loc(#loc1)
    } -> tensor<4x16x2048x2048xbf16> loc(#loc1)
    %60 = tensor.empty() : tensor<4x16x2048x2048xf32> loc(#loc1)
    %61 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%59 : tensor<4x16x2048x2048xbf16>) outs(%60 : tensor<4x16x2048x2048xf32>) {
    ^bb0(%in: bf16 loc("block.py":38:0), %out: f32 loc("block.py":38:0)):
      %129 = arith.extf %in : bf16 to f32 loc(#loc1)
      linalg.yield %129 : f32 loc(#loc1)
    } -> tensor<4x16x2048x2048xf32> loc(#loc1)
    %62 = tensor.empty() : tensor<4x16x2048xi64> loc(#loc1)
    %63 = linalg.fill ins(%c0_i64 : i64) outs(%62 : tensor<4x16x2048xi64>) -> tensor<4x16x2048xi64> loc(#loc1)
    %64 = tensor.empty() : tensor<4x16x2048xf32> loc(#loc1)
    %65 = linalg.fill ins(%cst_1 : f32) outs(%64 : tensor<4x16x2048xf32>) -> tensor<4x16x2048xf32> loc(#loc1)
    %66:2 = linalg.generic {indexing_maps = [#map6, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%61 : tensor<4x16x2048x2048xf32>) outs(%65, %63 : tensor<4x16x2048xf32>, tensor<4x16x2048xi64>) {
    ^bb0(%in: f32 loc("block.py":38:0), %out: f32 loc("block.py":38:0), %out_36: i64 loc("block.py":38:0)):
      %129 = linalg.index 3 : index loc(#loc1)
      %130 = arith.index_cast %129 : index to i64 loc(#loc1)
      %131 = arith.maximumf %in, %out : f32 loc(#loc1)
      %132 = arith.cmpf ogt, %in, %out : f32 loc(#loc1)
      %133 = arith.select %132, %130, %out_36 : i64 loc(#loc1)
      linalg.yield %131, %133 : f32, i64 loc(#loc1)
    } -> (tensor<4x16x2048xf32>, tensor<4x16x2048xi64>) loc(#loc1)
    %expanded_22 = tensor.expand_shape %66#0 [[0], [1], [2, 3]] output_shape [4, 16, 2048, 1] : tensor<4x16x2048xf32> into tensor<4x16x2048x1xf32> loc(#loc1)
    %67 = linalg.generic {indexing_maps = [#map6, #map12, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%61, %expanded_22 : tensor<4x16x2048x2048xf32>, tensor<4x16x2048x1xf32>) outs(%60 : tensor<4x16x2048x2048xf32>) {
    ^bb0(%in: f32 loc("block.py":38:0), %in_36: f32 loc("block.py":38:0), %out: f32 loc("block.py":38:0)):
      %129 = arith.subf %in, %in_36 : f32 loc(#loc1)
      linalg.yield %129 : f32 loc(#loc1)
    } -> tensor<4x16x2048x2048xf32> loc(#loc1)
    %68 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%67 : tensor<4x16x2048x2048xf32>) outs(%60 : tensor<4x16x2048x2048xf32>) {
    ^bb0(%in: f32 loc("block.py":38:0), %out: f32 loc("block.py":38:0)):
      %129 = math.exp %in : f32 loc(#loc1)
      linalg.yield %129 : f32 loc(#loc1)
    } -> tensor<4x16x2048x2048xf32> loc(#loc1)
    %69 = tensor.empty() : tensor<4x16x2048x1xf32> loc(#loc1)
    %70 = linalg.fill ins(%cst_0 : f32) outs(%69 : tensor<4x16x2048x1xf32>) -> tensor<4x16x2048x1xf32> loc(#loc1)
    %71 = linalg.generic {indexing_maps = [#map6, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%68 : tensor<4x16x2048x2048xf32>) outs(%70 : tensor<4x16x2048x1xf32>) {
    ^bb0(%in: f32 loc("block.py":38:0), %out: f32 loc("block.py":38:0)):
      %129 = arith.addf %in, %out : f32 loc(#loc1)
      linalg.yield %129 : f32 loc(#loc1)
    } -> tensor<4x16x2048x1xf32> loc(#loc1)
    %72 = linalg.generic {indexing_maps = [#map6, #map12, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%68, %71 : tensor<4x16x2048x2048xf32>, tensor<4x16x2048x1xf32>) outs(%60 : tensor<4x16x2048x2048xf32>) {
    ^bb0(%in: f32 loc("block.py":38:0), %in_36: f32 loc("block.py":38:0), %out: f32 loc("block.py":38:0)):
      %129 = arith.divf %in, %in_36 : f32 loc(#loc1)
      linalg.yield %129 : f32 loc(#loc1)
    } -> tensor<4x16x2048x2048xf32> loc(#loc1)
    %73 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%72 : tensor<4x16x2048x2048xf32>) outs(%53 : tensor<4x16x2048x2048xbf16>) {
    ^bb0(%in: f32 loc("block.py":38:0), %out: bf16 loc("block.py":38:0)):
      %129 = arith.truncf %in : f32 to bf16 loc(#loc1)
      linalg.yield %129 : bf16 loc(#loc1)
    } -> tensor<4x16x2048x2048xbf16> loc(#loc1)
    %collapsed_23 = tensor.collapse_shape %73 [[0, 1], [2], [3]] : tensor<4x16x2048x2048xbf16> into tensor<64x2048x2048xbf16> loc(#loc1)
    %collapsed_24 = tensor.collapse_shape %transposed_15 [[0, 1], [2], [3]] : tensor<4x16x2048x128xbf16> into tensor<64x2048x128xbf16> loc(#loc1)
    %74 = tensor.empty() : tensor<64x2048x128xf32> loc(#loc1)
    %75 = linalg.fill ins(%cst_0 : f32) outs(%74 : tensor<64x2048x128xf32>) -> tensor<64x2048x128xf32> loc(#loc1)
    %76 = linalg.batch_matmul ins(%collapsed_23, %collapsed_24 : tensor<64x2048x2048xbf16>, tensor<64x2048x128xbf16>) outs(%75 : tensor<64x2048x128xf32>) -> tensor<64x2048x128xf32> loc(#loc1)
    %77 = tensor.empty() : tensor<64x2048x128xbf16> loc(#loc1)
    %78 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%76 : tensor<64x2048x128xf32>) outs(%77 : tensor<64x2048x128xbf16>) {
    ^bb0(%in: f32 loc("block.py":38:0), %out: bf16 loc("block.py":38:0)):
      %129 = arith.truncf %in : f32 to bf16 loc(#loc1)
      linalg.yield %129 : bf16 loc(#loc1)
    } -> tensor<64x2048x128xbf16> loc(#loc1)
    %expanded_25 = tensor.expand_shape %78 [[0, 1], [2], [3]] output_shape [4, 16, 2048, 128] : tensor<64x2048x128xbf16> into tensor<4x16x2048x128xbf16> loc(#loc1)
    %79 = tensor.empty() : tensor<4x2048x16x128xbf16> loc(#loc1)
    %transposed_26 = linalg.transpose ins(%expanded_25 : tensor<4x16x2048x128xbf16>) outs(%79 : tensor<4x2048x16x128xbf16>) permutation = [0, 2, 1, 3]  loc(#loc1)
    %collapsed_27 = tensor.collapse_shape %transposed_26 [[0, 1], [2, 3]] : tensor<4x2048x16x128xbf16> into tensor<8192x2048xbf16> loc(#loc7)
    %transposed_28 = linalg.transpose ins(%arg8 : tensor<2048x2048xbf16>) outs(%25 : tensor<2048x2048xbf16>) permutation = [1, 0]  loc(#loc7)
    %80 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg9 : tensor<2048xbf16>) outs(%26 : tensor<2048xf32>) {
    ^bb0(%in: bf16 loc("o"(#loc1)), %out: f32 loc("o"(#loc1))):
      %129 = arith.extf %in : bf16 to f32 loc(#loc7)
      linalg.yield %129 : f32 loc(#loc7)
    } -> tensor<2048xf32> loc(#loc7)
    %81 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%collapsed_27 : tensor<8192x2048xbf16>) outs(%28 : tensor<8192x2048xf32>) {
    ^bb0(%in: bf16 loc("o"(#loc1)), %out: f32 loc("o"(#loc1))):
      %129 = arith.extf %in : bf16 to f32 loc(#loc7)
      linalg.yield %129 : f32 loc(#loc7)
    } -> tensor<8192x2048xf32> loc(#loc7)
    %82 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%transposed_28 : tensor<2048x2048xbf16>) outs(%30 : tensor<2048x2048xf32>) {
    ^bb0(%in: bf16 loc("o"(#loc1)), %out: f32 loc("o"(#loc1))):
      %129 = arith.extf %in : bf16 to f32 loc(#loc7)
      linalg.yield %129 : f32 loc(#loc7)
    } -> tensor<2048x2048xf32> loc(#loc7)
    %83 = linalg.matmul ins(%81, %82 : tensor<8192x2048xf32>, tensor<2048x2048xf32>) outs(%32 : tensor<8192x2048xf32>) -> tensor<8192x2048xf32> loc(#loc7)
    %84 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel"]} ins(%80 : tensor<2048xf32>) outs(%28 : tensor<8192x2048xf32>) {
    ^bb0(%in: f32 loc("o"(#loc1)), %out: f32 loc("o"(#loc1))):
      linalg.yield %in : f32 loc(#loc7)
    } -> tensor<8192x2048xf32> loc(#loc7)
    %85 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%83, %84 : tensor<8192x2048xf32>, tensor<8192x2048xf32>) outs(%28 : tensor<8192x2048xf32>) {
    ^bb0(%in: f32 loc("o"(#loc1)), %in_36: f32 loc("o"(#loc1)), %out: f32 loc("o"(#loc1))):
      %129 = arith.addf %in, %in_36 : f32 loc(#loc7)
      linalg.yield %129 : f32 loc(#loc7)
    } -> tensor<8192x2048xf32> loc(#loc7)
    %86 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%85 : tensor<8192x2048xf32>) outs(%36 : tensor<8192x2048xbf16>) {
    ^bb0(%in: f32 loc("o"(#loc1)), %out: bf16 loc("o"(#loc1))):
      %129 = arith.truncf %in : f32 to bf16 loc(#loc7)
      linalg.yield %129 : bf16 loc(#loc7)
    } -> tensor<8192x2048xbf16> loc(#loc7)
    %expanded_29 = tensor.expand_shape %86 [[0, 1], [2]] output_shape [4, 2048, 2048] : tensor<8192x2048xbf16> into tensor<4x2048x2048xbf16> loc(#loc7)
    %87 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_29 : tensor<4x2048x2048xbf16>, tensor<4x2048x2048xbf16>) outs(%23 : tensor<4x2048x2048xbf16>) {
    ^bb0(%in: bf16 loc("norm1"(#loc1)), %in_36: bf16 loc("o"(#loc1)), %out: bf16 loc("block.py":38:0)):
      %129 = arith.addf %in, %in_36 : bf16 loc(#loc1)
      linalg.yield %129 : bf16 loc(#loc1)
    } -> tensor<4x2048x2048xbf16> loc(#loc1)
    %88 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87 : tensor<4x2048x2048xbf16>) outs(%0 : tensor<4x2048x2048xf32>) {
    ^bb0(%in: bf16 loc("block.py":38:0), %out: f32 loc("norm2"(#loc2))):
      %129 = arith.extf %in : bf16 to f32 loc(#loc8)
      linalg.yield %129 : f32 loc(#loc8)
    } -> tensor<4x2048x2048xf32> loc(#loc8)
    %89 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%88 : tensor<4x2048x2048xf32>) outs(%2 : tensor<4x2048x2048xf64>) {
    ^bb0(%in: f32 loc("norm2"(#loc2)), %out: f64 loc("norm2"(#loc2))):
      %129 = arith.extf %in : f32 to f64 loc(#loc8)
      linalg.yield %129 : f64 loc(#loc8)
    } -> tensor<4x2048x2048xf64> loc(#loc8)
    %90 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%89 : tensor<4x2048x2048xf64>) outs(%5 : tensor<4x2048x1xf64>) {
    ^bb0(%in: f64 loc("norm2"(#loc2)), %out: f64 loc("norm2"(#loc2))):
      %129 = arith.addf %in, %out : f64 loc(#loc8)
      linalg.yield %129 : f64 loc(#loc8)
    } -> tensor<4x2048x1xf64> loc(#loc8)
    %91 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%90 : tensor<4x2048x1xf64>) outs(%4 : tensor<4x2048x1xf64>) {
    ^bb0(%in: f64 loc("norm2"(#loc2)), %out: f64 loc("norm2"(#loc2))):
      %129 = arith.divf %in, %cst_8 : f64 loc(#loc8)
      linalg.yield %129 : f64 loc(#loc8)
    } -> tensor<4x2048x1xf64> loc(#loc8)
    %92 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%89, %91 : tensor<4x2048x2048xf64>, tensor<4x2048x1xf64>) outs(%2 : tensor<4x2048x2048xf64>) {
    ^bb0(%in: f64 loc("norm2"(#loc2)), %in_36: f64 loc("norm2"(#loc2)), %out: f64 loc("norm2"(#loc2))):
      %129 = arith.subf %in, %in_36 : f64 loc(#loc8)
      linalg.yield %129 : f64 loc(#loc8)
    } -> tensor<4x2048x2048xf64> loc(#loc8)
    %93 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%92, %92 : tensor<4x2048x2048xf64>, tensor<4x2048x2048xf64>) outs(%2 : tensor<4x2048x2048xf64>) {
    ^bb0(%in: f64 loc("norm2"(#loc2)), %in_36: f64 loc("norm2"(#loc2)), %out: f64 loc("norm2"(#loc2))):
      %129 = arith.mulf %in, %in_36 : f64 loc(#loc8)
      linalg.yield %129 : f64 loc(#loc8)
    } -> tensor<4x2048x2048xf64> loc(#loc8)
    %94 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%93 : tensor<4x2048x2048xf64>) outs(%5 : tensor<4x2048x1xf64>) {
    ^bb0(%in: f64 loc("norm2"(#loc2)), %out: f64 loc("norm2"(#loc2))):
      %129 = arith.addf %in, %out : f64 loc(#loc8)
      linalg.yield %129 : f64 loc(#loc8)
    } -> tensor<4x2048x1xf64> loc(#loc8)
    %95 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%94 : tensor<4x2048x1xf64>) outs(%4 : tensor<4x2048x1xf64>) {
    ^bb0(%in: f64 loc("norm2"(#loc2)), %out: f64 loc("norm2"(#loc2))):
      %129 = arith.divf %in, %cst_8 : f64 loc(#loc8)
      linalg.yield %129 : f64 loc(#loc8)
    } -> tensor<4x2048x1xf64> loc(#loc8)
    %96 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%95 : tensor<4x2048x1xf64>) outs(%12 : tensor<4x2048x1xf32>) {
    ^bb0(%in: f64 loc("norm2"(#loc2)), %out: f32 loc("norm2"(#loc2))):
      %129 = arith.truncf %in : f64 to f32 loc(#loc8)
      linalg.yield %129 : f32 loc(#loc8)
    } -> tensor<4x2048x1xf32> loc(#loc8)
    %97 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%88 : tensor<4x2048x2048xf32>) outs(%14 : tensor<4x2048x1xf32>) {
    ^bb0(%in: f32 loc("norm2"(#loc2)), %out: f32 loc("norm2"(#loc2))):
      %129 = arith.addf %in, %out : f32 loc(#loc8)
      linalg.yield %129 : f32 loc(#loc8)
    } -> tensor<4x2048x1xf32> loc(#loc8)
    %98 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%97 : tensor<4x2048x1xf32>) outs(%12 : tensor<4x2048x1xf32>) {
    ^bb0(%in: f32 loc("norm2"(#loc2)), %out: f32 loc("norm2"(#loc2))):
      %129 = arith.divf %in, %cst_9 : f32 loc(#loc8)
      linalg.yield %129 : f32 loc(#loc8)
    } -> tensor<4x2048x1xf32> loc(#loc8)
    %99 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%96 : tensor<4x2048x1xf32>) outs(%12 : tensor<4x2048x1xf32>) {
    ^bb0(%in: f32 loc("norm2"(#loc2)), %out: f32 loc("norm2"(#loc2))):
      %129 = arith.truncf %cst_7 : f64 to f32 loc(#loc8)
      %130 = arith.addf %in, %129 : f32 loc(#loc8)
      linalg.yield %130 : f32 loc(#loc8)
    } -> tensor<4x2048x1xf32> loc(#loc8)
    %100 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%99 : tensor<4x2048x1xf32>) outs(%12 : tensor<4x2048x1xf32>) {
    ^bb0(%in: f32 loc("norm2"(#loc2)), %out: f32 loc("norm2"(#loc2))):
      %129 = math.rsqrt %in : f32 loc(#loc8)
      linalg.yield %129 : f32 loc(#loc8)
    } -> tensor<4x2048x1xf32> loc(#loc8)
    %101 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%88, %98 : tensor<4x2048x2048xf32>, tensor<4x2048x1xf32>) outs(%0 : tensor<4x2048x2048xf32>) {
    ^bb0(%in: f32 loc("norm2"(#loc2)), %in_36: f32 loc("norm2"(#loc2)), %out: f32 loc("norm2"(#loc2))):
      %129 = arith.subf %in, %in_36 : f32 loc(#loc8)
      linalg.yield %129 : f32 loc(#loc8)
    } -> tensor<4x2048x2048xf32> loc(#loc8)
    %102 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%101, %100 : tensor<4x2048x2048xf32>, tensor<4x2048x1xf32>) outs(%0 : tensor<4x2048x2048xf32>) {
    ^bb0(%in: f32 loc("norm2"(#loc2)), %in_36: f32 loc("norm2"(#loc2)), %out: f32 loc("norm2"(#loc2))):
      %129 = arith.mulf %in, %in_36 : f32 loc(#loc8)
      linalg.yield %129 : f32 loc(#loc8)
    } -> tensor<4x2048x2048xf32> loc(#loc8)
    %103 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%102, %arg10 : tensor<4x2048x2048xf32>, tensor<2048xbf16>) outs(%0 : tensor<4x2048x2048xf32>) {
    ^bb0(%in: f32 loc("norm2"(#loc2)), %in_36: bf16 loc("norm2"(#loc2)), %out: f32 loc("norm2"(#loc2))):
      %129 = arith.extf %in_36 : bf16 to f32 loc(#loc8)
      %130 = arith.mulf %in, %129 : f32 loc(#loc8)
      linalg.yield %130 : f32 loc(#loc8)
    } -> tensor<4x2048x2048xf32> loc(#loc8)
    %104 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%103, %arg11 : tensor<4x2048x2048xf32>, tensor<2048xbf16>) outs(%0 : tensor<4x2048x2048xf32>) {
    ^bb0(%in: f32 loc("norm2"(#loc2)), %in_36: bf16 loc("norm2"(#loc2)), %out: f32 loc("norm2"(#loc2))):
      %129 = arith.extf %in_36 : bf16 to f32 loc(#loc8)
      %130 = arith.addf %in, %129 : f32 loc(#loc8)
      linalg.yield %130 : f32 loc(#loc8)
    } -> tensor<4x2048x2048xf32> loc(#loc8)
    %105 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%104 : tensor<4x2048x2048xf32>) outs(%23 : tensor<4x2048x2048xbf16>) {
    ^bb0(%in: f32 loc("norm2"(#loc2)), %out: bf16 loc("norm2"(#loc2))):
      %129 = arith.truncf %in : f32 to bf16 loc(#loc8)
      linalg.yield %129 : bf16 loc(#loc8)
    } -> tensor<4x2048x2048xbf16> loc(#loc8)
    %collapsed_30 = tensor.collapse_shape %105 [[0, 1], [2]] : tensor<4x2048x2048xbf16> into tensor<8192x2048xbf16> loc(#loc9)
    %106 = tensor.empty() : tensor<2048x8192xbf16> loc(#loc9)
    %transposed_31 = linalg.transpose ins(%arg12 : tensor<8192x2048xbf16>) outs(%106 : tensor<2048x8192xbf16>) permutation = [1, 0]  loc(#loc9)
    %107 = tensor.empty() : tensor<8192xf32> loc(#loc9)
    %108 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg13 : tensor<8192xbf16>) outs(%107 : tensor<8192xf32>) {
    ^bb0(%in: bf16 loc("up"(#loc2)), %out: f32 loc("up"(#loc2))):
      %129 = arith.extf %in : bf16 to f32 loc(#loc9)
      linalg.yield %129 : f32 loc(#loc9)
    } -> tensor<8192xf32> loc(#loc9)
    %109 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%collapsed_30 : tensor<8192x2048xbf16>) outs(%28 : tensor<8192x2048xf32>) {
    ^bb0(%in: bf16 loc("up"(#loc2)), %out: f32 loc("up"(#loc2))):
      %129 = arith.extf %in : bf16 to f32 loc(#loc9)
      linalg.yield %129 : f32 loc(#loc9)
    } -> tensor<8192x2048xf32> loc(#loc9)
    %110 = tensor.empty() : tensor<2048x8192xf32> loc(#loc9)
    %111 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%transposed_31 : tensor<2048x8192xbf16>) outs(%110 : tensor<2048x8192xf32>) {
    ^bb0(%in: bf16 loc("up"(#loc2)), %out: f32 loc("up"(#loc2))):
      %129 = arith.extf %in : bf16 to f32 loc(#loc9)
      linalg.yield %129 : f32 loc(#loc9)
    } -> tensor<2048x8192xf32> loc(#loc9)
    %112 = tensor.empty() : tensor<8192x8192xf32> loc(#loc9)
    %113 = linalg.fill ins(%cst_0 : f32) outs(%112 : tensor<8192x8192xf32>) -> tensor<8192x8192xf32> loc(#loc9)
    %114 = linalg.matmul ins(%109, %111 : tensor<8192x2048xf32>, tensor<2048x8192xf32>) outs(%113 : tensor<8192x8192xf32>) -> tensor<8192x8192xf32> loc(#loc9)
    %115 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel"]} ins(%108 : tensor<8192xf32>) outs(%112 : tensor<8192x8192xf32>) {
    ^bb0(%in: f32 loc("up"(#loc2)), %out: f32 loc("up"(#loc2))):
      linalg.yield %in : f32 loc(#loc9)
    } -> tensor<8192x8192xf32> loc(#loc9)
    %116 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%114, %115 : tensor<8192x8192xf32>, tensor<8192x8192xf32>) outs(%112 : tensor<8192x8192xf32>) {
    ^bb0(%in: f32 loc("up"(#loc2)), %in_36: f32 loc("up"(#loc2)), %out: f32 loc("up"(#loc2))):
      %129 = arith.addf %in, %in_36 : f32 loc(#loc9)
      linalg.yield %129 : f32 loc(#loc9)
    } -> tensor<8192x8192xf32> loc(#loc9)
    %117 = tensor.empty() : tensor<8192x8192xbf16> loc(#loc9)
    %118 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%116 : tensor<8192x8192xf32>) outs(%117 : tensor<8192x8192xbf16>) {
    ^bb0(%in: f32 loc("up"(#loc2)), %out: bf16 loc("up"(#loc2))):
      %129 = arith.truncf %in : f32 to bf16 loc(#loc9)
      linalg.yield %129 : bf16 loc(#loc9)
    } -> tensor<8192x8192xbf16> loc(#loc9)
    %expanded_32 = tensor.expand_shape %118 [[0, 1], [2]] output_shape [4, 2048, 8192] : tensor<8192x8192xbf16> into tensor<4x2048x8192xbf16> loc(#loc9)
    %119 = tensor.empty() : tensor<4x2048x8192xbf16> loc(#loc2)
    %120 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_32 : tensor<4x2048x8192xbf16>) outs(%119 : tensor<4x2048x8192xbf16>) {
    ^bb0(%in: bf16 loc("up"(#loc2)), %out: bf16 loc("block.py":39:0)):
      %129 = math.sqrt %cst_3 : bf16 loc(#loc2)
      %130 = arith.divf %in, %129 : bf16 loc(#loc2)
      %131 = math.erf %130 : bf16 loc(#loc2)
      %132 = arith.addf %131, %cst_2 : bf16 loc(#loc2)
      %133 = arith.mulf %132, %cst_4 : bf16 loc(#loc2)
      %134 = arith.mulf %in, %133 : bf16 loc(#loc2)
      linalg.yield %134 : bf16 loc(#loc2)
    } -> tensor<4x2048x8192xbf16> loc(#loc2)
    %collapsed_33 = tensor.collapse_shape %120 [[0, 1], [2]] : tensor<4x2048x8192xbf16> into tensor<8192x8192xbf16> loc(#loc10)
    %transposed_34 = linalg.transpose ins(%arg14 : tensor<2048x8192xbf16>) outs(%36 : tensor<8192x2048xbf16>) permutation = [1, 0]  loc(#loc10)
    %121 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg15 : tensor<2048xbf16>) outs(%26 : tensor<2048xf32>) {
    ^bb0(%in: bf16 loc("down"(#loc2)), %out: f32 loc("down"(#loc2))):
      %129 = arith.extf %in : bf16 to f32 loc(#loc10)
      linalg.yield %129 : f32 loc(#loc10)
    } -> tensor<2048xf32> loc(#loc10)
    %122 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%collapsed_33 : tensor<8192x8192xbf16>) outs(%112 : tensor<8192x8192xf32>) {
    ^bb0(%in: bf16 loc("down"(#loc2)), %out: f32 loc("down"(#loc2))):
      %129 = arith.extf %in : bf16 to f32 loc(#loc10)
      linalg.yield %129 : f32 loc(#loc10)
    } -> tensor<8192x8192xf32> loc(#loc10)
    %123 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%transposed_34 : tensor<8192x2048xbf16>) outs(%28 : tensor<8192x2048xf32>) {
    ^bb0(%in: bf16 loc("down"(#loc2)), %out: f32 loc("down"(#loc2))):
      %129 = arith.extf %in : bf16 to f32 loc(#loc10)
      linalg.yield %129 : f32 loc(#loc10)
    } -> tensor<8192x2048xf32> loc(#loc10)
    %124 = linalg.matmul ins(%122, %123 : tensor<8192x8192xf32>, tensor<8192x2048xf32>) outs(%32 : tensor<8192x2048xf32>) -> tensor<8192x2048xf32> loc(#loc10)
    %125 = linalg.generic {indexing_maps = [#map5, #map4], iterator_types = ["parallel", "parallel"]} ins(%121 : tensor<2048xf32>) outs(%28 : tensor<8192x2048xf32>) {
    ^bb0(%in: f32 loc("down"(#loc2)), %out: f32 loc("down"(#loc2))):
      linalg.yield %in : f32 loc(#loc10)
    } -> tensor<8192x2048xf32> loc(#loc10)
    %126 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%124, %125 : tensor<8192x2048xf32>, tensor<8192x2048xf32>) outs(%28 : tensor<8192x2048xf32>) {
    ^bb0(%in: f32 loc("down"(#loc2)), %in_36: f32 loc("down"(#loc2)), %out: f32 loc("down"(#loc2))):
      %129 = arith.addf %in, %in_36 : f32 loc(#loc10)
      linalg.yield %129 : f32 loc(#loc10)
    } -> tensor<8192x2048xf32> loc(#loc10)
    %127 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%126 : tensor<8192x2048xf32>) outs(%36 : tensor<8192x2048xbf16>) {
    ^bb0(%in: f32 loc("down"(#loc2)), %out: bf16 loc("down"(#loc2))):
      %129 = arith.truncf %in : f32 to bf16 loc(#loc10)
      linalg.yield %129 : bf16 loc(#loc10)
    } -> tensor<8192x2048xbf16> loc(#loc10)
    %expanded_35 = tensor.expand_shape %127 [[0, 1], [2]] output_shape [4, 2048, 2048] : tensor<8192x2048xbf16> into tensor<4x2048x2048xbf16> loc(#loc10)
    %128 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87, %expanded_35 : tensor<4x2048x2048xbf16>, tensor<4x2048x2048xbf16>) outs(%23 : tensor<4x2048x2048xbf16>) {
    ^bb0(%in: bf16 loc("block.py":38:0), %in_36: bf16 loc("down"(#loc2)), %out: bf16 loc("block.py":39:0)):
      %129 = arith.addf %in, %in_36 : bf16 loc(#loc2)
      linalg.yield %129 : bf16 loc(#loc2)
    } -> tensor<4x2048x2048xbf16> loc(#loc2)
    return %128 : tensor<4x2048x2048xbf16> loc(#loc2)
  } loc(#loc3)
} loc(#loc)
#loc = loc(unknown)
