// Made by: tpc-import torch lookups.py:lookups -o lookups.mlir (torch 2.15.0)
#loc1 = loc("lookups.py":14:0)
#loc2 = loc("lookups.py":16:0)
#loc3 = loc("lookups.py":17:0)
#loc4 = loc("lookups.py":15:0)
#loc5 = loc("lookups.py":19:0)
#loc6 = loc("lookups.py":20:0)
#map = affine_map<(d0, d1, d2) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d0)>
#map5 = affine_map<(d0) -> (d0)>
module {
  func.func @forward(%arg0: tensor<5x6xf32> {tp.name = "x"} loc("x"("lookups.py":15:0)), %arg1: tensor<2x4xi64> {tp.name = "ids"} loc("ids"("lookups.py":14:0)), %arg2: tensor<3xi64> {tp.name = "columns"} loc("columns"("lookups.py":15:0)), %arg3: tensor<5x3xi64> {tp.name = "own"} loc("own"("lookups.py":16:0)), %arg4: tensor<9x6xf32> {tp.name = "table", tp.param} loc("table"("lookups.py":14:0))) -> (tensor<2x4x6xf32> {tp.name = "tokens"}, tensor<5x3xf32> {tp.name = "chosen"}, tensor<5x3xf32> {tp.name = "shuffled"}, tensor<5xf32> {tp.name = "best"}, tensor<5xi64> {tp.name = "place"}, tensor<4x6xf32> {tp.name = "rows"}) {
    %c2_i64 = arith.constant 2 : i64 loc(#loc)
    %c0_i64 = arith.constant 0 : i64 loc(#loc)
    %c6 = arith.constant 6 : index loc(#loc)
    %c9 = arith.constant 9 : index loc(#loc)
    %cst = arith.constant 0.000000e+00 : f32 loc(#loc2)
    %cst_0 = arith.constant 0xFF800000 : f32 loc(#loc3)
    %c5_i64 = arith.constant 5 : i64 loc(#loc)
    %0 = tensor.empty() : tensor<2x4x6xf32> loc(#loc1)
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x4xi64>) outs(%0 : tensor<2x4x6xf32>) {
    ^bb0(%in: i64 loc("lookups.py":14:0), %out: f32 loc("lookups.py":14:0)):
      %19 = arith.index_cast %in : i64 to index loc(#loc1)
      %20 = linalg.index 2 : index loc(#loc1)
      %21 = arith.cmpi slt, %19, %c9 : index loc(#loc1)
      cf.assert %21, "index must be smaller than dim size" loc(#loc1)
      %22 = arith.cmpi sge, %in, %c0_i64 : i64 loc(#loc1)
      cf.assert %22, "index must be larger or equal to 0" loc(#loc1)
      %extracted = tensor.extract %arg4[%19, %20] : tensor<9x6xf32> loc(#loc1)
      linalg.yield %extracted : f32 loc(#loc1)
    } -> tensor<2x4x6xf32> loc(#loc1)
    %2 = tensor.empty() : tensor<5x3xf32> loc(#loc4)
    %3 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<3xi64>) outs(%2 : tensor<5x3xf32>) {
    ^bb0(%in: i64 loc("lookups.py":15:0), %out: f32 loc("lookups.py":15:0)):
      %19 = arith.index_cast %in : i64 to index loc(#loc4)
      %20 = linalg.index 0 : index loc(#loc4)
      %extracted = tensor.extract %arg0[%20, %19] : tensor<5x6xf32> loc(#loc4)
      linalg.yield %extracted : f32 loc(#loc4)
    } -> tensor<5x3xf32> loc(#loc4)
    %4 = linalg.fill ins(%cst : f32) outs(%2 : tensor<5x3xf32>) -> tensor<5x3xf32> loc(#loc2)
    %5 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<5x3xi64>) outs(%4 : tensor<5x3xf32>) {
    ^bb0(%in: i64 loc("lookups.py":16:0), %out: f32 loc("lookups.py":16:0)):
      %19 = linalg.index 0 : index loc(#loc2)
      %20 = arith.index_cast %in : i64 to index loc(#loc2)
      %21 = arith.cmpi slt, %20, %c6 : index loc(#loc2)
      cf.assert %21, "index must be smaller than dim size" loc(#loc2)
      %22 = arith.cmpi sge, %in, %c0_i64 : i64 loc(#loc2)
      cf.assert %22, "index must be larger or equal to 0" loc(#loc2)
      %extracted = tensor.extract %arg0[%19, %20] : tensor<5x6xf32> loc(#loc2)
      linalg.yield %extracted : f32 loc(#loc2)
    } -> tensor<5x3xf32> loc(#loc2)
    %6 = tensor.empty() : tensor<5xi64> loc(#loc3)
    %7 = linalg.fill ins(%c0_i64 : i64) outs(%6 : tensor<5xi64>) -> tensor<5xi64> loc(#loc3)
    %8 = tensor.empty() : tensor<5xf32> loc(#loc3)
    %9 = linalg.fill ins(%cst_0 : f32) outs(%8 : tensor<5xf32>) -> tensor<5xf32> loc(#loc3)
    %10:2 = linalg.generic {indexing_maps = [#map3, #map4, #map4], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<5x6xf32>) outs(%9, %7 : tensor<5xf32>, tensor<5xi64>) {
    ^bb0(%in: f32 loc("lookups.py":15:0), %out: f32 loc("lookups.py":17:0), %out_1: i64 loc("lookups.py":17:0)):
      %19 = linalg.index 1 : index loc(#loc3)
      %20 = arith.index_cast %19 : index to i64 loc(#loc3)
      %21 = arith.maximumf %in, %out : f32 loc(#loc3)
      %22 = arith.cmpf ogt, %in, %out : f32 loc(#loc3)
      %23 = arith.select %22, %20, %out_1 : i64 loc(#loc3)
      linalg.yield %21, %23 : f32, i64 loc(#loc3)
    } -> (tensor<5xf32>, tensor<5xi64>) loc(#loc3)
    %extracted_slice = tensor.extract_slice %arg1[0, 0] [1, 4] [1, 1] : tensor<2x4xi64> to tensor<1x4xi64> loc(#loc5)
    %collapsed = tensor.collapse_shape %extracted_slice [[0, 1]] : tensor<1x4xi64> into tensor<4xi64> loc(#loc5)
    %11 = tensor.empty() : tensor<4xi64> loc(#loc5)
    %12 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel"]} ins(%collapsed : tensor<4xi64>) outs(%11 : tensor<4xi64>) {
    ^bb0(%in: i64 loc("lookups.py":19:0), %out: i64 loc("lookups.py":19:0)):
      %19 = arith.subi %in, %c2_i64 : i64 loc(#loc5)
      linalg.yield %19 : i64 loc(#loc5)
    } -> tensor<4xi64> loc(#loc5)
    %13 = tensor.empty() : tensor<4x6xf32> loc(#loc5)
    %14 = linalg.generic {indexing_maps = [#map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<4xi64>) outs(%13 : tensor<4x6xf32>) {
    ^bb0(%in: i64 loc("lookups.py":19:0), %out: f32 loc("lookups.py":19:0)):
      %19 = arith.cmpi slt, %in, %c0_i64 : i64 loc(#loc5)
      %20 = arith.addi %in, %c5_i64 : i64 loc(#loc5)
      %21 = arith.select %19, %20, %in : i64 loc(#loc5)
      %22 = arith.index_cast %21 : i64 to index loc(#loc5)
      %23 = linalg.index 1 : index loc(#loc5)
      %extracted = tensor.extract %arg0[%22, %23] : tensor<5x6xf32> loc(#loc5)
      linalg.yield %extracted : f32 loc(#loc5)
    } -> tensor<4x6xf32> loc(#loc5)
    %15 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %1 : tensor<2x4x6xf32>, tensor<2x4x6xf32>) outs(%0 : tensor<2x4x6xf32>) {
    ^bb0(%in: f32 loc("lookups.py":14:0), %in_1: f32 loc("lookups.py":14:0), %out: f32 loc("lookups.py":20:0)):
      %19 = arith.mulf %in, %in_1 : f32 loc(#loc6)
      linalg.yield %19 : f32 loc(#loc6)
    } -> tensor<2x4x6xf32> loc(#loc6)
    %16 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%3, %3 : tensor<5x3xf32>, tensor<5x3xf32>) outs(%2 : tensor<5x3xf32>) {
    ^bb0(%in: f32 loc("lookups.py":15:0), %in_1: f32 loc("lookups.py":15:0), %out: f32 loc("lookups.py":20:0)):
      %19 = arith.mulf %in, %in_1 : f32 loc(#loc6)
      linalg.yield %19 : f32 loc(#loc6)
    } -> tensor<5x3xf32> loc(#loc6)
    %17 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<5x3xf32>) outs(%2 : tensor<5x3xf32>) {
    ^bb0(%in: f32 loc("lookups.py":16:0), %out: f32 loc("lookups.py":20:0)):
      %19 = math.exp %in : f32 loc(#loc6)
      linalg.yield %19 : f32 loc(#loc6)
    } -> tensor<5x3xf32> loc(#loc6)
    %18 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel"]} ins(%10#0, %10#0 : tensor<5xf32>, tensor<5xf32>) outs(%8 : tensor<5xf32>) {
    ^bb0(%in: f32 loc("lookups.py":17:0), %in_1: f32 loc("lookups.py":17:0), %out: f32 loc("lookups.py":20:0)):
      %19 = arith.mulf %in, %in_1 : f32 loc(#loc6)
      linalg.yield %19 : f32 loc(#loc6)
    } -> tensor<5xf32> loc(#loc6)
    return %15, %16, %17, %18, %10#1, %14 : tensor<2x4x6xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5xf32>, tensor<5xi64>, tensor<4x6xf32> loc(#loc6)
  } loc(#loc1)
} loc(#loc)
#loc = loc(unknown)
