// Made by: tpc-import torch language.py:language -o language.mlir (torch 2.15.0)
#loc1 = loc("language.py":24:0)
#loc2 = loc("language.py":34:0)
#loc3 = loc("language.py":30:0)
#loc4 = loc("language.py":32:0)
#loc5 = loc("language.py":28:0)
#loc6 = loc("language.py":26:0)
#loc7 = loc("language.py":31:0)
#loc8 = loc("language.py":33:0)
#loc9 = loc("language.py":35:0)
#map = affine_map<(d0, d1, d2) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map4 = affine_map<(d0, d1, d2) -> (d2)>
#map5 = affine_map<(d0, d1) -> (d1)>
#map6 = affine_map<(d0, d1) -> (d0, d1)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map8 = affine_map<(d0) -> (d0)>
#map9 = affine_map<(d0, d1) -> (0, d1)>
#map10 = affine_map<(d0, d1) -> (d0, 0)>
#map11 = affine_map<(d0, d1) -> ()>
#map12 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map13 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map14 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map15 = affine_map<(d0, d1) -> (d0)>
#map16 = affine_map<(d0) -> ()>
#map17 = affine_map<() -> ()>
#loc10 = loc("tokens"(#loc1))
#loc11 = loc("before"(#loc5))
#loc12 = loc("qkv"(#loc5))
#loc13 = loc("out"(#loc7))
#loc14 = loc("between"(#loc4))
#loc15 = loc("up"(#loc4))
#loc16 = loc("down"(#loc8))
module {
  func.func @forward(%arg0: tensor<4x6xi64> {tp.name = "ids"} loc("ids"("language.py":24:0)), %arg1: tensor<4x6xi64> {tp.name = "targets"} loc("targets"("language.py":35:0)), %arg2: tensor<6x16xf32> {tp.name = "places", tp.param} loc("places"("language.py":24:0)), %arg3: tensor<29x16xf32> {tp.name = "tokens.weight", tp.param} loc("tokens.weight"("language.py":24:0)), %arg4: tensor<16xf32> {tp.name = "before.weight", tp.param} loc("before.weight"("language.py":28:0)), %arg5: tensor<16xf32> {tp.name = "before.bias", tp.param} loc("before.bias"("language.py":28:0)), %arg6: tensor<48x16xf32> {tp.name = "qkv.weight", tp.param} loc("qkv.weight"("language.py":28:0)), %arg7: tensor<48xf32> {tp.name = "qkv.bias", tp.param} loc("qkv.bias"("language.py":28:0)), %arg8: tensor<16x16xf32> {tp.name = "out.weight", tp.param} loc("out.weight"("language.py":31:0)), %arg9: tensor<16xf32> {tp.name = "out.bias", tp.param} loc("out.bias"("language.py":31:0)), %arg10: tensor<16xf32> {tp.name = "between.weight", tp.param} loc("between.weight"("language.py":32:0)), %arg11: tensor<16xf32> {tp.name = "between.bias", tp.param} loc("between.bias"("language.py":32:0)), %arg12: tensor<32x16xf32> {tp.name = "up.weight", tp.param} loc("up.weight"("language.py":32:0)), %arg13: tensor<32xf32> {tp.name = "up.bias", tp.param} loc("up.bias"("language.py":32:0)), %arg14: tensor<16x32xf32> {tp.name = "down.weight", tp.param} loc("down.weight"("language.py":33:0)), %arg15: tensor<16xf32> {tp.name = "down.bias", tp.param} loc("down.bias"("language.py":33:0)), %arg16: tensor<29x16xf32> {tp.name = "scores.weight", tp.param} loc("scores.weight"("language.py":33:0))) -> (tensor<f32> {tp.name = "loss"}) {
    %c-100_i64 = arith.constant -100 : i64 loc(#loc2)
    %c0_i64 = arith.constant 0 : i64 loc(#loc)
    %c29 = arith.constant 29 : index loc(#loc)
    %cst = arith.constant 0.000000e+00 : f64 loc(#loc)
    %cst_0 = arith.constant 0.000000e+00 : f32 loc(#loc)
    %cst_1 = arith.constant 0xFF800000 : f32 loc(#loc)
    %true = arith.constant true loc(#loc3)
    %cst_2 = arith.constant dense<0.000000e+00> : tensor<4x4x6x6xf32> loc(#loc3)
    %cst_3 = arith.constant dense<0.000000e+00> : tensor<f32> loc(#loc3)
    %cst_4 = arith.constant dense<0xFF800000> : tensor<f32> loc(#loc3)
    %cst_5 = arith.constant dense<true> : tensor<6x6xi1> loc(#loc3)
    %cst_6 = arith.constant 0.79788456080286541 : f64 loc(#loc4)
    %cst_7 = arith.constant 4.471500e-02 : f64 loc(#loc4)
    %cst_8 = arith.constant 0xFFF0000000000000 : f64 loc(#loc3)
    %cst_9 = arith.constant 0.70710678118654757 : f64 loc(#loc3)
    %cst_10 = arith.constant 1.000000e-05 : f64 loc(#loc11)
    %cst_11 = arith.constant 1.600000e+01 : f64 loc(#loc)
    %cst_12 = arith.constant 1.600000e+01 : f32 loc(#loc)
    %cst_13 = arith.constant 5.000000e-01 : f32 loc(#loc)
    %cst_14 = arith.constant 1.000000e+00 : f32 loc(#loc)
    %cst_15 = arith.constant dense<0> : tensor<i64> loc(#loc2)
    %0 = tensor.empty() : tensor<4x6x16xf32> loc(#loc10)
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<4x6xi64>) outs(%0 : tensor<4x6x16xf32>) {
    ^bb0(%in: i64 loc("tokens"(#loc1)), %out: f32 loc("tokens"(#loc1))):
      %145 = arith.index_cast %in : i64 to index loc(#loc10)
      %146 = linalg.index 2 : index loc(#loc10)
      %147 = arith.cmpi slt, %145, %c29 : index loc(#loc10)
      cf.assert %147, "index must be smaller than dim size" loc(#loc10)
      %148 = arith.cmpi sge, %in, %c0_i64 : i64 loc(#loc10)
      cf.assert %148, "index must be larger or equal to 0" loc(#loc10)
      %extracted = tensor.extract %arg3[%145, %146] : tensor<29x16xf32> loc(#loc10)
      linalg.yield %extracted : f32 loc(#loc10)
    } -> tensor<4x6x16xf32> loc(#loc10)
    %2 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %arg2 : tensor<4x6x16xf32>, tensor<6x16xf32>) outs(%0 : tensor<4x6x16xf32>) {
    ^bb0(%in: f32 loc("tokens"(#loc1)), %in_48: f32 loc("language.py":24:0), %out: f32 loc("language.py":24:0)):
      %145 = arith.addf %in, %in_48 : f32 loc(#loc1)
      linalg.yield %145 : f32 loc(#loc1)
    } -> tensor<4x6x16xf32> loc(#loc1)
    %3 = tensor.empty() : tensor<4x6x16xf64> loc(#loc11)
    %4 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2 : tensor<4x6x16xf32>) outs(%3 : tensor<4x6x16xf64>) {
    ^bb0(%in: f32 loc("language.py":24:0), %out: f64 loc("before"(#loc5))):
      %145 = arith.extf %in : f32 to f64 loc(#loc11)
      linalg.yield %145 : f64 loc(#loc11)
    } -> tensor<4x6x16xf64> loc(#loc11)
    %5 = tensor.empty() : tensor<4x6x1xf64> loc(#loc11)
    %6 = linalg.fill ins(%cst : f64) outs(%5 : tensor<4x6x1xf64>) -> tensor<4x6x1xf64> loc(#loc11)
    %7 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%4 : tensor<4x6x16xf64>) outs(%6 : tensor<4x6x1xf64>) {
    ^bb0(%in: f64 loc("before"(#loc5)), %out: f64 loc("before"(#loc5))):
      %145 = arith.addf %in, %out : f64 loc(#loc11)
      linalg.yield %145 : f64 loc(#loc11)
    } -> tensor<4x6x1xf64> loc(#loc11)
    %8 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<4x6x1xf64>) outs(%5 : tensor<4x6x1xf64>) {
    ^bb0(%in: f64 loc("before"(#loc5)), %out: f64 loc("before"(#loc5))):
      %145 = arith.divf %in, %cst_11 : f64 loc(#loc11)
      linalg.yield %145 : f64 loc(#loc11)
    } -> tensor<4x6x1xf64> loc(#loc11)
    %9 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4, %8 : tensor<4x6x16xf64>, tensor<4x6x1xf64>) outs(%3 : tensor<4x6x16xf64>) {
    ^bb0(%in: f64 loc("before"(#loc5)), %in_48: f64 loc("before"(#loc5)), %out: f64 loc("before"(#loc5))):
      %145 = arith.subf %in, %in_48 : f64 loc(#loc11)
      linalg.yield %145 : f64 loc(#loc11)
    } -> tensor<4x6x16xf64> loc(#loc11)
    %10 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %9 : tensor<4x6x16xf64>, tensor<4x6x16xf64>) outs(%3 : tensor<4x6x16xf64>) {
    ^bb0(%in: f64 loc("before"(#loc5)), %in_48: f64 loc("before"(#loc5)), %out: f64 loc("before"(#loc5))):
      %145 = arith.mulf %in, %in_48 : f64 loc(#loc11)
      linalg.yield %145 : f64 loc(#loc11)
    } -> tensor<4x6x16xf64> loc(#loc11)
    %11 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%10 : tensor<4x6x16xf64>) outs(%6 : tensor<4x6x1xf64>) {
    ^bb0(%in: f64 loc("before"(#loc5)), %out: f64 loc("before"(#loc5))):
      %145 = arith.addf %in, %out : f64 loc(#loc11)
      linalg.yield %145 : f64 loc(#loc11)
    } -> tensor<4x6x1xf64> loc(#loc11)
    %12 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<4x6x1xf64>) outs(%5 : tensor<4x6x1xf64>) {
    ^bb0(%in: f64 loc("before"(#loc5)), %out: f64 loc("before"(#loc5))):
      %145 = arith.divf %in, %cst_11 : f64 loc(#loc11)
      linalg.yield %145 : f64 loc(#loc11)
    } -> tensor<4x6x1xf64> loc(#loc11)
    %13 = tensor.empty() : tensor<4x6x1xf32> loc(#loc11)
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12 : tensor<4x6x1xf64>) outs(%13 : tensor<4x6x1xf32>) {
    ^bb0(%in: f64 loc("before"(#loc5)), %out: f32 loc("before"(#loc5))):
      %145 = arith.truncf %in : f64 to f32 loc(#loc11)
      linalg.yield %145 : f32 loc(#loc11)
    } -> tensor<4x6x1xf32> loc(#loc11)
    %15 = linalg.fill ins(%cst_0 : f32) outs(%13 : tensor<4x6x1xf32>) -> tensor<4x6x1xf32> loc(#loc11)
    %16 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%2 : tensor<4x6x16xf32>) outs(%15 : tensor<4x6x1xf32>) {
    ^bb0(%in: f32 loc("language.py":24:0), %out: f32 loc("before"(#loc5))):
      %145 = arith.addf %in, %out : f32 loc(#loc11)
      linalg.yield %145 : f32 loc(#loc11)
    } -> tensor<4x6x1xf32> loc(#loc11)
    %17 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<4x6x1xf32>) outs(%13 : tensor<4x6x1xf32>) {
    ^bb0(%in: f32 loc("before"(#loc5)), %out: f32 loc("before"(#loc5))):
      %145 = arith.divf %in, %cst_12 : f32 loc(#loc11)
      linalg.yield %145 : f32 loc(#loc11)
    } -> tensor<4x6x1xf32> loc(#loc11)
    %18 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14 : tensor<4x6x1xf32>) outs(%13 : tensor<4x6x1xf32>) {
    ^bb0(%in: f32 loc("before"(#loc5)), %out: f32 loc("before"(#loc5))):
      %145 = arith.truncf %cst_10 : f64 to f32 loc(#loc11)
      %146 = arith.addf %in, %145 : f32 loc(#loc11)
      linalg.yield %146 : f32 loc(#loc11)
    } -> tensor<4x6x1xf32> loc(#loc11)
    %19 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18 : tensor<4x6x1xf32>) outs(%13 : tensor<4x6x1xf32>) {
    ^bb0(%in: f32 loc("before"(#loc5)), %out: f32 loc("before"(#loc5))):
      %145 = math.rsqrt %in : f32 loc(#loc11)
      linalg.yield %145 : f32 loc(#loc11)
    } -> tensor<4x6x1xf32> loc(#loc11)
    %20 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %17 : tensor<4x6x16xf32>, tensor<4x6x1xf32>) outs(%0 : tensor<4x6x16xf32>) {
    ^bb0(%in: f32 loc("language.py":24:0), %in_48: f32 loc("before"(#loc5)), %out: f32 loc("before"(#loc5))):
      %145 = arith.subf %in, %in_48 : f32 loc(#loc11)
      linalg.yield %145 : f32 loc(#loc11)
    } -> tensor<4x6x16xf32> loc(#loc11)
    %21 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%20, %19 : tensor<4x6x16xf32>, tensor<4x6x1xf32>) outs(%0 : tensor<4x6x16xf32>) {
    ^bb0(%in: f32 loc("before"(#loc5)), %in_48: f32 loc("before"(#loc5)), %out: f32 loc("before"(#loc5))):
      %145 = arith.mulf %in, %in_48 : f32 loc(#loc11)
      linalg.yield %145 : f32 loc(#loc11)
    } -> tensor<4x6x16xf32> loc(#loc11)
    %22 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%21, %arg4 : tensor<4x6x16xf32>, tensor<16xf32>) outs(%0 : tensor<4x6x16xf32>) {
    ^bb0(%in: f32 loc("before"(#loc5)), %in_48: f32 loc("before"(#loc5)), %out: f32 loc("before"(#loc5))):
      %145 = arith.mulf %in, %in_48 : f32 loc(#loc11)
      linalg.yield %145 : f32 loc(#loc11)
    } -> tensor<4x6x16xf32> loc(#loc11)
    %23 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22, %arg5 : tensor<4x6x16xf32>, tensor<16xf32>) outs(%0 : tensor<4x6x16xf32>) {
    ^bb0(%in: f32 loc("before"(#loc5)), %in_48: f32 loc("before"(#loc5)), %out: f32 loc("before"(#loc5))):
      %145 = arith.addf %in, %in_48 : f32 loc(#loc11)
      linalg.yield %145 : f32 loc(#loc11)
    } -> tensor<4x6x16xf32> loc(#loc11)
    %collapsed = tensor.collapse_shape %23 [[0, 1], [2]] : tensor<4x6x16xf32> into tensor<24x16xf32> loc(#loc12)
    %24 = tensor.empty() : tensor<16x48xf32> loc(#loc12)
    %transposed = linalg.transpose ins(%arg6 : tensor<48x16xf32>) outs(%24 : tensor<16x48xf32>) permutation = [1, 0]  loc(#loc12)
    %25 = tensor.empty() : tensor<24x48xf32> loc(#loc12)
    %26 = linalg.fill ins(%cst_0 : f32) outs(%25 : tensor<24x48xf32>) -> tensor<24x48xf32> loc(#loc12)
    %27 = linalg.matmul ins(%collapsed, %transposed : tensor<24x16xf32>, tensor<16x48xf32>) outs(%26 : tensor<24x48xf32>) -> tensor<24x48xf32> loc(#loc12)
    %28 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg7 : tensor<48xf32>) outs(%25 : tensor<24x48xf32>) {
    ^bb0(%in: f32 loc("qkv"(#loc5)), %out: f32 loc("qkv"(#loc5))):
      linalg.yield %in : f32 loc(#loc12)
    } -> tensor<24x48xf32> loc(#loc12)
    %29 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%27, %28 : tensor<24x48xf32>, tensor<24x48xf32>) outs(%25 : tensor<24x48xf32>) {
    ^bb0(%in: f32 loc("qkv"(#loc5)), %in_48: f32 loc("qkv"(#loc5)), %out: f32 loc("qkv"(#loc5))):
      %145 = arith.addf %in, %in_48 : f32 loc(#loc12)
      linalg.yield %145 : f32 loc(#loc12)
    } -> tensor<24x48xf32> loc(#loc12)
    %expanded = tensor.expand_shape %29 [[0, 1], [2]] output_shape [4, 6, 48] : tensor<24x48xf32> into tensor<4x6x48xf32> loc(#loc12)
    %extracted_slice = tensor.extract_slice %expanded[0, 0, 0] [4, 6, 16] [1, 1, 1] : tensor<4x6x48xf32> to tensor<4x6x16xf32> loc(#loc5)
    %extracted_slice_16 = tensor.extract_slice %expanded[0, 0, 16] [4, 6, 16] [1, 1, 1] : tensor<4x6x48xf32> to tensor<4x6x16xf32> loc(#loc5)
    %extracted_slice_17 = tensor.extract_slice %expanded[0, 0, 32] [4, 6, 16] [1, 1, 1] : tensor<4x6x48xf32> to tensor<4x6x16xf32> loc(#loc5)
    %expanded_18 = tensor.expand_shape %extracted_slice [[0], [1], [2, 3]] output_shape [4, 6, 4, 4] : tensor<4x6x16xf32> into tensor<4x6x4x4xf32> loc(#loc6)
    %30 = tensor.empty() : tensor<4x4x6x4xf32> loc(#loc6)
    %transposed_19 = linalg.transpose ins(%expanded_18 : tensor<4x6x4x4xf32>) outs(%30 : tensor<4x4x6x4xf32>) permutation = [0, 2, 1, 3]  loc(#loc6)
    %expanded_20 = tensor.expand_shape %extracted_slice_16 [[0], [1], [2, 3]] output_shape [4, 6, 4, 4] : tensor<4x6x16xf32> into tensor<4x6x4x4xf32> loc(#loc6)
    %expanded_21 = tensor.expand_shape %extracted_slice_17 [[0], [1], [2, 3]] output_shape [4, 6, 4, 4] : tensor<4x6x16xf32> into tensor<4x6x4x4xf32> loc(#loc6)
    %transposed_22 = linalg.transpose ins(%expanded_21 : tensor<4x6x4x4xf32>) outs(%30 : tensor<4x4x6x4xf32>) permutation = [0, 2, 1, 3]  loc(#loc6)
    %31 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_19 : tensor<4x4x6x4xf32>) outs(%30 : tensor<4x4x6x4xf32>) {
    ^bb0(%in: f32 loc("language.py":26:0), %out: f32 loc("language.py":30:0)):
      %145 = arith.truncf %cst_9 : f64 to f32 loc(#loc3)
      %146 = arith.mulf %in, %145 : f32 loc(#loc3)
      linalg.yield %146 : f32 loc(#loc3)
    } -> tensor<4x4x6x4xf32> loc(#loc3)
    %32 = tensor.empty() : tensor<6xi64> loc(#loc3)
    %33 = linalg.generic {indexing_maps = [#map8], iterator_types = ["parallel"]} outs(%32 : tensor<6xi64>) {
    ^bb0(%out: i64 loc("language.py":30:0)):
      %145 = linalg.index 0 : index loc(#loc3)
      %146 = arith.index_cast %145 : index to i64 loc(#loc3)
      linalg.yield %146 : i64 loc(#loc3)
    } -> tensor<6xi64> loc(#loc3)
    %expanded_23 = tensor.expand_shape %33 [[0, 1]] output_shape [1, 6] : tensor<6xi64> into tensor<1x6xi64> loc(#loc3)
    %expanded_24 = tensor.expand_shape %33 [[0, 1]] output_shape [6, 1] : tensor<6xi64> into tensor<6x1xi64> loc(#loc3)
    %34 = tensor.empty() : tensor<6x6xi64> loc(#loc3)
    %35 = linalg.generic {indexing_maps = [#map9, #map10, #map6], iterator_types = ["parallel", "parallel"]} ins(%expanded_23, %expanded_24 : tensor<1x6xi64>, tensor<6x1xi64>) outs(%34 : tensor<6x6xi64>) {
    ^bb0(%in: i64 loc("language.py":30:0), %in_48: i64 loc("language.py":30:0), %out: i64 loc("language.py":30:0)):
      %145 = arith.subi %in, %in_48 : i64 loc(#loc3)
      linalg.yield %145 : i64 loc(#loc3)
    } -> tensor<6x6xi64> loc(#loc3)
    %36 = tensor.empty() : tensor<6x6xi1> loc(#loc3)
    %37 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%35 : tensor<6x6xi64>) outs(%36 : tensor<6x6xi1>) {
    ^bb0(%in: i64 loc("language.py":30:0), %out: i1 loc("language.py":30:0)):
      %145 = arith.cmpi sle, %in, %c0_i64 : i64 loc(#loc3)
      linalg.yield %145 : i1 loc(#loc3)
    } -> tensor<6x6xi1> loc(#loc3)
    %38 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%37, %cst_5 : tensor<6x6xi1>, tensor<6x6xi1>) outs(%36 : tensor<6x6xi1>) {
    ^bb0(%in: i1 loc("language.py":30:0), %in_48: i1 loc("language.py":30:0), %out: i1 loc("language.py":30:0)):
      %145 = arith.andi %in, %in_48 : i1 loc(#loc3)
      linalg.yield %145 : i1 loc(#loc3)
    } -> tensor<6x6xi1> loc(#loc3)
    %39 = tensor.empty() : tensor<6x6xf32> loc(#loc3)
    %40 = linalg.generic {indexing_maps = [#map6, #map11, #map11, #map6], iterator_types = ["parallel", "parallel"]} ins(%38, %cst_3, %cst_4 : tensor<6x6xi1>, tensor<f32>, tensor<f32>) outs(%39 : tensor<6x6xf32>) {
    ^bb0(%in: i1 loc("language.py":30:0), %in_48: f32 loc("language.py":30:0), %in_49: f32 loc("language.py":30:0), %out: f32 loc("language.py":30:0)):
      %145 = arith.select %in, %in_48, %in_49 : f32 loc(#loc3)
      linalg.yield %145 : f32 loc(#loc3)
    } -> tensor<6x6xf32> loc(#loc3)
    %41 = tensor.empty() : tensor<4x4x4x6xf32> loc(#loc3)
    %transposed_25 = linalg.transpose ins(%expanded_20 : tensor<4x6x4x4xf32>) outs(%41 : tensor<4x4x4x6xf32>) permutation = [0, 2, 3, 1]  loc(#loc3)
    %42 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_25 : tensor<4x4x4x6xf32>) outs(%41 : tensor<4x4x4x6xf32>) {
    ^bb0(%in: f32 loc("language.py":30:0), %out: f32 loc("language.py":30:0)):
      %145 = arith.truncf %cst_9 : f64 to f32 loc(#loc3)
      %146 = arith.mulf %in, %145 : f32 loc(#loc3)
      linalg.yield %146 : f32 loc(#loc3)
    } -> tensor<4x4x4x6xf32> loc(#loc3)
    %collapsed_26 = tensor.collapse_shape %31 [[0, 1], [2], [3]] : tensor<4x4x6x4xf32> into tensor<16x6x4xf32> loc(#loc3)
    %collapsed_27 = tensor.collapse_shape %42 [[0, 1], [2], [3]] : tensor<4x4x4x6xf32> into tensor<16x4x6xf32> loc(#loc3)
    %43 = tensor.empty() : tensor<16x6x6xf32> loc(#loc3)
    %44 = linalg.fill ins(%cst_0 : f32) outs(%43 : tensor<16x6x6xf32>) -> tensor<16x6x6xf32> loc(#loc3)
    %45 = linalg.batch_matmul ins(%collapsed_26, %collapsed_27 : tensor<16x6x4xf32>, tensor<16x4x6xf32>) outs(%44 : tensor<16x6x6xf32>) -> tensor<16x6x6xf32> loc(#loc3)
    %expanded_28 = tensor.expand_shape %45 [[0, 1], [2], [3]] output_shape [4, 4, 6, 6] : tensor<16x6x6xf32> into tensor<4x4x6x6xf32> loc(#loc3)
    %46 = tensor.empty() : tensor<4x4x6x6xf32> loc(#loc3)
    %47 = linalg.generic {indexing_maps = [#map7, #map12, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_28, %40 : tensor<4x4x6x6xf32>, tensor<6x6xf32>) outs(%46 : tensor<4x4x6x6xf32>) {
    ^bb0(%in: f32 loc("language.py":30:0), %in_48: f32 loc("language.py":30:0), %out: f32 loc("language.py":30:0)):
      %145 = arith.addf %in, %in_48 : f32 loc(#loc3)
      linalg.yield %145 : f32 loc(#loc3)
    } -> tensor<4x4x6x6xf32> loc(#loc3)
    %48 = tensor.empty() : tensor<4x4x6xi64> loc(#loc3)
    %49 = linalg.fill ins(%c0_i64 : i64) outs(%48 : tensor<4x4x6xi64>) -> tensor<4x4x6xi64> loc(#loc3)
    %50 = tensor.empty() : tensor<4x4x6xf32> loc(#loc3)
    %51 = linalg.fill ins(%cst_1 : f32) outs(%50 : tensor<4x4x6xf32>) -> tensor<4x4x6xf32> loc(#loc3)
    %52:2 = linalg.generic {indexing_maps = [#map7, #map13, #map13], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%47 : tensor<4x4x6x6xf32>) outs(%51, %49 : tensor<4x4x6xf32>, tensor<4x4x6xi64>) {
    ^bb0(%in: f32 loc("language.py":30:0), %out: f32 loc("language.py":30:0), %out_48: i64 loc("language.py":30:0)):
      %145 = linalg.index 3 : index loc(#loc3)
      %146 = arith.index_cast %145 : index to i64 loc(#loc3)
      %147 = arith.maximumf %in, %out : f32 loc(#loc3)
      %148 = arith.cmpf ogt, %in, %out : f32 loc(#loc3)
      %149 = arith.select %148, %146, %out_48 : i64 loc(#loc3)
      linalg.yield %147, %149 : f32, i64 loc(#loc3)
    } -> (tensor<4x4x6xf32>, tensor<4x4x6xi64>) loc(#loc3)
    %expanded_29 = tensor.expand_shape %52#0 [[0], [1], [2, 3]] output_shape [4, 4, 6, 1] : tensor<4x4x6xf32> into tensor<4x4x6x1xf32> loc(#loc3)
    %53 = linalg.generic {indexing_maps = [#map7, #map14, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%47, %expanded_29 : tensor<4x4x6x6xf32>, tensor<4x4x6x1xf32>) outs(%46 : tensor<4x4x6x6xf32>) {
    ^bb0(%in: f32 loc("language.py":30:0), %in_48: f32 loc("language.py":30:0), %out: f32 loc("language.py":30:0)):
      %145 = arith.subf %in, %in_48 : f32 loc(#loc3)
      linalg.yield %145 : f32 loc(#loc3)
    } -> tensor<4x4x6x6xf32> loc(#loc3)
    %54 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%53 : tensor<4x4x6x6xf32>) outs(%46 : tensor<4x4x6x6xf32>) {
    ^bb0(%in: f32 loc("language.py":30:0), %out: f32 loc("language.py":30:0)):
      %145 = math.exp %in : f32 loc(#loc3)
      linalg.yield %145 : f32 loc(#loc3)
    } -> tensor<4x4x6x6xf32> loc(#loc3)
    %55 = tensor.empty() : tensor<4x4x6x1xf32> loc(#loc3)
    %56 = linalg.fill ins(%cst_0 : f32) outs(%55 : tensor<4x4x6x1xf32>) -> tensor<4x4x6x1xf32> loc(#loc3)
    %57 = linalg.generic {indexing_maps = [#map7, #map14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%54 : tensor<4x4x6x6xf32>) outs(%56 : tensor<4x4x6x1xf32>) {
    ^bb0(%in: f32 loc("language.py":30:0), %out: f32 loc("language.py":30:0)):
      %145 = arith.addf %in, %out : f32 loc(#loc3)
      linalg.yield %145 : f32 loc(#loc3)
    } -> tensor<4x4x6x1xf32> loc(#loc3)
    %58 = linalg.generic {indexing_maps = [#map7, #map14, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%54, %57 : tensor<4x4x6x6xf32>, tensor<4x4x6x1xf32>) outs(%46 : tensor<4x4x6x6xf32>) {
    ^bb0(%in: f32 loc("language.py":30:0), %in_48: f32 loc("language.py":30:0), %out: f32 loc("language.py":30:0)):
      %145 = arith.divf %in, %in_48 : f32 loc(#loc3)
      linalg.yield %145 : f32 loc(#loc3)
    } -> tensor<4x4x6x6xf32> loc(#loc3)
    %59 = tensor.empty() : tensor<4x4x6x6xi1> loc(#loc3)
    %60 = linalg.generic {indexing_maps = [#map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%47 : tensor<4x4x6x6xf32>) outs(%59 : tensor<4x4x6x6xi1>) {
    ^bb0(%in: f32 loc("language.py":30:0), %out: i1 loc("language.py":30:0)):
      %145 = arith.extf %in : f32 to f64 loc(#loc3)
      %146 = arith.cmpf oeq, %145, %cst_8 : f64 loc(#loc3)
      linalg.yield %146 : i1 loc(#loc3)
    } -> tensor<4x4x6x6xi1> loc(#loc3)
    %61 = tensor.empty() : tensor<4x4x6x1xi1> loc(#loc3)
    %62 = linalg.fill ins(%true : i1) outs(%61 : tensor<4x4x6x1xi1>) -> tensor<4x4x6x1xi1> loc(#loc3)
    %63 = linalg.generic {indexing_maps = [#map7, #map14], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%60 : tensor<4x4x6x6xi1>) outs(%62 : tensor<4x4x6x1xi1>) {
    ^bb0(%in: i1 loc("language.py":30:0), %out: i1 loc("language.py":30:0)):
      %145 = arith.andi %in, %out : i1 loc(#loc3)
      linalg.yield %145 : i1 loc(#loc3)
    } -> tensor<4x4x6x1xi1> loc(#loc3)
    %64 = linalg.generic {indexing_maps = [#map14, #map7, #map7, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%63, %cst_2, %58 : tensor<4x4x6x1xi1>, tensor<4x4x6x6xf32>, tensor<4x4x6x6xf32>) outs(%46 : tensor<4x4x6x6xf32>) {
    ^bb0(%in: i1 loc("language.py":30:0), %in_48: f32 loc("language.py":30:0), %in_49: f32 loc("language.py":30:0), %out: f32 loc("language.py":30:0)):
      %145 = arith.select %in, %in_48, %in_49 : f32 loc(#loc3)
      linalg.yield %145 : f32 loc(#loc3)
    } -> tensor<4x4x6x6xf32> loc(#loc3)
    %collapsed_30 = tensor.collapse_shape %64 [[0, 1], [2], [3]] : tensor<4x4x6x6xf32> into tensor<16x6x6xf32> loc(#loc3)
    %collapsed_31 = tensor.collapse_shape %transposed_22 [[0, 1], [2], [3]] : tensor<4x4x6x4xf32> into tensor<16x6x4xf32> loc(#loc3)
    %65 = tensor.empty() : tensor<16x6x4xf32> loc(#loc3)
    %66 = linalg.fill ins(%cst_0 : f32) outs(%65 : tensor<16x6x4xf32>) -> tensor<16x6x4xf32> loc(#loc3)
    %67 = linalg.batch_matmul ins(%collapsed_30, %collapsed_31 : tensor<16x6x6xf32>, tensor<16x6x4xf32>) outs(%66 : tensor<16x6x4xf32>) -> tensor<16x6x4xf32> loc(#loc3)
    %expanded_32 = tensor.expand_shape %67 [[0, 1], [2], [3]] output_shape [4, 4, 6, 4] : tensor<16x6x4xf32> into tensor<4x4x6x4xf32> loc(#loc3)
    %68 = tensor.empty() : tensor<4x6x4x4xf32> loc(#loc7)
    %transposed_33 = linalg.transpose ins(%expanded_32 : tensor<4x4x6x4xf32>) outs(%68 : tensor<4x6x4x4xf32>) permutation = [0, 2, 1, 3]  loc(#loc7)
    %collapsed_34 = tensor.collapse_shape %transposed_33 [[0], [1], [2, 3]] : tensor<4x6x4x4xf32> into tensor<4x6x16xf32> loc(#loc7)
    %69 = tensor.empty() : tensor<16x16xf32> loc(#loc13)
    %transposed_35 = linalg.transpose ins(%arg8 : tensor<16x16xf32>) outs(%69 : tensor<16x16xf32>) permutation = [1, 0]  loc(#loc13)
    %70 = tensor.empty() : tensor<4x16x16xf32> loc(#loc13)
    %71 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed_35 : tensor<16x16xf32>) outs(%70 : tensor<4x16x16xf32>) {
    ^bb0(%in: f32 loc("out"(#loc7)), %out: f32 loc("out"(#loc7))):
      linalg.yield %in : f32 loc(#loc13)
    } -> tensor<4x16x16xf32> loc(#loc13)
    %72 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<4x6x16xf32>) -> tensor<4x6x16xf32> loc(#loc13)
    %73 = linalg.batch_matmul ins(%collapsed_34, %71 : tensor<4x6x16xf32>, tensor<4x16x16xf32>) outs(%72 : tensor<4x6x16xf32>) -> tensor<4x6x16xf32> loc(#loc13)
    %74 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73, %arg9 : tensor<4x6x16xf32>, tensor<16xf32>) outs(%0 : tensor<4x6x16xf32>) {
    ^bb0(%in: f32 loc("out"(#loc7)), %in_48: f32 loc("out"(#loc7)), %out: f32 loc("out"(#loc7))):
      %145 = arith.addf %in, %in_48 : f32 loc(#loc13)
      linalg.yield %145 : f32 loc(#loc13)
    } -> tensor<4x6x16xf32> loc(#loc13)
    %75 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %74 : tensor<4x6x16xf32>, tensor<4x6x16xf32>) outs(%0 : tensor<4x6x16xf32>) {
    ^bb0(%in: f32 loc("language.py":24:0), %in_48: f32 loc("out"(#loc7)), %out: f32 loc("language.py":31:0)):
      %145 = arith.addf %in, %in_48 : f32 loc(#loc7)
      linalg.yield %145 : f32 loc(#loc7)
    } -> tensor<4x6x16xf32> loc(#loc7)
    %76 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%75 : tensor<4x6x16xf32>) outs(%3 : tensor<4x6x16xf64>) {
    ^bb0(%in: f32 loc("language.py":31:0), %out: f64 loc("between"(#loc4))):
      %145 = arith.extf %in : f32 to f64 loc(#loc14)
      linalg.yield %145 : f64 loc(#loc14)
    } -> tensor<4x6x16xf64> loc(#loc14)
    %77 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%76 : tensor<4x6x16xf64>) outs(%6 : tensor<4x6x1xf64>) {
    ^bb0(%in: f64 loc("between"(#loc4)), %out: f64 loc("between"(#loc4))):
      %145 = arith.addf %in, %out : f64 loc(#loc14)
      linalg.yield %145 : f64 loc(#loc14)
    } -> tensor<4x6x1xf64> loc(#loc14)
    %78 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%77 : tensor<4x6x1xf64>) outs(%5 : tensor<4x6x1xf64>) {
    ^bb0(%in: f64 loc("between"(#loc4)), %out: f64 loc("between"(#loc4))):
      %145 = arith.divf %in, %cst_11 : f64 loc(#loc14)
      linalg.yield %145 : f64 loc(#loc14)
    } -> tensor<4x6x1xf64> loc(#loc14)
    %79 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%76, %78 : tensor<4x6x16xf64>, tensor<4x6x1xf64>) outs(%3 : tensor<4x6x16xf64>) {
    ^bb0(%in: f64 loc("between"(#loc4)), %in_48: f64 loc("between"(#loc4)), %out: f64 loc("between"(#loc4))):
      %145 = arith.subf %in, %in_48 : f64 loc(#loc14)
      linalg.yield %145 : f64 loc(#loc14)
    } -> tensor<4x6x16xf64> loc(#loc14)
    %80 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%79, %79 : tensor<4x6x16xf64>, tensor<4x6x16xf64>) outs(%3 : tensor<4x6x16xf64>) {
    ^bb0(%in: f64 loc("between"(#loc4)), %in_48: f64 loc("between"(#loc4)), %out: f64 loc("between"(#loc4))):
      %145 = arith.mulf %in, %in_48 : f64 loc(#loc14)
      linalg.yield %145 : f64 loc(#loc14)
    } -> tensor<4x6x16xf64> loc(#loc14)
    %81 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%80 : tensor<4x6x16xf64>) outs(%6 : tensor<4x6x1xf64>) {
    ^bb0(%in: f64 loc("between"(#loc4)), %out: f64 loc("between"(#loc4))):
      %145 = arith.addf %in, %out : f64 loc(#loc14)
      linalg.yield %145 : f64 loc(#loc14)
    } -> tensor<4x6x1xf64> loc(#loc14)
    %82 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%81 : tensor<4x6x1xf64>) outs(%5 : tensor<4x6x1xf64>) {
    ^bb0(%in: f64 loc("between"(#loc4)), %out: f64 loc("between"(#loc4))):
      %145 = arith.divf %in, %cst_11 : f64 loc(#loc14)
      linalg.yield %145 : f64 loc(#loc14)
    } -> tensor<4x6x1xf64> loc(#loc14)
    %83 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%82 : tensor<4x6x1xf64>) outs(%13 : tensor<4x6x1xf32>) {
    ^bb0(%in: f64 loc("between"(#loc4)), %out: f32 loc("between"(#loc4))):
      %145 = arith.truncf %in : f64 to f32 loc(#loc14)
      linalg.yield %145 : f32 loc(#loc14)
    } -> tensor<4x6x1xf32> loc(#loc14)
    %84 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%75 : tensor<4x6x16xf32>) outs(%15 : tensor<4x6x1xf32>) {
    ^bb0(%in: f32 loc("language.py":31:0), %out: f32 loc("between"(#loc4))):
      %145 = arith.addf %in, %out : f32 loc(#loc14)
      linalg.yield %145 : f32 loc(#loc14)
    } -> tensor<4x6x1xf32> loc(#loc14)
    %85 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%84 : tensor<4x6x1xf32>) outs(%13 : tensor<4x6x1xf32>) {
    ^bb0(%in: f32 loc("between"(#loc4)), %out: f32 loc("between"(#loc4))):
      %145 = arith.divf %in, %cst_12 : f32 loc(#loc14)
      linalg.yield %145 : f32 loc(#loc14)
    } -> tensor<4x6x1xf32> loc(#loc14)
    %86 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%83 : tensor<4x6x1xf32>) outs(%13 : tensor<4x6x1xf32>) {
    ^bb0(%in: f32 loc("between"(#loc4)), %out: f32 loc("between"(#loc4))):
      %145 = arith.truncf %cst_10 : f64 to f32 loc(#loc14)
      %146 = arith.addf %in, %145 : f32 loc(#loc14)
      linalg.yield %146 : f32 loc(#loc14)
    } -> tensor<4x6x1xf32> loc(#loc14)
    %87 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%86 : tensor<4x6x1xf32>) outs(%13 : tensor<4x6x1xf32>) {
    ^bb0(%in: f32 loc("between"(#loc4)), %out: f32 loc("between"(#loc4))):
      %145 = math.rsqrt %in : f32 loc(#loc14)
      linalg.yield %145 : f32 loc(#loc14)
    } -> tensor<4x6x1xf32> loc(#loc14)
    %88 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%75, %85 : tensor<4x6x16xf32>, tensor<4x6x1xf32>) outs(%0 : tensor<4x6x16xf32>) {
    ^bb0(%in: f32 loc("language.py":31:0), %in_48: f32 loc("between"(#loc4)), %out: f32 loc("between"(#loc4))):
      %145 = arith.subf %in, %in_48 : f32 loc(#loc14)
      linalg.yield %145 : f32 loc(#loc14)
    } -> tensor<4x6x16xf32> loc(#loc14)
    %89 = linalg.generic {indexing_maps = [#map1, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%88, %87 : tensor<4x6x16xf32>, tensor<4x6x1xf32>) outs(%0 : tensor<4x6x16xf32>) {
    ^bb0(%in: f32 loc("between"(#loc4)), %in_48: f32 loc("between"(#loc4)), %out: f32 loc("between"(#loc4))):
      %145 = arith.mulf %in, %in_48 : f32 loc(#loc14)
      linalg.yield %145 : f32 loc(#loc14)
    } -> tensor<4x6x16xf32> loc(#loc14)
    %90 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%89, %arg10 : tensor<4x6x16xf32>, tensor<16xf32>) outs(%0 : tensor<4x6x16xf32>) {
    ^bb0(%in: f32 loc("between"(#loc4)), %in_48: f32 loc("between"(#loc4)), %out: f32 loc("between"(#loc4))):
      %145 = arith.mulf %in, %in_48 : f32 loc(#loc14)
      linalg.yield %145 : f32 loc(#loc14)
    } -> tensor<4x6x16xf32> loc(#loc14)
    %91 = linalg.generic {indexing_maps = [#map1, #map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%90, %arg11 : tensor<4x6x16xf32>, tensor<16xf32>) outs(%0 : tensor<4x6x16xf32>) {
    ^bb0(%in: f32 loc("between"(#loc4)), %in_48: f32 loc("between"(#loc4)), %out: f32 loc("between"(#loc4))):
      %145 = arith.addf %in, %in_48 : f32 loc(#loc14)
      linalg.yield %145 : f32 loc(#loc14)
    } -> tensor<4x6x16xf32> loc(#loc14)
    %collapsed_36 = tensor.collapse_shape %91 [[0, 1], [2]] : tensor<4x6x16xf32> into tensor<24x16xf32> loc(#loc15)
    %92 = tensor.empty() : tensor<16x32xf32> loc(#loc15)
    %transposed_37 = linalg.transpose ins(%arg12 : tensor<32x16xf32>) outs(%92 : tensor<16x32xf32>) permutation = [1, 0]  loc(#loc15)
    %93 = tensor.empty() : tensor<24x32xf32> loc(#loc15)
    %94 = linalg.fill ins(%cst_0 : f32) outs(%93 : tensor<24x32xf32>) -> tensor<24x32xf32> loc(#loc15)
    %95 = linalg.matmul ins(%collapsed_36, %transposed_37 : tensor<24x16xf32>, tensor<16x32xf32>) outs(%94 : tensor<24x32xf32>) -> tensor<24x32xf32> loc(#loc15)
    %96 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg13 : tensor<32xf32>) outs(%93 : tensor<24x32xf32>) {
    ^bb0(%in: f32 loc("up"(#loc4)), %out: f32 loc("up"(#loc4))):
      linalg.yield %in : f32 loc(#loc15)
    } -> tensor<24x32xf32> loc(#loc15)
    %97 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%95, %96 : tensor<24x32xf32>, tensor<24x32xf32>) outs(%93 : tensor<24x32xf32>) {
    ^bb0(%in: f32 loc("up"(#loc4)), %in_48: f32 loc("up"(#loc4)), %out: f32 loc("up"(#loc4))):
      %145 = arith.addf %in, %in_48 : f32 loc(#loc15)
      linalg.yield %145 : f32 loc(#loc15)
    } -> tensor<24x32xf32> loc(#loc15)
    %expanded_38 = tensor.expand_shape %97 [[0, 1], [2]] output_shape [4, 6, 32] : tensor<24x32xf32> into tensor<4x6x32xf32> loc(#loc15)
    %98 = tensor.empty() : tensor<4x6x32xf32> loc(#loc4)
    %99 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_38, %expanded_38 : tensor<4x6x32xf32>, tensor<4x6x32xf32>) outs(%98 : tensor<4x6x32xf32>) {
    ^bb0(%in: f32 loc("up"(#loc4)), %in_48: f32 loc("up"(#loc4)), %out: f32 loc("language.py":32:0)):
      %145 = arith.mulf %in, %in_48 : f32 loc(#loc4)
      linalg.yield %145 : f32 loc(#loc4)
    } -> tensor<4x6x32xf32> loc(#loc4)
    %100 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%99, %expanded_38 : tensor<4x6x32xf32>, tensor<4x6x32xf32>) outs(%98 : tensor<4x6x32xf32>) {
    ^bb0(%in: f32 loc("language.py":32:0), %in_48: f32 loc("up"(#loc4)), %out: f32 loc("language.py":32:0)):
      %145 = arith.mulf %in, %in_48 : f32 loc(#loc4)
      linalg.yield %145 : f32 loc(#loc4)
    } -> tensor<4x6x32xf32> loc(#loc4)
    %101 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%100 : tensor<4x6x32xf32>) outs(%98 : tensor<4x6x32xf32>) {
    ^bb0(%in: f32 loc("language.py":32:0), %out: f32 loc("language.py":32:0)):
      %145 = arith.truncf %cst_7 : f64 to f32 loc(#loc4)
      %146 = arith.mulf %in, %145 : f32 loc(#loc4)
      linalg.yield %146 : f32 loc(#loc4)
    } -> tensor<4x6x32xf32> loc(#loc4)
    %102 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_38, %101 : tensor<4x6x32xf32>, tensor<4x6x32xf32>) outs(%98 : tensor<4x6x32xf32>) {
    ^bb0(%in: f32 loc("up"(#loc4)), %in_48: f32 loc("language.py":32:0), %out: f32 loc("language.py":32:0)):
      %145 = arith.addf %in, %in_48 : f32 loc(#loc4)
      linalg.yield %145 : f32 loc(#loc4)
    } -> tensor<4x6x32xf32> loc(#loc4)
    %103 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%102 : tensor<4x6x32xf32>) outs(%98 : tensor<4x6x32xf32>) {
    ^bb0(%in: f32 loc("language.py":32:0), %out: f32 loc("language.py":32:0)):
      %145 = arith.truncf %cst_6 : f64 to f32 loc(#loc4)
      %146 = arith.mulf %in, %145 : f32 loc(#loc4)
      linalg.yield %146 : f32 loc(#loc4)
    } -> tensor<4x6x32xf32> loc(#loc4)
    %104 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_38 : tensor<4x6x32xf32>) outs(%98 : tensor<4x6x32xf32>) {
    ^bb0(%in: f32 loc("up"(#loc4)), %out: f32 loc("language.py":32:0)):
      %145 = arith.mulf %in, %cst_13 : f32 loc(#loc4)
      linalg.yield %145 : f32 loc(#loc4)
    } -> tensor<4x6x32xf32> loc(#loc4)
    %105 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%103 : tensor<4x6x32xf32>) outs(%98 : tensor<4x6x32xf32>) {
    ^bb0(%in: f32 loc("language.py":32:0), %out: f32 loc("language.py":32:0)):
      %145 = math.tanh %in : f32 loc(#loc4)
      linalg.yield %145 : f32 loc(#loc4)
    } -> tensor<4x6x32xf32> loc(#loc4)
    %106 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%105 : tensor<4x6x32xf32>) outs(%98 : tensor<4x6x32xf32>) {
    ^bb0(%in: f32 loc("language.py":32:0), %out: f32 loc("language.py":32:0)):
      %145 = arith.addf %in, %cst_14 : f32 loc(#loc4)
      linalg.yield %145 : f32 loc(#loc4)
    } -> tensor<4x6x32xf32> loc(#loc4)
    %107 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%104, %106 : tensor<4x6x32xf32>, tensor<4x6x32xf32>) outs(%98 : tensor<4x6x32xf32>) {
    ^bb0(%in: f32 loc("language.py":32:0), %in_48: f32 loc("language.py":32:0), %out: f32 loc("language.py":32:0)):
      %145 = arith.mulf %in, %in_48 : f32 loc(#loc4)
      linalg.yield %145 : f32 loc(#loc4)
    } -> tensor<4x6x32xf32> loc(#loc4)
    %collapsed_39 = tensor.collapse_shape %107 [[0, 1], [2]] : tensor<4x6x32xf32> into tensor<24x32xf32> loc(#loc16)
    %108 = tensor.empty() : tensor<32x16xf32> loc(#loc16)
    %transposed_40 = linalg.transpose ins(%arg14 : tensor<16x32xf32>) outs(%108 : tensor<32x16xf32>) permutation = [1, 0]  loc(#loc16)
    %109 = tensor.empty() : tensor<24x16xf32> loc(#loc16)
    %110 = linalg.fill ins(%cst_0 : f32) outs(%109 : tensor<24x16xf32>) -> tensor<24x16xf32> loc(#loc16)
    %111 = linalg.matmul ins(%collapsed_39, %transposed_40 : tensor<24x32xf32>, tensor<32x16xf32>) outs(%110 : tensor<24x16xf32>) -> tensor<24x16xf32> loc(#loc16)
    %112 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel"]} ins(%arg15 : tensor<16xf32>) outs(%109 : tensor<24x16xf32>) {
    ^bb0(%in: f32 loc("down"(#loc8)), %out: f32 loc("down"(#loc8))):
      linalg.yield %in : f32 loc(#loc16)
    } -> tensor<24x16xf32> loc(#loc16)
    %113 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%111, %112 : tensor<24x16xf32>, tensor<24x16xf32>) outs(%109 : tensor<24x16xf32>) {
    ^bb0(%in: f32 loc("down"(#loc8)), %in_48: f32 loc("down"(#loc8)), %out: f32 loc("down"(#loc8))):
      %145 = arith.addf %in, %in_48 : f32 loc(#loc16)
      linalg.yield %145 : f32 loc(#loc16)
    } -> tensor<24x16xf32> loc(#loc16)
    %expanded_41 = tensor.expand_shape %113 [[0, 1], [2]] output_shape [4, 6, 16] : tensor<24x16xf32> into tensor<4x6x16xf32> loc(#loc16)
    %114 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%75, %expanded_41 : tensor<4x6x16xf32>, tensor<4x6x16xf32>) outs(%0 : tensor<4x6x16xf32>) {
    ^bb0(%in: f32 loc("language.py":31:0), %in_48: f32 loc("down"(#loc8)), %out: f32 loc("language.py":33:0)):
      %145 = arith.addf %in, %in_48 : f32 loc(#loc8)
      linalg.yield %145 : f32 loc(#loc8)
    } -> tensor<4x6x16xf32> loc(#loc8)
    %115 = tensor.empty() : tensor<16x29xf32> loc(#loc17)
    %transposed_42 = linalg.transpose ins(%arg16 : tensor<29x16xf32>) outs(%115 : tensor<16x29xf32>) permutation = [1, 0]  loc(#loc17)
    %collapsed_43 = tensor.collapse_shape %114 [[0, 1], [2]] : tensor<4x6x16xf32> into tensor<24x16xf32> loc(#loc17)
    %116 = tensor.empty() : tensor<24x29xf32> loc(#loc17)
    %117 = linalg.fill ins(%cst_0 : f32) outs(%116 : tensor<24x29xf32>) -> tensor<24x29xf32> loc(#loc17)
    %118 = linalg.matmul ins(%collapsed_43, %transposed_42 : tensor<24x16xf32>, tensor<16x29xf32>) outs(%117 : tensor<24x29xf32>) -> tensor<24x29xf32> loc(#loc17)
    %collapsed_44 = tensor.collapse_shape %arg1 [[0, 1]] : tensor<4x6xi64> into tensor<24xi64> loc(#loc9)
    %119 = tensor.empty() : tensor<24xi64> loc(#loc2)
    %120 = linalg.fill ins(%c0_i64 : i64) outs(%119 : tensor<24xi64>) -> tensor<24xi64> loc(#loc2)
    %121 = tensor.empty() : tensor<24xf32> loc(#loc2)
    %122 = linalg.fill ins(%cst_1 : f32) outs(%121 : tensor<24xf32>) -> tensor<24xf32> loc(#loc2)
    %123:2 = linalg.generic {indexing_maps = [#map6, #map15, #map15], iterator_types = ["parallel", "reduction"]} ins(%118 : tensor<24x29xf32>) outs(%122, %120 : tensor<24xf32>, tensor<24xi64>) {
    ^bb0(%in: f32 loc("language.py":35:0), %out: f32 loc("language.py":34:0), %out_48: i64 loc("language.py":34:0)):
      %145 = linalg.index 1 : index loc(#loc2)
      %146 = arith.index_cast %145 : index to i64 loc(#loc2)
      %147 = arith.maximumf %in, %out : f32 loc(#loc2)
      %148 = arith.cmpf ogt, %in, %out : f32 loc(#loc2)
      %149 = arith.select %148, %146, %out_48 : i64 loc(#loc2)
      linalg.yield %147, %149 : f32, i64 loc(#loc2)
    } -> (tensor<24xf32>, tensor<24xi64>) loc(#loc2)
    %expanded_45 = tensor.expand_shape %123#0 [[0, 1]] output_shape [24, 1] : tensor<24xf32> into tensor<24x1xf32> loc(#loc2)
    %124 = linalg.generic {indexing_maps = [#map6, #map10, #map6], iterator_types = ["parallel", "parallel"]} ins(%118, %expanded_45 : tensor<24x29xf32>, tensor<24x1xf32>) outs(%116 : tensor<24x29xf32>) {
    ^bb0(%in: f32 loc("language.py":35:0), %in_48: f32 loc("language.py":34:0), %out: f32 loc("language.py":34:0)):
      %145 = arith.subf %in, %in_48 : f32 loc(#loc2)
      linalg.yield %145 : f32 loc(#loc2)
    } -> tensor<24x29xf32> loc(#loc2)
    %125 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%124 : tensor<24x29xf32>) outs(%116 : tensor<24x29xf32>) {
    ^bb0(%in: f32 loc("language.py":34:0), %out: f32 loc("language.py":34:0)):
      %145 = math.exp %in : f32 loc(#loc2)
      linalg.yield %145 : f32 loc(#loc2)
    } -> tensor<24x29xf32> loc(#loc2)
    %126 = tensor.empty() : tensor<24x1xf32> loc(#loc2)
    %127 = linalg.fill ins(%cst_0 : f32) outs(%126 : tensor<24x1xf32>) -> tensor<24x1xf32> loc(#loc2)
    %128 = linalg.generic {indexing_maps = [#map6, #map10], iterator_types = ["parallel", "reduction"]} ins(%125 : tensor<24x29xf32>) outs(%127 : tensor<24x1xf32>) {
    ^bb0(%in: f32 loc("language.py":34:0), %out: f32 loc("language.py":34:0)):
      %145 = arith.addf %in, %out : f32 loc(#loc2)
      linalg.yield %145 : f32 loc(#loc2)
    } -> tensor<24x1xf32> loc(#loc2)
    %129 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%128 : tensor<24x1xf32>) outs(%126 : tensor<24x1xf32>) {
    ^bb0(%in: f32 loc("language.py":34:0), %out: f32 loc("language.py":34:0)):
      %145 = math.log %in : f32 loc(#loc2)
      linalg.yield %145 : f32 loc(#loc2)
    } -> tensor<24x1xf32> loc(#loc2)
    %130 = linalg.generic {indexing_maps = [#map6, #map10, #map6], iterator_types = ["parallel", "parallel"]} ins(%124, %129 : tensor<24x29xf32>, tensor<24x1xf32>) outs(%116 : tensor<24x29xf32>) {
    ^bb0(%in: f32 loc("language.py":34:0), %in_48: f32 loc("language.py":34:0), %out: f32 loc("language.py":34:0)):
      %145 = arith.subf %in, %in_48 : f32 loc(#loc2)
      linalg.yield %145 : f32 loc(#loc2)
    } -> tensor<24x29xf32> loc(#loc2)
    %131 = tensor.empty() : tensor<24xi1> loc(#loc2)
    %132 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel"]} ins(%collapsed_44 : tensor<24xi64>) outs(%131 : tensor<24xi1>) {
    ^bb0(%in: i64 loc("language.py":35:0), %out: i1 loc("language.py":34:0)):
      %145 = arith.cmpi ne, %in, %c-100_i64 : i64 loc(#loc2)
      linalg.yield %145 : i1 loc(#loc2)
    } -> tensor<24xi1> loc(#loc2)
    %133 = linalg.generic {indexing_maps = [#map8, #map8, #map16, #map8], iterator_types = ["parallel"]} ins(%132, %collapsed_44, %cst_15 : tensor<24xi1>, tensor<24xi64>, tensor<i64>) outs(%119 : tensor<24xi64>) {
    ^bb0(%in: i1 loc("language.py":34:0), %in_48: i64 loc("language.py":35:0), %in_49: i64 loc("language.py":34:0), %out: i64 loc("language.py":34:0)):
      %145 = arith.select %in, %in_48, %in_49 : i64 loc(#loc2)
      linalg.yield %145 : i64 loc(#loc2)
    } -> tensor<24xi64> loc(#loc2)
    %expanded_46 = tensor.expand_shape %133 [[0, 1]] output_shape [24, 1] : tensor<24xi64> into tensor<24x1xi64> loc(#loc2)
    %134 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel"]} ins(%expanded_46 : tensor<24x1xi64>) outs(%127 : tensor<24x1xf32>) {
    ^bb0(%in: i64 loc("language.py":34:0), %out: f32 loc("language.py":34:0)):
      %145 = linalg.index 0 : index loc(#loc2)
      %146 = arith.index_cast %in : i64 to index loc(#loc2)
      %147 = arith.cmpi slt, %146, %c29 : index loc(#loc2)
      cf.assert %147, "index must be smaller than dim size" loc(#loc2)
      %148 = arith.cmpi sge, %in, %c0_i64 : i64 loc(#loc2)
      cf.assert %148, "index must be larger or equal to 0" loc(#loc2)
      %extracted = tensor.extract %130[%145, %146] : tensor<24x29xf32> loc(#loc2)
      linalg.yield %extracted : f32 loc(#loc2)
    } -> tensor<24x1xf32> loc(#loc2)
    %collapsed_47 = tensor.collapse_shape %134 [[0, 1]] : tensor<24x1xf32> into tensor<24xf32> loc(#loc2)
    %135 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel"]} ins(%collapsed_47 : tensor<24xf32>) outs(%121 : tensor<24xf32>) {
    ^bb0(%in: f32 loc("language.py":34:0), %out: f32 loc("language.py":34:0)):
      %145 = arith.negf %in : f32 loc(#loc2)
      linalg.yield %145 : f32 loc(#loc2)
    } -> tensor<24xf32> loc(#loc2)
    %136 = linalg.generic {indexing_maps = [#map8, #map8, #map16, #map8], iterator_types = ["parallel"]} ins(%132, %135, %cst_3 : tensor<24xi1>, tensor<24xf32>, tensor<f32>) outs(%121 : tensor<24xf32>) {
    ^bb0(%in: i1 loc("language.py":34:0), %in_48: f32 loc("language.py":34:0), %in_49: f32 loc("language.py":30:0), %out: f32 loc("language.py":34:0)):
      %145 = arith.select %in, %in_48, %in_49 : f32 loc(#loc2)
      linalg.yield %145 : f32 loc(#loc2)
    } -> tensor<24xf32> loc(#loc2)
    %137 = tensor.empty() : tensor<i64> loc(#loc2)
    %138 = linalg.fill ins(%c0_i64 : i64) outs(%137 : tensor<i64>) -> tensor<i64> loc(#loc2)
    %139 = linalg.generic {indexing_maps = [#map8, #map16], iterator_types = ["reduction"]} ins(%132 : tensor<24xi1>) outs(%138 : tensor<i64>) {
    ^bb0(%in: i1 loc("language.py":34:0), %out: i64 loc("language.py":34:0)):
      %145 = arith.extui %in : i1 to i64 loc(#loc2)
      %146 = arith.addi %145, %out : i64 loc(#loc2)
      linalg.yield %146 : i64 loc(#loc2)
    } -> tensor<i64> loc(#loc2)
    %140 = tensor.empty() : tensor<f32> loc(#loc2)
    %141 = linalg.generic {indexing_maps = [#map17, #map17], iterator_types = []} ins(%139 : tensor<i64>) outs(%140 : tensor<f32>) {
    ^bb0(%in: i64 loc("language.py":34:0), %out: f32 loc("language.py":34:0)):
      %145 = arith.sitofp %in : i64 to f32 loc(#loc2)
      linalg.yield %145 : f32 loc(#loc2)
    } -> tensor<f32> loc(#loc2)
    %142 = linalg.fill ins(%cst_0 : f32) outs(%140 : tensor<f32>) -> tensor<f32> loc(#loc2)
    %143 = linalg.generic {indexing_maps = [#map8, #map16], iterator_types = ["reduction"]} ins(%136 : tensor<24xf32>) outs(%142 : tensor<f32>) {
    ^bb0(%in: f32 loc("language.py":34:0), %out: f32 loc("language.py":34:0)):
      %145 = arith.addf %in, %out : f32 loc(#loc2)
      linalg.yield %145 : f32 loc(#loc2)
    } -> tensor<f32> loc(#loc2)
    %144 = linalg.generic {indexing_maps = [#map17, #map17, #map17], iterator_types = []} ins(%143, %141 : tensor<f32>, tensor<f32>) outs(%140 : tensor<f32>) {
    ^bb0(%in: f32 loc("language.py":34:0), %in_48: f32 loc("language.py":34:0), %out: f32 loc("language.py":34:0)):
      %145 = arith.divf %in, %in_48 : f32 loc(#loc2)
      linalg.yield %145 : f32 loc(#loc2)
    } -> tensor<f32> loc(#loc2)
    return %144 : tensor<f32> loc(#loc2)
  } loc(#loc10)
} loc(#loc)
#loc = loc(unknown)
#loc17 = loc("scores"(#loc8))
