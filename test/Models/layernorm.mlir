// Made by: tpc-import torch attention.py:layernorm -o layernorm.mlir (torch 2.15.0)
#loc1 = loc("torch/nn/modules/normalization.py":228:0)
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
#map2 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @forward(%arg0: tensor<6x8xf32> {tp.name = "x"} loc("x"("torch/nn/modules/normalization.py":228:0)), %arg1: tensor<8xf32> {tp.name = "weight", tp.param} loc("weight"("torch/nn/modules/normalization.py":228:0)), %arg2: tensor<8xf32> {tp.name = "bias", tp.param} loc("bias"("torch/nn/modules/normalization.py":228:0))) -> (tensor<6x8xf32> {tp.name = "y"}) {
    %cst = arith.constant 0.000000e+00 : f64 loc(#loc)
    %cst_0 = arith.constant 0.000000e+00 : f32 loc(#loc1)
    %cst_1 = arith.constant 1.000000e-05 : f64 loc(#loc1)
    %cst_2 = arith.constant 8.000000e+00 : f64 loc(#loc)
    %cst_3 = arith.constant 8.000000e+00 : f32 loc(#loc)
    %0 = tensor.empty() : tensor<6x8xf64> loc(#loc1)
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<6x8xf32>) outs(%0 : tensor<6x8xf64>) {
    ^bb0(%in: f32 loc("torch/nn/modules/normalization.py":228:0), %out: f64 loc("torch/nn/modules/normalization.py":228:0)):
      %22 = arith.extf %in : f32 to f64 loc(#loc1)
      linalg.yield %22 : f64 loc(#loc1)
    } -> tensor<6x8xf64> loc(#loc1)
    %2 = tensor.empty() : tensor<6x1xf64> loc(#loc1)
    %3 = linalg.fill ins(%cst : f64) outs(%2 : tensor<6x1xf64>) -> tensor<6x1xf64> loc(#loc1)
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<6x8xf64>) outs(%3 : tensor<6x1xf64>) {
    ^bb0(%in: f64 loc("torch/nn/modules/normalization.py":228:0), %out: f64 loc("torch/nn/modules/normalization.py":228:0)):
      %22 = arith.addf %in, %out : f64 loc(#loc1)
      linalg.yield %22 : f64 loc(#loc1)
    } -> tensor<6x1xf64> loc(#loc1)
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<6x1xf64>) outs(%2 : tensor<6x1xf64>) {
    ^bb0(%in: f64 loc("torch/nn/modules/normalization.py":228:0), %out: f64 loc("torch/nn/modules/normalization.py":228:0)):
      %22 = arith.divf %in, %cst_2 : f64 loc(#loc1)
      linalg.yield %22 : f64 loc(#loc1)
    } -> tensor<6x1xf64> loc(#loc1)
    %6 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %5 : tensor<6x8xf64>, tensor<6x1xf64>) outs(%0 : tensor<6x8xf64>) {
    ^bb0(%in: f64 loc("torch/nn/modules/normalization.py":228:0), %in_4: f64 loc("torch/nn/modules/normalization.py":228:0), %out: f64 loc("torch/nn/modules/normalization.py":228:0)):
      %22 = arith.subf %in, %in_4 : f64 loc(#loc1)
      linalg.yield %22 : f64 loc(#loc1)
    } -> tensor<6x8xf64> loc(#loc1)
    %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%6, %6 : tensor<6x8xf64>, tensor<6x8xf64>) outs(%0 : tensor<6x8xf64>) {
    ^bb0(%in: f64 loc("torch/nn/modules/normalization.py":228:0), %in_4: f64 loc("torch/nn/modules/normalization.py":228:0), %out: f64 loc("torch/nn/modules/normalization.py":228:0)):
      %22 = arith.mulf %in, %in_4 : f64 loc(#loc1)
      linalg.yield %22 : f64 loc(#loc1)
    } -> tensor<6x8xf64> loc(#loc1)
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%7 : tensor<6x8xf64>) outs(%3 : tensor<6x1xf64>) {
    ^bb0(%in: f64 loc("torch/nn/modules/normalization.py":228:0), %out: f64 loc("torch/nn/modules/normalization.py":228:0)):
      %22 = arith.addf %in, %out : f64 loc(#loc1)
      linalg.yield %22 : f64 loc(#loc1)
    } -> tensor<6x1xf64> loc(#loc1)
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<6x1xf64>) outs(%2 : tensor<6x1xf64>) {
    ^bb0(%in: f64 loc("torch/nn/modules/normalization.py":228:0), %out: f64 loc("torch/nn/modules/normalization.py":228:0)):
      %22 = arith.divf %in, %cst_2 : f64 loc(#loc1)
      linalg.yield %22 : f64 loc(#loc1)
    } -> tensor<6x1xf64> loc(#loc1)
    %10 = tensor.empty() : tensor<6x1xf32> loc(#loc1)
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<6x1xf64>) outs(%10 : tensor<6x1xf32>) {
    ^bb0(%in: f64 loc("torch/nn/modules/normalization.py":228:0), %out: f32 loc("torch/nn/modules/normalization.py":228:0)):
      %22 = arith.truncf %in : f64 to f32 loc(#loc1)
      linalg.yield %22 : f32 loc(#loc1)
    } -> tensor<6x1xf32> loc(#loc1)
    %12 = linalg.fill ins(%cst_0 : f32) outs(%10 : tensor<6x1xf32>) -> tensor<6x1xf32> loc(#loc1)
    %13 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<6x8xf32>) outs(%12 : tensor<6x1xf32>) {
    ^bb0(%in: f32 loc("torch/nn/modules/normalization.py":228:0), %out: f32 loc("torch/nn/modules/normalization.py":228:0)):
      %22 = arith.addf %in, %out : f32 loc(#loc1)
      linalg.yield %22 : f32 loc(#loc1)
    } -> tensor<6x1xf32> loc(#loc1)
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<6x1xf32>) outs(%10 : tensor<6x1xf32>) {
    ^bb0(%in: f32 loc("torch/nn/modules/normalization.py":228:0), %out: f32 loc("torch/nn/modules/normalization.py":228:0)):
      %22 = arith.divf %in, %cst_3 : f32 loc(#loc1)
      linalg.yield %22 : f32 loc(#loc1)
    } -> tensor<6x1xf32> loc(#loc1)
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<6x1xf32>) outs(%10 : tensor<6x1xf32>) {
    ^bb0(%in: f32 loc("torch/nn/modules/normalization.py":228:0), %out: f32 loc("torch/nn/modules/normalization.py":228:0)):
      %22 = arith.truncf %cst_1 : f64 to f32 loc(#loc1)
      %23 = arith.addf %in, %22 : f32 loc(#loc1)
      linalg.yield %23 : f32 loc(#loc1)
    } -> tensor<6x1xf32> loc(#loc1)
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<6x1xf32>) outs(%10 : tensor<6x1xf32>) {
    ^bb0(%in: f32 loc("torch/nn/modules/normalization.py":228:0), %out: f32 loc("torch/nn/modules/normalization.py":228:0)):
      %22 = math.rsqrt %in : f32 loc(#loc1)
      linalg.yield %22 : f32 loc(#loc1)
    } -> tensor<6x1xf32> loc(#loc1)
    %17 = tensor.empty() : tensor<6x8xf32> loc(#loc1)
    %18 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %14 : tensor<6x8xf32>, tensor<6x1xf32>) outs(%17 : tensor<6x8xf32>) {
    ^bb0(%in: f32 loc("torch/nn/modules/normalization.py":228:0), %in_4: f32 loc("torch/nn/modules/normalization.py":228:0), %out: f32 loc("torch/nn/modules/normalization.py":228:0)):
      %22 = arith.subf %in, %in_4 : f32 loc(#loc1)
      linalg.yield %22 : f32 loc(#loc1)
    } -> tensor<6x8xf32> loc(#loc1)
    %19 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%18, %16 : tensor<6x8xf32>, tensor<6x1xf32>) outs(%17 : tensor<6x8xf32>) {
    ^bb0(%in: f32 loc("torch/nn/modules/normalization.py":228:0), %in_4: f32 loc("torch/nn/modules/normalization.py":228:0), %out: f32 loc("torch/nn/modules/normalization.py":228:0)):
      %22 = arith.mulf %in, %in_4 : f32 loc(#loc1)
      linalg.yield %22 : f32 loc(#loc1)
    } -> tensor<6x8xf32> loc(#loc1)
    %20 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%19, %arg1 : tensor<6x8xf32>, tensor<8xf32>) outs(%17 : tensor<6x8xf32>) {
    ^bb0(%in: f32 loc("torch/nn/modules/normalization.py":228:0), %in_4: f32 loc("torch/nn/modules/normalization.py":228:0), %out: f32 loc("torch/nn/modules/normalization.py":228:0)):
      %22 = arith.mulf %in, %in_4 : f32 loc(#loc1)
      linalg.yield %22 : f32 loc(#loc1)
    } -> tensor<6x8xf32> loc(#loc1)
    %21 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%20, %arg2 : tensor<6x8xf32>, tensor<8xf32>) outs(%17 : tensor<6x8xf32>) {
    ^bb0(%in: f32 loc("torch/nn/modules/normalization.py":228:0), %in_4: f32 loc("torch/nn/modules/normalization.py":228:0), %out: f32 loc("torch/nn/modules/normalization.py":228:0)):
      %22 = arith.addf %in, %in_4 : f32 loc(#loc1)
      linalg.yield %22 : f32 loc(#loc1)
    } -> tensor<6x8xf32> loc(#loc1)
    return %21 : tensor<6x8xf32> loc(#loc1)
  } loc(#loc1)
} loc(#loc)
#loc = loc(unknown)
