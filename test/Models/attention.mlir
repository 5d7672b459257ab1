// Made by: tpc-import torch attention.py:attention -o attention.mlir (torch 2.15.0)
#loc1 = loc("attention.py":24:0)
#loc2 = loc("attention.py":29:0)
#loc3 = loc("attention.py":28:0)
#loc5 = loc("attention.py":26:0)
#loc6 = loc("attention.py":27:0)
#loc7 = loc("attention.py":30:0)
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0) -> (d0)>
#map5 = affine_map<(d0, d1) -> (0, d1)>
#map6 = affine_map<(d0, d1) -> (d0, 0)>
#map7 = affine_map<(d0, d1) -> (d0, d1)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> ()>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map11 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#loc8 = loc("norm"(#loc1))
#loc12 = loc("o"(#loc7))
module {
  func.func @forward(%arg0: tensor<2x8x16xf32> {tp.name = "x"} loc("x"("attention.py":24:0)), %arg1: tensor<16xf32> {tp.name = "norm.weight", tp.param} loc("norm.weight"("attention.py":24:0)), %arg2: tensor<16xf32> {tp.name = "norm.bias", tp.param} loc("norm.bias"("attention.py":24:0)), %arg3: tensor<16x16xf32> {tp.name = "q.weight", tp.param} loc("q.weight"("attention.py":25:0)), %arg4: tensor<16x16xf32> {tp.name = "k.weight", tp.param} loc("k.weight"("attention.py":25:0)), %arg5: tensor<16x16xf32> {tp.name = "v.weight", tp.param} loc("v.weight"("attention.py":25:0)), %arg6: tensor<16x16xf32> {tp.name = "o.weight", tp.param} loc("o.weight"("attention.py":30:0))) -> (tensor<2x8x16xf32> {tp.name = "y"}) {
    %c0_i64 = arith.constant 0 : i64 loc(#loc)
    %cst = arith.constant 0.000000e+00 : f64 loc(#loc)
    %cst_0 = arith.constant 0.000000e+00 : f32 loc(#loc)
    %cst_1 = arith.constant 0xFF800000 : f32 loc(#loc2)
    %cst_2 = arith.constant dense<-1.000000e+09> : tensor<f32> loc(#loc3)
    %cst_3 = arith.constant 1.000000e-05 : f64 loc(#loc8)
    %cst_4 = arith.constant 1.600000e+01 : f64 loc(#loc)
    %cst_5 = arith.constant 1.600000e+01 : f32 loc(#loc)
    %cst_6 = arith.constant 2.000000e+00 : f32 loc(#loc)
    %0 = tensor.empty() : tensor<2x8x16xf64> loc(#loc8)
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x8x16xf32>) outs(%0 : tensor<2x8x16xf64>) {
    ^bb0(%in: f32 loc("norm"(#loc1)), %out: f64 loc("norm"(#loc1))):
      %56 = arith.extf %in : f32 to f64 loc(#loc8)
      linalg.yield %56 : f64 loc(#loc8)
    } -> tensor<2x8x16xf64> loc(#loc8)
    %2 = tensor.empty() : tensor<2x8x1xf64> loc(#loc8)
    %3 = linalg.fill ins(%cst : f64) outs(%2 : tensor<2x8x1xf64>) -> tensor<2x8x1xf64> loc(#loc8)
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1 : tensor<2x8x16xf64>) outs(%3 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64 loc("norm"(#loc1)), %out: f64 loc("norm"(#loc1))):
      %56 = arith.addf %in, %out : f64 loc(#loc8)
      linalg.yield %56 : f64 loc(#loc8)
    } -> tensor<2x8x1xf64> loc(#loc8)
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<2x8x1xf64>) outs(%2 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64 loc("norm"(#loc1)), %out: f64 loc("norm"(#loc1))):
      %56 = arith.divf %in, %cst_4 : f64 loc(#loc8)
      linalg.yield %56 : f64 loc(#loc8)
    } -> tensor<2x8x1xf64> loc(#loc8)
    %6 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %5 : tensor<2x8x16xf64>, tensor<2x8x1xf64>) outs(%0 : tensor<2x8x16xf64>) {
    ^bb0(%in: f64 loc("norm"(#loc1)), %in_27: f64 loc("norm"(#loc1)), %out: f64 loc("norm"(#loc1))):
      %56 = arith.subf %in, %in_27 : f64 loc(#loc8)
      linalg.yield %56 : f64 loc(#loc8)
    } -> tensor<2x8x16xf64> loc(#loc8)
    %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %6 : tensor<2x8x16xf64>, tensor<2x8x16xf64>) outs(%0 : tensor<2x8x16xf64>) {
    ^bb0(%in: f64 loc("norm"(#loc1)), %in_27: f64 loc("norm"(#loc1)), %out: f64 loc("norm"(#loc1))):
      %56 = arith.mulf %in, %in_27 : f64 loc(#loc8)
      linalg.yield %56 : f64 loc(#loc8)
    } -> tensor<2x8x16xf64> loc(#loc8)
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%7 : tensor<2x8x16xf64>) outs(%3 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64 loc("norm"(#loc1)), %out: f64 loc("norm"(#loc1))):
      %56 = arith.addf %in, %out : f64 loc(#loc8)
      linalg.yield %56 : f64 loc(#loc8)
    } -> tensor<2x8x1xf64> loc(#loc8)
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<2x8x1xf64>) outs(%2 : tensor<2x8x1xf64>) {
    ^bb0(%in: f64 loc("norm"(#loc1)), %out: f64 loc("norm"(#loc1))):
      %56 = arith.divf %in, %cst_4 : f64 loc(#loc8)
      linalg.yield %56 : f64 loc(#loc8)
    } -> tensor<2x8x1xf64> loc(#loc8)
    %10 = tensor.empty() : tensor<2x8x1xf32> loc(#loc8)
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<2x8x1xf64>) outs(%10 : tensor<2x8x1xf32>) {
    ^bb0(%in: f64 loc("norm"(#loc1)), %out: f32 loc("norm"(#loc1))):
      %56 = arith.truncf %in : f64 to f32 loc(#loc8)
      linalg.yield %56 : f32 loc(#loc8)
    } -> tensor<2x8x1xf32> loc(#loc8)
    %12 = linalg.fill ins(%cst_0 : f32) outs(%10 : tensor<2x8x1xf32>) -> tensor<2x8x1xf32> loc(#loc8)
    %13 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<2x8x16xf32>) outs(%12 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32 loc("norm"(#loc1)), %out: f32 loc("norm"(#loc1))):
      %56 = arith.addf %in, %out : f32 loc(#loc8)
      linalg.yield %56 : f32 loc(#loc8)
    } -> tensor<2x8x1xf32> loc(#loc8)
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<2x8x1xf32>) outs(%10 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32 loc("norm"(#loc1)), %out: f32 loc("norm"(#loc1))):
      %56 = arith.divf %in, %cst_5 : f32 loc(#loc8)
      linalg.yield %56 : f32 loc(#loc8)
    } -> tensor<2x8x1xf32> loc(#loc8)
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<2x8x1xf32>) outs(%10 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32 loc("norm"(#loc1)), %out: f32 loc("norm"(#loc1))):
      %56 = arith.truncf %cst_3 : f64 to f32 loc(#loc8)
      %57 = arith.addf %in, %56 : f32 loc(#loc8)
      linalg.yield %57 : f32 loc(#loc8)
    } -> tensor<2x8x1xf32> loc(#loc8)
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<2x8x1xf32>) outs(%10 : tensor<2x8x1xf32>) {
    ^bb0(%in: f32 loc("norm"(#loc1)), %out: f32 loc("norm"(#loc1))):
      %56 = math.rsqrt %in : f32 loc(#loc8)
      linalg.yield %56 : f32 loc(#loc8)
    } -> tensor<2x8x1xf32> loc(#loc8)
    %17 = tensor.empty() : tensor<2x8x16xf32> loc(#loc8)
    %18 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %14 : tensor<2x8x16xf32>, tensor<2x8x1xf32>) outs(%17 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32 loc("norm"(#loc1)), %in_27: f32 loc("norm"(#loc1)), %out: f32 loc("norm"(#loc1))):
      %56 = arith.subf %in, %in_27 : f32 loc(#loc8)
      linalg.yield %56 : f32 loc(#loc8)
    } -> tensor<2x8x16xf32> loc(#loc8)
    %19 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18, %16 : tensor<2x8x16xf32>, tensor<2x8x1xf32>) outs(%17 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32 loc("norm"(#loc1)), %in_27: f32 loc("norm"(#loc1)), %out: f32 loc("norm"(#loc1))):
      %56 = arith.mulf %in, %in_27 : f32 loc(#loc8)
      linalg.yield %56 : f32 loc(#loc8)
    } -> tensor<2x8x16xf32> loc(#loc8)
    %20 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%19, %arg1 : tensor<2x8x16xf32>, tensor<16xf32>) outs(%17 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32 loc("norm"(#loc1)), %in_27: f32 loc("norm"(#loc1)), %out: f32 loc("norm"(#loc1))):
      %56 = arith.mulf %in, %in_27 : f32 loc(#loc8)
      linalg.yield %56 : f32 loc(#loc8)
    } -> tensor<2x8x16xf32> loc(#loc8)
    %21 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %arg2 : tensor<2x8x16xf32>, tensor<16xf32>) outs(%17 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32 loc("norm"(#loc1)), %in_27: f32 loc("norm"(#loc1)), %out: f32 loc("norm"(#loc1))):
      %56 = arith.addf %in, %in_27 : f32 loc(#loc8)
      linalg.yield %56 : f32 loc(#loc8)
    } -> tensor<2x8x16xf32> loc(#loc8)
    %22 = tensor.empty() : tensor<16x16xf32> loc(#loc9)
    %transposed = linalg.transpose ins(%arg3 : tensor<16x16xf32>) outs(%22 : tensor<16x16xf32>) permutation = [1, 0]  loc(#loc9)
    %collapsed = tensor.collapse_shape %21 [[0, 1], [2]] : tensor<2x8x16xf32> into tensor<16x16xf32> loc(#loc9)
    %23 = linalg.fill ins(%cst_0 : f32) outs(%22 : tensor<16x16xf32>) -> tensor<16x16xf32> loc(#loc9)
    %24 = linalg.matmul ins(%collapsed, %transposed : tensor<16x16xf32>, tensor<16x16xf32>) outs(%23 : tensor<16x16xf32>) -> tensor<16x16xf32> loc(#loc9)
    %expanded = tensor.expand_shape %24 [[0, 1], [2, 3]] output_shape [2, 8, 4, 4] : tensor<16x16xf32> into tensor<2x8x4x4xf32> loc(#loc4)
    %25 = tensor.empty() : tensor<2x4x8x4xf32> loc(#loc4)
    %transposed_7 = linalg.transpose ins(%expanded : tensor<2x8x4x4xf32>) outs(%25 : tensor<2x4x8x4xf32>) permutation = [0, 2, 1, 3]  loc(#loc4)
    %transposed_8 = linalg.transpose ins(%arg4 : tensor<16x16xf32>) outs(%22 : tensor<16x16xf32>) permutation = [1, 0]  loc(#loc10)
    %26 = linalg.matmul ins(%collapsed, %transposed_8 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%23 : tensor<16x16xf32>) -> tensor<16x16xf32> loc(#loc10)
    %expanded_9 = tensor.expand_shape %26 [[0, 1], [2, 3]] output_shape [2, 8, 4, 4] : tensor<16x16xf32> into tensor<2x8x4x4xf32> loc(#loc4)
    %transposed_10 = linalg.transpose ins(%arg5 : tensor<16x16xf32>) outs(%22 : tensor<16x16xf32>) permutation = [1, 0]  loc(#loc11)
    %27 = linalg.matmul ins(%collapsed, %transposed_10 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%23 : tensor<16x16xf32>) -> tensor<16x16xf32> loc(#loc11)
    %expanded_11 = tensor.expand_shape %27 [[0, 1], [2, 3]] output_shape [2, 8, 4, 4] : tensor<16x16xf32> into tensor<2x8x4x4xf32> loc(#loc4)
    %transposed_12 = linalg.transpose ins(%expanded_11 : tensor<2x8x4x4xf32>) outs(%25 : tensor<2x4x8x4xf32>) permutation = [0, 2, 1, 3]  loc(#loc4)
    %28 = tensor.empty() : tensor<2x4x4x8xf32> loc(#loc5)
    %transposed_13 = linalg.transpose ins(%expanded_9 : tensor<2x8x4x4xf32>) outs(%28 : tensor<2x4x4x8xf32>) permutation = [0, 2, 3, 1]  loc(#loc5)
    %collapsed_14 = tensor.collapse_shape %transposed_7 [[0, 1], [2], [3]] : tensor<2x4x8x4xf32> into tensor<8x8x4xf32> loc(#loc5)
    %collapsed_15 = tensor.collapse_shape %transposed_13 [[0, 1], [2], [3]] : tensor<2x4x4x8xf32> into tensor<8x4x8xf32> loc(#loc5)
    %29 = tensor.empty() : tensor<8x8x8xf32> loc(#loc5)
    %30 = linalg.fill ins(%cst_0 : f32) outs(%29 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32> loc(#loc5)
    %31 = linalg.batch_matmul ins(%collapsed_14, %collapsed_15 : tensor<8x8x4xf32>, tensor<8x4x8xf32>) outs(%30 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32> loc(#loc5)
    %expanded_16 = tensor.expand_shape %31 [[0, 1], [2], [3]] output_shape [2, 4, 8, 8] : tensor<8x8x8xf32> into tensor<2x4x8x8xf32> loc(#loc5)
    %32 = tensor.empty() : tensor<2x4x8x8xf32> loc(#loc5)
    %33 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_16 : tensor<2x4x8x8xf32>) outs(%32 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32 loc("attention.py":26:0), %out: f32 loc("attention.py":26:0)):
      %56 = arith.divf %in, %cst_6 : f32 loc(#loc5)
      linalg.yield %56 : f32 loc(#loc5)
    } -> tensor<2x4x8x8xf32> loc(#loc5)
    %34 = tensor.empty() : tensor<8xi64> loc(#loc6)
    %35 = linalg.generic {indexing_maps = [#map4], iterator_types = ["parallel"]} outs(%34 : tensor<8xi64>) {
    ^bb0(%out: i64 loc("attention.py":27:0)):
      %56 = linalg.index 0 : index loc(#loc6)
      %57 = arith.index_cast %56 : index to i64 loc(#loc6)
      linalg.yield %57 : i64 loc(#loc6)
    } -> tensor<8xi64> loc(#loc6)
    %expanded_17 = tensor.expand_shape %35 [[0, 1]] output_shape [8, 1] : tensor<8xi64> into tensor<8x1xi64> loc(#loc6)
    %expanded_18 = tensor.expand_shape %35 [[0, 1]] output_shape [1, 8] : tensor<8xi64> into tensor<1x8xi64> loc(#loc6)
    %36 = tensor.empty() : tensor<8x8xi1> loc(#loc3)
    %37 = linalg.generic {indexing_maps = [#map5, #map6, #map7], iterator_types = ["parallel", "parallel"]} ins(%expanded_18, %expanded_17 : tensor<1x8xi64>, tensor<8x1xi64>) outs(%36 : tensor<8x8xi1>) {
    ^bb0(%in: i64 loc("attention.py":27:0), %in_27: i64 loc("attention.py":27:0), %out: i1 loc("attention.py":28:0)):
      %56 = arith.cmpi sle, %in, %in_27 : i64 loc(#loc3)
      linalg.yield %56 : i1 loc(#loc3)
    } -> tensor<8x8xi1> loc(#loc3)
    %38 = linalg.generic {indexing_maps = [#map8, #map3, #map9, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%37, %33, %cst_2 : tensor<8x8xi1>, tensor<2x4x8x8xf32>, tensor<f32>) outs(%32 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: i1 loc("attention.py":28:0), %in_27: f32 loc("attention.py":26:0), %in_28: f32 loc("attention.py":28:0), %out: f32 loc("attention.py":28:0)):
      %56 = arith.select %in, %in_27, %in_28 : f32 loc(#loc3)
      linalg.yield %56 : f32 loc(#loc3)
    } -> tensor<2x4x8x8xf32> loc(#loc3)
    %39 = tensor.empty() : tensor<2x4x8xi64> loc(#loc2)
    %40 = linalg.fill ins(%c0_i64 : i64) outs(%39 : tensor<2x4x8xi64>) -> tensor<2x4x8xi64> loc(#loc2)
    %41 = tensor.empty() : tensor<2x4x8xf32> loc(#loc2)
    %42 = linalg.fill ins(%cst_1 : f32) outs(%41 : tensor<2x4x8xf32>) -> tensor<2x4x8xf32> loc(#loc2)
    %43:2 = linalg.generic {indexing_maps = [#map3, #map10, #map10], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%38 : tensor<2x4x8x8xf32>) outs(%42, %40 : tensor<2x4x8xf32>, tensor<2x4x8xi64>) {
    ^bb0(%in: f32 loc("attention.py":28:0), %out: f32 loc("attention.py":29:0), %out_27: i64 loc("attention.py":29:0)):
      %56 = linalg.index 3 : index loc(#loc2)
      %57 = arith.index_cast %56 : index to i64 loc(#loc2)
      %58 = arith.maximumf %in, %out : f32 loc(#loc2)
      %59 = arith.cmpf ogt, %in, %out : f32 loc(#loc2)
      %60 = arith.select %59, %57, %out_27 : i64 loc(#loc2)
      linalg.yield %58, %60 : f32, i64 loc(#loc2)
    } -> (tensor<2x4x8xf32>, tensor<2x4x8xi64>) loc(#loc2)
    %expanded_19 = tensor.expand_shape %43#0 [[0], [1], [2, 3]] output_shape [2, 4, 8, 1] : tensor<2x4x8xf32> into tensor<2x4x8x1xf32> loc(#loc2)
    %44 = linalg.generic {indexing_maps = [#map3, #map11, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%38, %expanded_19 : tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) outs(%32 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32 loc("attention.py":28:0), %in_27: f32 loc("attention.py":29:0), %out: f32 loc("attention.py":29:0)):
      %56 = arith.subf %in, %in_27 : f32 loc(#loc2)
      linalg.yield %56 : f32 loc(#loc2)
    } -> tensor<2x4x8x8xf32> loc(#loc2)
    %45 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%44 : tensor<2x4x8x8xf32>) outs(%32 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32 loc("attention.py":29:0), %out: f32 loc("attention.py":29:0)):
      %56 = math.exp %in : f32 loc(#loc2)
      linalg.yield %56 : f32 loc(#loc2)
    } -> tensor<2x4x8x8xf32> loc(#loc2)
    %46 = tensor.empty() : tensor<2x4x8x1xf32> loc(#loc2)
    %47 = linalg.fill ins(%cst_0 : f32) outs(%46 : tensor<2x4x8x1xf32>) -> tensor<2x4x8x1xf32> loc(#loc2)
    %48 = linalg.generic {indexing_maps = [#map3, #map11], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%45 : tensor<2x4x8x8xf32>) outs(%47 : tensor<2x4x8x1xf32>) {
    ^bb0(%in: f32 loc("attention.py":29:0), %out: f32 loc("attention.py":29:0)):
      %56 = arith.addf %in, %out : f32 loc(#loc2)
      linalg.yield %56 : f32 loc(#loc2)
    } -> tensor<2x4x8x1xf32> loc(#loc2)
    %49 = linalg.generic {indexing_maps = [#map3, #map11, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%45, %48 : tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) outs(%32 : tensor<2x4x8x8xf32>) {
    ^bb0(%in: f32 loc("attention.py":29:0), %in_27: f32 loc("attention.py":29:0), %out: f32 loc("attention.py":29:0)):
      %56 = arith.divf %in, %in_27 : f32 loc(#loc2)
      linalg.yield %56 : f32 loc(#loc2)
    } -> tensor<2x4x8x8xf32> loc(#loc2)
    %collapsed_20 = tensor.collapse_shape %49 [[0, 1], [2], [3]] : tensor<2x4x8x8xf32> into tensor<8x8x8xf32> loc(#loc2)
    %collapsed_21 = tensor.collapse_shape %transposed_12 [[0, 1], [2], [3]] : tensor<2x4x8x4xf32> into tensor<8x8x4xf32> loc(#loc2)
    %50 = tensor.empty() : tensor<8x8x4xf32> loc(#loc2)
    %51 = linalg.fill ins(%cst_0 : f32) outs(%50 : tensor<8x8x4xf32>) -> tensor<8x8x4xf32> loc(#loc2)
    %52 = linalg.batch_matmul ins(%collapsed_20, %collapsed_21 : tensor<8x8x8xf32>, tensor<8x8x4xf32>) outs(%51 : tensor<8x8x4xf32>) -> tensor<8x8x4xf32> loc(#loc2)
    %expanded_22 = tensor.expand_shape %52 [[0, 1], [2], [3]] output_shape [2, 4, 8, 4] : tensor<8x8x4xf32> into tensor<2x4x8x4xf32> loc(#loc2)
    %53 = tensor.empty() : tensor<2x8x4x4xf32> loc(#loc7)
    %transposed_23 = linalg.transpose ins(%expanded_22 : tensor<2x4x8x4xf32>) outs(%53 : tensor<2x8x4x4xf32>) permutation = [0, 2, 1, 3]  loc(#loc7)
    %transposed_24 = linalg.transpose ins(%arg6 : tensor<16x16xf32>) outs(%22 : tensor<16x16xf32>) permutation = [1, 0]  loc(#loc12)
    %collapsed_25 = tensor.collapse_shape %transposed_23 [[0, 1], [2, 3]] : tensor<2x8x4x4xf32> into tensor<16x16xf32> loc(#loc12)
    %54 = linalg.matmul ins(%collapsed_25, %transposed_24 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%23 : tensor<16x16xf32>) -> tensor<16x16xf32> loc(#loc12)
    %expanded_26 = tensor.expand_shape %54 [[0, 1], [2]] output_shape [2, 8, 16] : tensor<16x16xf32> into tensor<2x8x16xf32> loc(#loc12)
    %55 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_26 : tensor<2x8x16xf32>, tensor<2x8x16xf32>) outs(%17 : tensor<2x8x16xf32>) {
    ^bb0(%in: f32 loc("norm"(#loc1)), %in_27: f32 loc("o"(#loc7)), %out: f32 loc("attention.py":30:0)):
      %56 = arith.addf %in, %in_27 : f32 loc(#loc7)
      linalg.yield %56 : f32 loc(#loc7)
    } -> tensor<2x8x16xf32> loc(#loc7)
    return %55 : tensor<2x8x16xf32> loc(#loc7)
  } loc(#loc8)
} loc(#loc)
#loc = loc(unknown)
#loc4 = loc("attention.py":25:0)
#loc9 = loc("q"(#loc4))
#loc10 = loc("k"(#loc4))
#loc11 = loc("v"(#loc4))
