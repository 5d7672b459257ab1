// Made by: tpc-import torch scalars.py:reductions_f64 -o reductions_f64.mlir (torch 2.15.0)
#loc1 = loc("scalars.py":32:0)
#loc2 = loc("scalars.py":34:0)
#loc3 = loc("scalars.py":33:0)
#loc4 = loc("scalars.py":35:0)
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0, d1) -> (d0, 0)>
#map5 = affine_map<(d0, d1) -> ()>
#map6 = affine_map<(d0, d1) -> (0, d1)>
#map7 = affine_map<() -> ()>
module {
  func.func @forward(%arg0: tensor<4x6xf64> {tp.name = "x"} loc("x"("scalars.py":32:0)), %arg1: tensor<4x6xf64> {tp.name = "p"} loc("p"("scalars.py":34:0))) -> (tensor<4xf64> {tp.name = "spread"}, tensor<4x6xf64> {tp.name = "soft"}, tensor<6xf64> {tp.name = "lse"}, tensor<f64> {tp.name = "mean"}) {
    %c0_i64 = arith.constant 0 : i64 loc(#loc)
    %cst = arith.constant 0xFFF0000000000000 : f64 loc(#loc)
    %cst_0 = arith.constant 0x7FF0000000000000 : f64 loc(#loc)
    %cst_1 = arith.constant 0.000000e+00 : f64 loc(#loc)
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<f64> loc(#loc2)
    %cst_3 = arith.constant 2.400000e+01 : f64 loc(#loc)
    %0 = tensor.empty() : tensor<4xi64> loc(#loc1)
    %1 = linalg.fill ins(%c0_i64 : i64) outs(%0 : tensor<4xi64>) -> tensor<4xi64> loc(#loc1)
    %2 = tensor.empty() : tensor<4xf64> loc(#loc1)
    %3 = linalg.fill ins(%cst : f64) outs(%2 : tensor<4xf64>) -> tensor<4xf64> loc(#loc1)
    %4:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<4x6xf64>) outs(%3, %1 : tensor<4xf64>, tensor<4xi64>) {
    ^bb0(%in: f64 loc("scalars.py":32:0), %out: f64 loc("scalars.py":32:0), %out_5: i64 loc("scalars.py":32:0)):
      %36 = linalg.index 1 : index loc(#loc1)
      %37 = arith.index_cast %36 : index to i64 loc(#loc1)
      %38 = arith.maximumf %in, %out : f64 loc(#loc1)
      %39 = arith.cmpf ogt, %in, %out : f64 loc(#loc1)
      %40 = arith.select %39, %37, %out_5 : i64 loc(#loc1)
      linalg.yield %38, %40 : f64, i64 loc(#loc1)
    } -> (tensor<4xf64>, tensor<4xi64>) loc(#loc1)
    %5 = tensor.empty() : tensor<6xi64> loc(#loc1)
    %6 = linalg.fill ins(%c0_i64 : i64) outs(%5 : tensor<6xi64>) -> tensor<6xi64> loc(#loc1)
    %7 = tensor.empty() : tensor<6xf64> loc(#loc1)
    %8 = linalg.fill ins(%cst_0 : f64) outs(%7 : tensor<6xf64>) -> tensor<6xf64> loc(#loc1)
    %9:2 = linalg.generic {indexing_maps = [#map, #map2, #map2], iterator_types = ["reduction", "parallel"]} ins(%arg0 : tensor<4x6xf64>) outs(%8, %6 : tensor<6xf64>, tensor<6xi64>) {
    ^bb0(%in: f64 loc("scalars.py":32:0), %out: f64 loc("scalars.py":32:0), %out_5: i64 loc("scalars.py":32:0)):
      %36 = linalg.index 0 : index loc(#loc1)
      %37 = arith.index_cast %36 : index to i64 loc(#loc1)
      %38 = arith.minimumf %in, %out : f64 loc(#loc1)
      %39 = arith.cmpf olt, %in, %out : f64 loc(#loc1)
      %40 = arith.select %39, %37, %out_5 : i64 loc(#loc1)
      linalg.yield %38, %40 : f64, i64 loc(#loc1)
    } -> (tensor<6xf64>, tensor<6xi64>) loc(#loc1)
    %extracted_slice = tensor.extract_slice %9#0[0] [4] [1] : tensor<6xf64> to tensor<4xf64> loc(#loc1)
    %10 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%4#0, %extracted_slice : tensor<4xf64>, tensor<4xf64>) outs(%2 : tensor<4xf64>) {
    ^bb0(%in: f64 loc("scalars.py":32:0), %in_5: f64 loc("scalars.py":32:0), %out: f64 loc("scalars.py":32:0)):
      %36 = arith.subf %in, %in_5 : f64 loc(#loc1)
      linalg.yield %36 : f64 loc(#loc1)
    } -> tensor<4xf64> loc(#loc1)
    %expanded = tensor.expand_shape %4#0 [[0, 1]] output_shape [4, 1] : tensor<4xf64> into tensor<4x1xf64> loc(#loc3)
    %11 = tensor.empty() : tensor<4x6xf64> loc(#loc3)
    %12 = linalg.generic {indexing_maps = [#map, #map4, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %expanded : tensor<4x6xf64>, tensor<4x1xf64>) outs(%11 : tensor<4x6xf64>) {
    ^bb0(%in: f64 loc("scalars.py":32:0), %in_5: f64 loc("scalars.py":33:0), %out: f64 loc("scalars.py":33:0)):
      %36 = arith.subf %in, %in_5 : f64 loc(#loc3)
      linalg.yield %36 : f64 loc(#loc3)
    } -> tensor<4x6xf64> loc(#loc3)
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<4x6xf64>) outs(%11 : tensor<4x6xf64>) {
    ^bb0(%in: f64 loc("scalars.py":33:0), %out: f64 loc("scalars.py":33:0)):
      %36 = math.exp %in : f64 loc(#loc3)
      linalg.yield %36 : f64 loc(#loc3)
    } -> tensor<4x6xf64> loc(#loc3)
    %14 = tensor.empty() : tensor<4x1xf64> loc(#loc3)
    %15 = linalg.fill ins(%cst_1 : f64) outs(%14 : tensor<4x1xf64>) -> tensor<4x1xf64> loc(#loc3)
    %16 = linalg.generic {indexing_maps = [#map, #map4], iterator_types = ["parallel", "reduction"]} ins(%13 : tensor<4x6xf64>) outs(%15 : tensor<4x1xf64>) {
    ^bb0(%in: f64 loc("scalars.py":33:0), %out: f64 loc("scalars.py":33:0)):
      %36 = arith.addf %in, %out : f64 loc(#loc3)
      linalg.yield %36 : f64 loc(#loc3)
    } -> tensor<4x1xf64> loc(#loc3)
    %17 = linalg.generic {indexing_maps = [#map, #map4, #map], iterator_types = ["parallel", "parallel"]} ins(%13, %16 : tensor<4x6xf64>, tensor<4x1xf64>) outs(%11 : tensor<4x6xf64>) {
    ^bb0(%in: f64 loc("scalars.py":33:0), %in_5: f64 loc("scalars.py":33:0), %out: f64 loc("scalars.py":33:0)):
      %36 = arith.divf %in, %in_5 : f64 loc(#loc3)
      linalg.yield %36 : f64 loc(#loc3)
    } -> tensor<4x6xf64> loc(#loc3)
    %18 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<4x6xf64>, tensor<4x6xf64>) outs(%11 : tensor<4x6xf64>) {
    ^bb0(%in: f64 loc("scalars.py":32:0), %in_5: f64 loc("scalars.py":34:0), %out: f64 loc("scalars.py":34:0)):
      %36 = arith.mulf %in, %in_5 : f64 loc(#loc2)
      linalg.yield %36 : f64 loc(#loc2)
    } -> tensor<4x6xf64> loc(#loc2)
    %19 = linalg.fill ins(%cst : f64) outs(%7 : tensor<6xf64>) -> tensor<6xf64> loc(#loc2)
    %20:2 = linalg.generic {indexing_maps = [#map, #map2, #map2], iterator_types = ["reduction", "parallel"]} ins(%18 : tensor<4x6xf64>) outs(%19, %6 : tensor<6xf64>, tensor<6xi64>) {
    ^bb0(%in: f64 loc("scalars.py":34:0), %out: f64 loc("scalars.py":34:0), %out_5: i64 loc("scalars.py":34:0)):
      %36 = linalg.index 0 : index loc(#loc2)
      %37 = arith.index_cast %36 : index to i64 loc(#loc2)
      %38 = arith.maximumf %in, %out : f64 loc(#loc2)
      %39 = arith.cmpf ogt, %in, %out : f64 loc(#loc2)
      %40 = arith.select %39, %37, %out_5 : i64 loc(#loc2)
      linalg.yield %38, %40 : f64, i64 loc(#loc2)
    } -> (tensor<6xf64>, tensor<6xi64>) loc(#loc2)
    %expanded_4 = tensor.expand_shape %20#0 [[0, 1]] output_shape [1, 6] : tensor<6xf64> into tensor<1x6xf64> loc(#loc2)
    %21 = tensor.empty() : tensor<1x6xf64> loc(#loc2)
    %22 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded_4 : tensor<1x6xf64>) outs(%21 : tensor<1x6xf64>) {
    ^bb0(%in: f64 loc("scalars.py":34:0), %out: f64 loc("scalars.py":34:0)):
      %36 = math.absf %in : f64 loc(#loc2)
      linalg.yield %36 : f64 loc(#loc2)
    } -> tensor<1x6xf64> loc(#loc2)
    %23 = tensor.empty() : tensor<1x6xi1> loc(#loc2)
    %24 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%22 : tensor<1x6xf64>) outs(%23 : tensor<1x6xi1>) {
    ^bb0(%in: f64 loc("scalars.py":34:0), %out: i1 loc("scalars.py":34:0)):
      %36 = arith.cmpf oeq, %in, %cst_0 : f64 loc(#loc2)
      linalg.yield %36 : i1 loc(#loc2)
    } -> tensor<1x6xi1> loc(#loc2)
    %25 = linalg.generic {indexing_maps = [#map, #map5, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%24, %cst_2, %expanded_4 : tensor<1x6xi1>, tensor<f64>, tensor<1x6xf64>) outs(%21 : tensor<1x6xf64>) {
    ^bb0(%in: i1 loc("scalars.py":34:0), %in_5: f64 loc("scalars.py":34:0), %in_6: f64 loc("scalars.py":34:0), %out: f64 loc("scalars.py":34:0)):
      %36 = arith.select %in, %in_5, %in_6 : f64 loc(#loc2)
      linalg.yield %36 : f64 loc(#loc2)
    } -> tensor<1x6xf64> loc(#loc2)
    %collapsed = tensor.collapse_shape %25 [[0, 1]] : tensor<1x6xf64> into tensor<6xf64> loc(#loc2)
    %26 = linalg.generic {indexing_maps = [#map, #map6, #map], iterator_types = ["parallel", "parallel"]} ins(%18, %25 : tensor<4x6xf64>, tensor<1x6xf64>) outs(%11 : tensor<4x6xf64>) {
    ^bb0(%in: f64 loc("scalars.py":34:0), %in_5: f64 loc("scalars.py":34:0), %out: f64 loc("scalars.py":34:0)):
      %36 = arith.subf %in, %in_5 : f64 loc(#loc2)
      linalg.yield %36 : f64 loc(#loc2)
    } -> tensor<4x6xf64> loc(#loc2)
    %27 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%26 : tensor<4x6xf64>) outs(%11 : tensor<4x6xf64>) {
    ^bb0(%in: f64 loc("scalars.py":34:0), %out: f64 loc("scalars.py":34:0)):
      %36 = math.exp %in : f64 loc(#loc2)
      linalg.yield %36 : f64 loc(#loc2)
    } -> tensor<4x6xf64> loc(#loc2)
    %28 = linalg.fill ins(%cst_1 : f64) outs(%7 : tensor<6xf64>) -> tensor<6xf64> loc(#loc2)
    %29 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["reduction", "parallel"]} ins(%27 : tensor<4x6xf64>) outs(%28 : tensor<6xf64>) {
    ^bb0(%in: f64 loc("scalars.py":34:0), %out: f64 loc("scalars.py":34:0)):
      %36 = arith.addf %in, %out : f64 loc(#loc2)
      linalg.yield %36 : f64 loc(#loc2)
    } -> tensor<6xf64> loc(#loc2)
    %30 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%29 : tensor<6xf64>) outs(%7 : tensor<6xf64>) {
    ^bb0(%in: f64 loc("scalars.py":34:0), %out: f64 loc("scalars.py":34:0)):
      %36 = math.log %in : f64 loc(#loc2)
      linalg.yield %36 : f64 loc(#loc2)
    } -> tensor<6xf64> loc(#loc2)
    %31 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%30, %collapsed : tensor<6xf64>, tensor<6xf64>) outs(%7 : tensor<6xf64>) {
    ^bb0(%in: f64 loc("scalars.py":34:0), %in_5: f64 loc("scalars.py":34:0), %out: f64 loc("scalars.py":34:0)):
      %36 = arith.addf %in, %in_5 : f64 loc(#loc2)
      linalg.yield %36 : f64 loc(#loc2)
    } -> tensor<6xf64> loc(#loc2)
    %32 = tensor.empty() : tensor<f64> loc(#loc4)
    %33 = linalg.fill ins(%cst_1 : f64) outs(%32 : tensor<f64>) -> tensor<f64> loc(#loc4)
    %34 = linalg.generic {indexing_maps = [#map, #map5], iterator_types = ["reduction", "reduction"]} ins(%18 : tensor<4x6xf64>) outs(%33 : tensor<f64>) {
    ^bb0(%in: f64 loc("scalars.py":35:0), %out: f64 loc("scalars.py":35:0)):
      %36 = arith.addf %in, %out : f64 loc(#loc4)
      linalg.yield %36 : f64 loc(#loc4)
    } -> tensor<f64> loc(#loc4)
    %35 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = []} ins(%34 : tensor<f64>) outs(%32 : tensor<f64>) {
    ^bb0(%in: f64 loc("scalars.py":35:0), %out: f64 loc("scalars.py":35:0)):
      %36 = arith.divf %in, %cst_3 : f64 loc(#loc4)
      linalg.yield %36 : f64 loc(#loc4)
    } -> tensor<f64> loc(#loc4)
    return %10, %17, %31, %35 : tensor<4xf64>, tensor<4x6xf64>, tensor<6xf64>, tensor<f64> loc(#loc4)
  } loc(#loc1)
} loc(#loc)
#loc = loc(unknown)
