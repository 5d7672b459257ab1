// Made by: tpc-import torch block.py:block -o block.mlir (torch 2.15.0)
#loc1 = loc("block.py":38:0)
#loc2 = loc("block.py":39:0)
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1) -> (d1)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map6 = affine_map<(d0) -> (d0)>
#map7 = affine_map<(d0, d1) -> (0, d1)>
#map8 = affine_map<(d0, d1) -> (d0, 0)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map10 = affine_map<(d0, d1, d2, d3) -> ()>
#map11 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#loc3 = loc("norm1"(#loc1))
#loc4 = loc("q"(#loc1))
#loc6 = loc("v"(#loc1))
#loc7 = loc("o"(#loc1))
#loc8 = loc("norm2"(#loc2))
#loc9 = loc("up"(#loc2))
#loc10 = loc("down"(#loc2))
module {
  func.func @forward(%arg0: tensor<2x24x32xf32> {tp.name = "x"} loc("x"("block.py":38:0)), %arg1: tensor<32xf32> {tp.name = "norm1.weight", tp.param} loc("norm1.weight"("block.py":38:0)), %arg2: tensor<32xf32> {tp.name = "norm1.bias", tp.param} loc("norm1.bias"("block.py":38:0)), %arg3: tensor<32x32xf32> {tp.name = "q.weight", tp.param} loc("q.weight"("block.py":38:0)), %arg4: tensor<32xf32> {tp.name = "q.bias", tp.param} loc("q.bias"("block.py":38:0)), %arg5: tensor<32x32xf32> {tp.name = "k.weight", tp.param} loc("k.weight"("block.py":38:0)), %arg6: tensor<32x32xf32> {tp.name = "v.weight", tp.param} loc("v.weight"("block.py":38:0)), %arg7: tensor<32xf32> {tp.name = "v.bias", tp.param} loc("v.bias"("block.py":38:0)), %arg8: tensor<32x32xf32> {tp.name = "o.weight", tp.param} loc("o.weight"("block.py":38:0)), %arg9: tensor<32xf32> {tp.name = "o.bias", tp.param} loc("o.bias"("block.py":38:0)), %arg10: tensor<32xf32> {tp.name = "norm2.weight", tp.param} loc("norm2.weight"("block.py":39:0)), %arg11: tensor<32xf32> {tp.name = "norm2.bias", tp.param} loc("norm2.bias"("block.py":39:0)), %arg12: tensor<128x32xf32> {tp.name = "up.weight", tp.param} loc("up.weight"("block.py":39:0)), %arg13: tensor<128xf32> {tp.name = "up.bias", tp.param} loc("up.bias"("block.py":39:0)), %arg14: tensor<32x128xf32> {tp.name = "down.weight", tp.param} loc("down.weight"("block.py":39:0)), %arg15: tensor<32xf32> {tp.name = "down.bias", tp.param} loc("down.bias"("block.py":39:0))) -> (tensor<2x24x32xf32> {tp.name = "y"}) {
    %c0_i64 = arith.constant 0 : i64 loc(#loc)
    %cst = arith.constant 0.000000e+00 : f64 loc(#loc)
    %cst_0 = arith.constant 0.000000e+00 : f32 loc(#loc)
    %cst_1 = arith.constant 0xFF800000 : f32 loc(#loc1)
    %cst_2 = arith.constant 1.000000e+00 : f32 loc(#loc)
    %cst_3 = arith.constant 5.000000e-01 : f32 loc(#loc)
    %cst_4 = arith.constant dense<-1.000000e+09> : tensor<f32> loc(#loc1)
    %cst_5 = arith.constant 0.35355339059327379 : f64 loc(#loc1)
    %cst_6 = arith.constant 1.000000e-05 : f64 loc(#loc3)
    %cst_7 = arith.constant 3.200000e+01 : f64 loc(#loc)
    %cst_8 = arith.constant 3.200000e+01 : f32 loc(#loc)
    %cst_9 = arith.constant 1.41421354 : f32 loc(#loc)
    %0 = tensor.empty() : tensor<2x24x32xf64> loc(#loc3)
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x24x32xf32>) outs(%0 : tensor<2x24x32xf64>) {
    ^bb0(%in: f32 loc("norm1"(#loc1)), %out: f64 loc("norm1"(#loc1))):
      %92 = arith.extf %in : f32 to f64 loc(#loc3)
      linalg.yield %92 : f64 loc(#loc3)
    } -> tensor<2x24x32xf64> loc(#loc3)
    %2 = tensor.empty() : tensor<2x24x1xf64> loc(#loc3)
    %3 = linalg.fill ins(%cst : f64) outs(%2 : tensor<2x24x1xf64>) -> tensor<2x24x1xf64> loc(#loc3)
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1 : tensor<2x24x32xf64>) outs(%3 : tensor<2x24x1xf64>) {
    ^bb0(%in: f64 loc("norm1"(#loc1)), %out: f64 loc("norm1"(#loc1))):
      %92 = arith.addf %in, %out : f64 loc(#loc3)
      linalg.yield %92 : f64 loc(#loc3)
    } -> tensor<2x24x1xf64> loc(#loc3)
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<2x24x1xf64>) outs(%2 : tensor<2x24x1xf64>) {
    ^bb0(%in: f64 loc("norm1"(#loc1)), %out: f64 loc("norm1"(#loc1))):
      %92 = arith.divf %in, %cst_7 : f64 loc(#loc3)
      linalg.yield %92 : f64 loc(#loc3)
    } -> tensor<2x24x1xf64> loc(#loc3)
    %6 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %5 : tensor<2x24x32xf64>, tensor<2x24x1xf64>) outs(%0 : tensor<2x24x32xf64>) {
    ^bb0(%in: f64 loc("norm1"(#loc1)), %in_36: f64 loc("norm1"(#loc1)), %out: f64 loc("norm1"(#loc1))):
      %92 = arith.subf %in, %in_36 : f64 loc(#loc3)
      linalg.yield %92 : f64 loc(#loc3)
    } -> tensor<2x24x32xf64> loc(#loc3)
    %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %6 : tensor<2x24x32xf64>, tensor<2x24x32xf64>) outs(%0 : tensor<2x24x32xf64>) {
    ^bb0(%in: f64 loc("norm1"(#loc1)), %in_36: f64 loc("norm1"(#loc1)), %out: f64 loc("norm1"(#loc1))):
      %92 = arith.mulf %in, %in_36 : f64 loc(#loc3)
      linalg.yield %92 : f64 loc(#loc3)
    } -> tensor<2x24x32xf64> loc(#loc3)
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%7 : tensor<2x24x32xf64>) outs(%3 : tensor<2x24x1xf64>) {
    ^bb0(%in: f64 loc("norm1"(#loc1)), %out: f64 loc("norm1"(#loc1))):
      %92 = arith.addf %in, %out : f64 loc(#loc3)
      linalg.yield %92 : f64 loc(#loc3)
    } -> tensor<2x24x1xf64> loc(#loc3)
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<2x24x1xf64>) outs(%2 : tensor<2x24x1xf64>) {
    ^bb0(%in: f64 loc("norm1"(#loc1)), %out: f64 loc("norm1"(#loc1))):
      %92 = arith.divf %in, %cst_7 : f64 loc(#loc3)
      linalg.yield %92 : f64 loc(#loc3)
    } -> tensor<2x24x1xf64> loc(#loc3)
    %10 = tensor.empty() : tensor<2x24x1xf32> loc(#loc3)
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<2x24x1xf64>) outs(%10 : tensor<2x24x1xf32>) {
    ^bb0(%in: f64 loc("norm1"(#loc1)), %out: f32 loc("norm1"(#loc1))):
      %92 = arith.truncf %in : f64 to f32 loc(#loc3)
      linalg.yield %92 : f32 loc(#loc3)
    } -> tensor<2x24x1xf32> loc(#loc3)
    %12 = linalg.fill ins(%cst_0 : f32) outs(%10 : tensor<2x24x1xf32>) -> tensor<2x24x1xf32> loc(#loc3)
    %13 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<2x24x32xf32>) outs(%12 : tensor<2x24x1xf32>) {
    ^bb0(%in: f32 loc("norm1"(#loc1)), %out: f32 loc("norm1"(#loc1))):
      %92 = arith.addf %in, %out : f32 loc(#loc3)
      linalg.yield %92 : f32 loc(#loc3)
    } -> tensor<2x24x1xf32> loc(#loc3)
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<2x24x1xf32>) outs(%10 : tensor<2x24x1xf32>) {
    ^bb0(%in: f32 loc("norm1"(#loc1)), %out: f32 loc("norm1"(#loc1))):
      %92 = arith.divf %in, %cst_8 : f32 loc(#loc3)
      linalg.yield %92 : f32 loc(#loc3)
    } -> tensor<2x24x1xf32> loc(#loc3)
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<2x24x1xf32>) outs(%10 : tensor<2x24x1xf32>) {
    ^bb0(%in: f32 loc("norm1"(#loc1)), %out: f32 loc("norm1"(#loc1))):
      %92 = arith.truncf %cst_6 : f64 to f32 loc(#loc3)
      %93 = arith.addf %in, %92 : f32 loc(#loc3)
      linalg.yield %93 : f32 loc(#loc3)
    } -> tensor<2x24x1xf32> loc(#loc3)
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<2x24x1xf32>) outs(%10 : tensor<2x24x1xf32>) {
    ^bb0(%in: f32 loc("norm1"(#loc1)), %out: f32 loc("norm1"(#loc1))):
      %92 = math.rsqrt %in : f32 loc(#loc3)
      linalg.yield %92 : f32 loc(#loc3)
    } -> tensor<2x24x1xf32> loc(#loc3)
    %17 = tensor.empty() : tensor<2x24x32xf32> loc(#loc3)
    %18 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %14 : tensor<2x24x32xf32>, tensor<2x24x1xf32>) outs(%17 : tensor<2x24x32xf32>) {
    ^bb0(%in: f32 loc("norm1"(#loc1)), %in_36: f32 loc("norm1"(#loc1)), %out: f32 loc("norm1"(#loc1))):
      %92 = arith.subf %in, %in_36 : f32 loc(#loc3)
      linalg.yield %92 : f32 loc(#loc3)
    } -> tensor<2x24x32xf32> loc(#loc3)
    %19 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18, %16 : tensor<2x24x32xf32>, tensor<2x24x1xf32>) outs(%17 : tensor<2x24x32xf32>) {
    ^bb0(%in: f32 loc("norm1"(#loc1)), %in_36: f32 loc("norm1"(#loc1)), %out: f32 loc("norm1"(#loc1))):
      %92 = arith.mulf %in, %in_36 : f32 loc(#loc3)
      linalg.yield %92 : f32 loc(#loc3)
    } -> tensor<2x24x32xf32> loc(#loc3)
    %20 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19, %arg1 : tensor<2x24x32xf32>, tensor<32xf32>) outs(%17 : tensor<2x24x32xf32>) {
    ^bb0(%in: f32 loc("norm1"(#loc1)), %in_36: f32 loc("norm1"(#loc1)), %out: f32 loc("norm1"(#loc1))):
      %92 = arith.mulf %in, %in_36 : f32 loc(#loc3)
      linalg.yield %92 : f32 loc(#loc3)
    } -> tensor<2x24x32xf32> loc(#loc3)
    %21 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %arg2 : tensor<2x24x32xf32>, tensor<32xf32>) outs(%17 : tensor<2x24x32xf32>) {
    ^bb0(%in: f32 loc("norm1"(#loc1)), %in_36: f32 loc("norm1"(#loc1)), %out: f32 loc("norm1"(#loc1))):
      %92 = arith.addf %in, %in_36 : f32 loc(#loc3)
      linalg.yield %92 : f32 loc(#loc3)
    } -> tensor<2x24x32xf32> loc(#loc3)
    %collapsed = tensor.collapse_shape %21 [[0, 1], [2]] : tensor<2x24x32xf32> into tensor<48x32xf32> loc(#loc4)
    %22 = tensor.empty() : tensor<32x32xf32> loc(#loc4)
    %transposed = linalg.transpose ins(%arg3 : tensor<32x32xf32>) outs(%22 : tensor<32x32xf32>) permutation = [1, 0]  loc(#loc4)
    %23 = tensor.empty() : tensor<48x32xf32> loc(#loc4)
    %24 = linalg.fill ins(%cst_0 : f32) outs(%23 : tensor<48x32xf32>) -> tensor<48x32xf32> loc(#loc4)
    %25 = linalg.matmul ins(%collapsed, %transposed : tensor<48x32xf32>, tensor<32x32xf32>) outs(%24 : tensor<48x32xf32>) -> tensor<48x32xf32> loc(#loc4)
    %26 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg4 : tensor<32xf32>) outs(%23 : tensor<48x32xf32>) {
    ^bb0(%in: f32 loc("q"(#loc1)), %out: f32 loc("q"(#loc1))):
      linalg.yield %in : f32 loc(#loc4)
    } -> tensor<48x32xf32> loc(#loc4)
    %27 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%25, %26 : tensor<48x32xf32>, tensor<48x32xf32>) outs(%23 : tensor<48x32xf32>) {
    ^bb0(%in: f32 loc("q"(#loc1)), %in_36: f32 loc("q"(#loc1)), %out: f32 loc("q"(#loc1))):
      %92 = arith.addf %in, %in_36 : f32 loc(#loc4)
      linalg.yield %92 : f32 loc(#loc4)
    } -> tensor<48x32xf32> loc(#loc4)
    %expanded = tensor.expand_shape %27 [[0, 1], [2, 3]] output_shape [2, 24, 4, 8] : tensor<48x32xf32> into tensor<2x24x4x8xf32> loc(#loc1)
    %28 = tensor.empty() : tensor<2x4x24x8xf32> loc(#loc1)
    %transposed_10 = linalg.transpose ins(%expanded : tensor<2x24x4x8xf32>) outs(%28 : tensor<2x4x24x8xf32>) permutation = [0, 2, 1, 3]  loc(#loc1)
    %transposed_11 = linalg.transpose ins(%arg5 : tensor<32x32xf32>) outs(%22 : tensor<32x32xf32>) permutation = [1, 0]  loc(#loc5)
    %29 = linalg.matmul ins(%collapsed, %transposed_11 : tensor<48x32xf32>, tensor<32x32xf32>) outs(%24 : tensor<48x32xf32>) -> tensor<48x32xf32> loc(#loc5)
    %expanded_12 = tensor.expand_shape %29 [[0, 1], [2, 3]] output_shape [2, 24, 4, 8] : tensor<48x32xf32> into tensor<2x24x4x8xf32> loc(#loc1)
    %transposed_13 = linalg.transpose ins(%arg6 : tensor<32x32xf32>) outs(%22 : tensor<32x32xf32>) permutation = [1, 0]  loc(#loc6)
    %30 = linalg.matmul ins(%collapsed, %transposed_13 : tensor<48x32xf32>, tensor<32x32xf32>) outs(%24 : tensor<48x32xf32>) -> tensor<48x32xf32> loc(#loc6)
    %31 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg7 : tensor<32xf32>) outs(%23 : tensor<48x32xf32>) {
    ^bb0(%in: f32 loc("v"(#loc1)), %out: f32 loc("v"(#loc1))):
      linalg.yield %in : f32 loc(#loc6)
    } -> tensor<48x32xf32> loc(#loc6)
    %32 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%30, %31 : tensor<48x32xf32>, tensor<48x32xf32>) outs(%23 : tensor<48x32xf32>) {
    ^bb0(%in: f32 loc("v"(#loc1)), %in_36: f32 loc("v"(#loc1)), %out: f32 loc("v"(#loc1))):
      %92 = arith.addf %in, %in_36 : f32 loc(#loc6)
      linalg.yield %92 : f32 loc(#loc6)
    } -> tensor<48x32xf32> loc(#loc6)
    %expanded_14 = tensor.expand_shape %32 [[0, 1], [2, 3]] output_shape [2, 24, 4, 8] : tensor<48x32xf32> into tensor<2x24x4x8xf32> loc(#loc1)
    %transposed_15 = linalg.transpose ins(%expanded_14 : tensor<2x24x4x8xf32>) outs(%28 : tensor<2x4x24x8xf32>) permutation = [0, 2, 1, 3]  loc(#loc1)
    %33 = tensor.empty() : tensor<2x4x8x24xf32> loc(#loc1)
    %transposed_16 = linalg.transpose ins(%expanded_12 : tensor<2x24x4x8xf32>) outs(%33 : tensor<2x4x8x24xf32>) permutation = [0, 2, 3, 1]  loc(#loc1)
    %collapsed_17 = tensor.collapse_shape %transposed_10 [[0, 1], [2], [3]] : tensor<2x4x24x8xf32> into tensor<8x24x8xf32> loc(#loc1)
    %collapsed_18 = tensor.collapse_shape %transposed_16 [[0, 1], [2], [3]] : tensor<2x4x8x24xf32> into tensor<8x8x24xf32> loc(#loc1)
    %34 = tensor.empty() : tensor<8x24x24xf32> loc(#loc1)
    %35 = linalg.fill ins(%cst_0 : f32) outs(%34 : tensor<8x24x24xf32>) -> tensor<8x24x24xf32> loc(#loc1)
    %36 = linalg.batch_matmul ins(%collapsed_17, %collapsed_18 : tensor<8x24x8xf32>, tensor<8x8x24xf32>) outs(%35 : tensor<8x24x24xf32>) -> tensor<8x24x24xf32> loc(#loc1)
    %expanded_19 = tensor.expand_shape %36 [[0, 1], [2], [3]] output_shape [2, 4, 24, 24] : tensor<8x24x24xf32> into tensor<2x4x24x24xf32> loc(#loc1)
    %37 = tensor.empty() : tensor<2x4x24x24xf32> loc(#loc1)
    %38 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_19 : tensor<2x4x24x24xf32>) outs(%37 : tensor<2x4x24x24xf32>) {
    ^bb0(%in: f32 loc("block.py":38:0), %out: f32 loc("block.py":38:0)):
      %92 = arith.truncf %cst_5 : f64 to f32 loc(#loc1)
      %93 = arith.mulf %in, %92 : f32 loc(#loc1)
      linalg.yield %93 : f32 loc(#loc1)
    } -> tensor<2x4x24x24xf32> loc(#loc1)
    %39 = tensor.empty() : tensor<24xi64> loc(#loc1)
    %40 = linalg.generic {indexing_maps = [#map6], iterator_types = ["parallel"]} outs(%39 : tensor<24xi64>) {
    ^bb0(%out: i64 loc("block.py":38:0)):
      %92 = linalg.index 0 : index loc(#loc1)
      %93 = arith.index_cast %92 : index to i64 loc(#loc1)
      linalg.yield %93 : i64 loc(#loc1)
    } -> tensor<24xi64> loc(#loc1)
    %expanded_20 = tensor.expand_shape %40 [[0, 1]] output_shape [24, 1] : tensor<24xi64> into tensor<24x1xi64> loc(#loc1)
    %expanded_21 = tensor.expand_shape %40 [[0, 1]] output_shape [1, 24] : tensor<24xi64> into tensor<1x24xi64> loc(#loc1)
    %41 = tensor.empty() : tensor<24x24xi1> loc(#loc1)
    %42 = linalg.generic {indexing_maps = [#map7, #map8, #map4], iterator_types = ["parallel", "parallel"]} ins(%expanded_21, %expanded_20 : tensor<1x24xi64>, tensor<24x1xi64>) outs(%41 : tensor<24x24xi1>) {
    ^bb0(%in: i64 loc("block.py":38:0), %in_36: i64 loc("block.py":38:0), %out: i1 loc("block.py":38:0)):
      %92 = arith.cmpi sle, %in, %in_36 : i64 loc(#loc1)
      linalg.yield %92 : i1 loc(#loc1)
    } -> tensor<24x24xi1> loc(#loc1)
    %43 = linalg.generic {indexing_maps = [#map9, #map5, #map10, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%42, %38, %cst_4 : tensor<24x24xi1>, tensor<2x4x24x24xf32>, tensor<f32>) outs(%37 : tensor<2x4x24x24xf32>) {
    ^bb0(%in: i1 loc("block.py":38:0), %in_36: f32 loc("block.py":38:0), %in_37: f32 loc("block.py":38:0), %out: f32 loc("block.py":38:0)):
      %92 = arith.select %in, %in_36, %in_37 : f32 loc(#loc1)
      linalg.yield %92 : f32 loc(#loc1)
    } -> tensor<2x4x24x24xf32> loc(#loc1)
    %44 = tensor.empty() : tensor<2x4x24xi64> loc(#loc1)
    %45 = linalg.fill ins(%c0_i64 : i64) outs(%44 : tensor<2x4x24xi64>) -> tensor<2x4x24xi64> loc(#loc1)
    %46 = tensor.empty() : tensor<2x4x24xf32> loc(#loc1)
    %47 = linalg.fill ins(%cst_1 : f32) outs(%46 : tensor<2x4x24xf32>) -> tensor<2x4x24xf32> loc(#loc1)
    %48:2 = linalg.generic {indexing_maps = [#map5, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%43 : tensor<2x4x24x24xf32>) outs(%47, %45 : tensor<2x4x24xf32>, tensor<2x4x24xi64>) {
    ^bb0(%in: f32 loc("block.py":38:0), %out: f32 loc("block.py":38:0), %out_36: i64 loc("block.py":38:0)):
      %92 = linalg.index 3 : index loc(#loc1)
      %93 = arith.index_cast %92 : index to i64 loc(#loc1)
      %94 = arith.maximumf %in, %out : f32 loc(#loc1)
      %95 = arith.cmpf ogt, %in, %out : f32 loc(#loc1)
      %96 = arith.select %95, %93, %out_36 : i64 loc(#loc1)
      linalg.yield %94, %96 : f32, i64 loc(#loc1)
    } -> (tensor<2x4x24xf32>, tensor<2x4x24xi64>) loc(#loc1)
    %expanded_22 = tensor.expand_shape %48#0 [[0], [1], [2, 3]] output_shape [2, 4, 24, 1] : tensor<2x4x24xf32> into tensor<2x4x24x1xf32> loc(#loc1)
    %49 = linalg.generic {indexing_maps = [#map5, #map12, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%43, %expanded_22 : tensor<2x4x24x24xf32>, tensor<2x4x24x1xf32>) outs(%37 : tensor<2x4x24x24xf32>) {
    ^bb0(%in: f32 loc("block.py":38:0), %in_36: f32 loc("block.py":38:0), %out: f32 loc("block.py":38:0)):
      %92 = arith.subf %in, %in_36 : f32 loc(#loc1)
      linalg.yield %92 : f32 loc(#loc1)
    } -> tensor<2x4x24x24xf32> loc(#loc1)
    %50 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%49 : tensor<2x4x24x24xf32>) outs(%37 : tensor<2x4x24x24xf32>) {
    ^bb0(%in: f32 loc("block.py":38:0), %out: f32 loc("block.py":38:0)):
      %92 = math.exp %in : f32 loc(#loc1)
      linalg.yield %92 : f32 loc(#loc1)
    } -> tensor<2x4x24x24xf32> loc(#loc1)
    %51 = tensor.empty() : tensor<2x4x24x1xf32> loc(#loc1)
    %52 = linalg.fill ins(%cst_0 : f32) outs(%51 : tensor<2x4x24x1xf32>) -> tensor<2x4x24x1xf32> loc(#loc1)
    %53 = linalg.generic {indexing_maps = [#map5, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%50 : tensor<2x4x24x24xf32>) outs(%52 : tensor<2x4x24x1xf32>) {
    ^bb0(%in: f32 loc("block.py":38:0), %out: f32 loc("block.py":38:0)):
      %92 = arith.addf %in, %out : f32 loc(#loc1)
      linalg.yield %92 : f32 loc(#loc1)
    } -> tensor<2x4x24x1xf32> loc(#loc1)
    %54 = linalg.generic {indexing_maps = [#map5, #map12, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%50, %53 : tensor<2x4x24x24xf32>, tensor<2x4x24x1xf32>) outs(%37 : tensor<2x4x24x24xf32>) {
    ^bb0(%in: f32 loc("block.py":38:0), %in_36: f32 loc("block.py":38:0), %out: f32 loc("block.py":38:0)):
      %92 = arith.divf %in, %in_36 : f32 loc(#loc1)
      linalg.yield %92 : f32 loc(#loc1)
    } -> tensor<2x4x24x24xf32> loc(#loc1)
    %collapsed_23 = tensor.collapse_shape %54 [[0, 1], [2], [3]] : tensor<2x4x24x24xf32> into tensor<8x24x24xf32> loc(#loc1)
    %collapsed_24 = tensor.collapse_shape %transposed_15 [[0, 1], [2], [3]] : tensor<2x4x24x8xf32> into tensor<8x24x8xf32> loc(#loc1)
    %55 = tensor.empty() : tensor<8x24x8xf32> loc(#loc1)
    %56 = linalg.fill ins(%cst_0 : f32) outs(%55 : tensor<8x24x8xf32>) -> tensor<8x24x8xf32> loc(#loc1)
    %57 = linalg.batch_matmul ins(%collapsed_23, %collapsed_24 : tensor<8x24x24xf32>, tensor<8x24x8xf32>) outs(%56 : tensor<8x24x8xf32>) -> tensor<8x24x8xf32> loc(#loc1)
    %expanded_25 = tensor.expand_shape %57 [[0, 1], [2], [3]] output_shape [2, 4, 24, 8] : tensor<8x24x8xf32> into tensor<2x4x24x8xf32> loc(#loc1)
    %58 = tensor.empty() : tensor<2x24x4x8xf32> loc(#loc1)
    %transposed_26 = linalg.transpose ins(%expanded_25 : tensor<2x4x24x8xf32>) outs(%58 : tensor<2x24x4x8xf32>) permutation = [0, 2, 1, 3]  loc(#loc1)
    %collapsed_27 = tensor.collapse_shape %transposed_26 [[0, 1], [2, 3]] : tensor<2x24x4x8xf32> into tensor<48x32xf32> loc(#loc7)
    %transposed_28 = linalg.transpose ins(%arg8 : tensor<32x32xf32>) outs(%22 : tensor<32x32xf32>) permutation = [1, 0]  loc(#loc7)
    %59 = linalg.matmul ins(%collapsed_27, %transposed_28 : tensor<48x32xf32>, tensor<32x32xf32>) outs(%24 : tensor<48x32xf32>) -> tensor<48x32xf32> loc(#loc7)
    %60 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg9 : tensor<32xf32>) outs(%23 : tensor<48x32xf32>) {
    ^bb0(%in: f32 loc("o"(#loc1)), %out: f32 loc("o"(#loc1))):
      linalg.yield %in : f32 loc(#loc7)
    } -> tensor<48x32xf32> loc(#loc7)
    %61 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%59, %60 : tensor<48x32xf32>, tensor<48x32xf32>) outs(%23 : tensor<48x32xf32>) {
    ^bb0(%in: f32 loc("o"(#loc1)), %in_36: f32 loc("o"(#loc1)), %out: f32 loc("o"(#loc1))):
      %92 = arith.addf %in, %in_36 : f32 loc(#loc7)
      linalg.yield %92 : f32 loc(#loc7)
    } -> tensor<48x32xf32> loc(#loc7)
    %expanded_29 = tensor.expand_shape %61 [[0, 1], [2]] output_shape [2, 24, 32] : tensor<48x32xf32> into tensor<2x24x32xf32> loc(#loc7)
    %62 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_29 : tensor<2x24x32xf32>, tensor<2x24x32xf32>) outs(%17 : tensor<2x24x32xf32>) {
    ^bb0(%in: f32 loc("norm1"(#loc1)), %in_36: f32 loc("o"(#loc1)), %out: f32 loc("block.py":38:0)):
      %92 = arith.addf %in, %in_36 : f32 loc(#loc1)
      linalg.yield %92 : f32 loc(#loc1)
    } -> tensor<2x24x32xf32> loc(#loc1)
    %63 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62 : tensor<2x24x32xf32>) outs(%0 : tensor<2x24x32xf64>) {
    ^bb0(%in: f32 loc("block.py":38:0), %out: f64 loc("norm2"(#loc2))):
      %92 = arith.extf %in : f32 to f64 loc(#loc8)
      linalg.yield %92 : f64 loc(#loc8)
    } -> tensor<2x24x32xf64> loc(#loc8)
    %64 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%63 : tensor<2x24x32xf64>) outs(%3 : tensor<2x24x1xf64>) {
    ^bb0(%in: f64 loc("norm2"(#loc2)), %out: f64 loc("norm2"(#loc2))):
      %92 = arith.addf %in, %out : f64 loc(#loc8)
      linalg.yield %92 : f64 loc(#loc8)
    } -> tensor<2x24x1xf64> loc(#loc8)
    %65 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%64 : tensor<2x24x1xf64>) outs(%2 : tensor<2x24x1xf64>) {
    ^bb0(%in: f64 loc("norm2"(#loc2)), %out: f64 loc("norm2"(#loc2))):
      %92 = arith.divf %in, %cst_7 : f64 loc(#loc8)
      linalg.yield %92 : f64 loc(#loc8)
    } -> tensor<2x24x1xf64> loc(#loc8)
    %66 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%63, %65 : tensor<2x24x32xf64>, tensor<2x24x1xf64>) outs(%0 : tensor<2x24x32xf64>) {
    ^bb0(%in: f64 loc("norm2"(#loc2)), %in_36: f64 loc("norm2"(#loc2)), %out: f64 loc("norm2"(#loc2))):
      %92 = arith.subf %in, %in_36 : f64 loc(#loc8)
      linalg.yield %92 : f64 loc(#loc8)
    } -> tensor<2x24x32xf64> loc(#loc8)
    %67 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%66, %66 : tensor<2x24x32xf64>, tensor<2x24x32xf64>) outs(%0 : tensor<2x24x32xf64>) {
    ^bb0(%in: f64 loc("norm2"(#loc2)), %in_36: f64 loc("norm2"(#loc2)), %out: f64 loc("norm2"(#loc2))):
      %92 = arith.mulf %in, %in_36 : f64 loc(#loc8)
      linalg.yield %92 : f64 loc(#loc8)
    } -> tensor<2x24x32xf64> loc(#loc8)
    %68 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%67 : tensor<2x24x32xf64>) outs(%3 : tensor<2x24x1xf64>) {
    ^bb0(%in: f64 loc("norm2"(#loc2)), %out: f64 loc("norm2"(#loc2))):
      %92 = arith.addf %in, %out : f64 loc(#loc8)
      linalg.yield %92 : f64 loc(#loc8)
    } -> tensor<2x24x1xf64> loc(#loc8)
    %69 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%68 : tensor<2x24x1xf64>) outs(%2 : tensor<2x24x1xf64>) {
    ^bb0(%in: f64 loc("norm2"(#loc2)), %out: f64 loc("norm2"(#loc2))):
      %92 = arith.divf %in, %cst_7 : f64 loc(#loc8)
      linalg.yield %92 : f64 loc(#loc8)
    } -> tensor<2x24x1xf64> loc(#loc8)
    %70 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%69 : tensor<2x24x1xf64>) outs(%10 : tensor<2x24x1xf32>) {
    ^bb0(%in: f64 loc("norm2"(#loc2)), %out: f32 loc("norm2"(#loc2))):
      %92 = arith.truncf %in : f64 to f32 loc(#loc8)
      linalg.yield %92 : f32 loc(#loc8)
    } -> tensor<2x24x1xf32> loc(#loc8)
    %71 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%62 : tensor<2x24x32xf32>) outs(%12 : tensor<2x24x1xf32>) {
    ^bb0(%in: f32 loc("block.py":38:0), %out: f32 loc("norm2"(#loc2))):
      %92 = arith.addf %in, %out : f32 loc(#loc8)
      linalg.yield %92 : f32 loc(#loc8)
    } -> tensor<2x24x1xf32> loc(#loc8)
    %72 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%71 : tensor<2x24x1xf32>) outs(%10 : tensor<2x24x1xf32>) {
    ^bb0(%in: f32 loc("norm2"(#loc2)), %out: f32 loc("norm2"(#loc2))):
      %92 = arith.divf %in, %cst_8 : f32 loc(#loc8)
      linalg.yield %92 : f32 loc(#loc8)
    } -> tensor<2x24x1xf32> loc(#loc8)
    %73 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%70 : tensor<2x24x1xf32>) outs(%10 : tensor<2x24x1xf32>) {
    ^bb0(%in: f32 loc("norm2"(#loc2)), %out: f32 loc("norm2"(#loc2))):
      %92 = arith.truncf %cst_6 : f64 to f32 loc(#loc8)
      %93 = arith.addf %in, %92 : f32 loc(#loc8)
      linalg.yield %93 : f32 loc(#loc8)
    } -> tensor<2x24x1xf32> loc(#loc8)
    %74 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73 : tensor<2x24x1xf32>) outs(%10 : tensor<2x24x1xf32>) {
    ^bb0(%in: f32 loc("norm2"(#loc2)), %out: f32 loc("norm2"(#loc2))):
      %92 = math.rsqrt %in : f32 loc(#loc8)
      linalg.yield %92 : f32 loc(#loc8)
    } -> tensor<2x24x1xf32> loc(#loc8)
    %75 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62, %72 : tensor<2x24x32xf32>, tensor<2x24x1xf32>) outs(%17 : tensor<2x24x32xf32>) {
    ^bb0(%in: f32 loc("block.py":38:0), %in_36: f32 loc("norm2"(#loc2)), %out: f32 loc("norm2"(#loc2))):
      %92 = arith.subf %in, %in_36 : f32 loc(#loc8)
      linalg.yield %92 : f32 loc(#loc8)
    } -> tensor<2x24x32xf32> loc(#loc8)
    %76 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%75, %74 : tensor<2x24x32xf32>, tensor<2x24x1xf32>) outs(%17 : tensor<2x24x32xf32>) {
    ^bb0(%in: f32 loc("norm2"(#loc2)), %in_36: f32 loc("norm2"(#loc2)), %out: f32 loc("norm2"(#loc2))):
      %92 = arith.mulf %in, %in_36 : f32 loc(#loc8)
      linalg.yield %92 : f32 loc(#loc8)
    } -> tensor<2x24x32xf32> loc(#loc8)
    %77 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%76, %arg10 : tensor<2x24x32xf32>, tensor<32xf32>) outs(%17 : tensor<2x24x32xf32>) {
    ^bb0(%in: f32 loc("norm2"(#loc2)), %in_36: f32 loc("norm2"(#loc2)), %out: f32 loc("norm2"(#loc2))):
      %92 = arith.mulf %in, %in_36 : f32 loc(#loc8)
      linalg.yield %92 : f32 loc(#loc8)
    } -> tensor<2x24x32xf32> loc(#loc8)
    %78 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%77, %arg11 : tensor<2x24x32xf32>, tensor<32xf32>) outs(%17 : tensor<2x24x32xf32>) {
    ^bb0(%in: f32 loc("norm2"(#loc2)), %in_36: f32 loc("norm2"(#loc2)), %out: f32 loc("norm2"(#loc2))):
      %92 = arith.addf %in, %in_36 : f32 loc(#loc8)
      linalg.yield %92 : f32 loc(#loc8)
    } -> tensor<2x24x32xf32> loc(#loc8)
    %collapsed_30 = tensor.collapse_shape %78 [[0, 1], [2]] : tensor<2x24x32xf32> into tensor<48x32xf32> loc(#loc9)
    %79 = tensor.empty() : tensor<32x128xf32> loc(#loc9)
    %transposed_31 = linalg.transpose ins(%arg12 : tensor<128x32xf32>) outs(%79 : tensor<32x128xf32>) permutation = [1, 0]  loc(#loc9)
    %80 = tensor.empty() : tensor<48x128xf32> loc(#loc9)
    %81 = linalg.fill ins(%cst_0 : f32) outs(%80 : tensor<48x128xf32>) -> tensor<48x128xf32> loc(#loc9)
    %82 = linalg.matmul ins(%collapsed_30, %transposed_31 : tensor<48x32xf32>, tensor<32x128xf32>) outs(%81 : tensor<48x128xf32>) -> tensor<48x128xf32> loc(#loc9)
    %83 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg13 : tensor<128xf32>) outs(%80 : tensor<48x128xf32>) {
    ^bb0(%in: f32 loc("up"(#loc2)), %out: f32 loc("up"(#loc2))):
      linalg.yield %in : f32 loc(#loc9)
    } -> tensor<48x128xf32> loc(#loc9)
    %84 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%82, %83 : tensor<48x128xf32>, tensor<48x128xf32>) outs(%80 : tensor<48x128xf32>) {
    ^bb0(%in: f32 loc("up"(#loc2)), %in_36: f32 loc("up"(#loc2)), %out: f32 loc("up"(#loc2))):
      %92 = arith.addf %in, %in_36 : f32 loc(#loc9)
      linalg.yield %92 : f32 loc(#loc9)
    } -> tensor<48x128xf32> loc(#loc9)
    %expanded_32 = tensor.expand_shape %84 [[0, 1], [2]] output_shape [2, 24, 128] : tensor<48x128xf32> into tensor<2x24x128xf32> loc(#loc9)
    %85 = tensor.empty() : tensor<2x24x128xf32> loc(#loc2)
    %86 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_32 : tensor<2x24x128xf32>) outs(%85 : tensor<2x24x128xf32>) {
    ^bb0(%in: f32 loc("up"(#loc2)), %out: f32 loc("block.py":39:0)):
      %92 = arith.divf %in, %cst_9 : f32 loc(#loc2)
      %93 = math.erf %92 : f32 loc(#loc2)
      %94 = arith.addf %93, %cst_2 : f32 loc(#loc2)
      %95 = arith.mulf %94, %cst_3 : f32 loc(#loc2)
      %96 = arith.mulf %in, %95 : f32 loc(#loc2)
      linalg.yield %96 : f32 loc(#loc2)
    } -> tensor<2x24x128xf32> loc(#loc2)
    %collapsed_33 = tensor.collapse_shape %86 [[0, 1], [2]] : tensor<2x24x128xf32> into tensor<48x128xf32> loc(#loc10)
    %87 = tensor.empty() : tensor<128x32xf32> loc(#loc10)
    %transposed_34 = linalg.transpose ins(%arg14 : tensor<32x128xf32>) outs(%87 : tensor<128x32xf32>) permutation = [1, 0]  loc(#loc10)
    %88 = linalg.matmul ins(%collapsed_33, %transposed_34 : tensor<48x128xf32>, tensor<128x32xf32>) outs(%24 : tensor<48x32xf32>) -> tensor<48x32xf32> loc(#loc10)
    %89 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg15 : tensor<32xf32>) outs(%23 : tensor<48x32xf32>) {
    ^bb0(%in: f32 loc("down"(#loc2)), %out: f32 loc("down"(#loc2))):
      linalg.yield %in : f32 loc(#loc10)
    } -> tensor<48x32xf32> loc(#loc10)
    %90 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%88, %89 : tensor<48x32xf32>, tensor<48x32xf32>) outs(%23 : tensor<48x32xf32>) {
    ^bb0(%in: f32 loc("down"(#loc2)), %in_36: f32 loc("down"(#loc2)), %out: f32 loc("down"(#loc2))):
      %92 = arith.addf %in, %in_36 : f32 loc(#loc10)
      linalg.yield %92 : f32 loc(#loc10)
    } -> tensor<48x32xf32> loc(#loc10)
    %expanded_35 = tensor.expand_shape %90 [[0, 1], [2]] output_shape [2, 24, 32] : tensor<48x32xf32> into tensor<2x24x32xf32> loc(#loc10)
    %91 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62, %expanded_35 : tensor<2x24x32xf32>, tensor<2x24x32xf32>) outs(%17 : tensor<2x24x32xf32>) {
    ^bb0(%in: f32 loc("block.py":38:0), %in_36: f32 loc("down"(#loc2)), %out: f32 loc("block.py":39:0)):
      %92 = arith.addf %in, %in_36 : f32 loc(#loc2)
      linalg.yield %92 : f32 loc(#loc2)
    } -> tensor<2x24x32xf32> loc(#loc2)
    return %91 : tensor<2x24x32xf32> loc(#loc2)
  } loc(#loc3)
} loc(#loc)
#loc = loc(unknown)
#loc5 = loc("k"(#loc1))
