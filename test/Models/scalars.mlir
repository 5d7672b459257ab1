// Made by: tpc-import torch scalars.py:scalars -o scalars.mlir (torch 2.15.0)
#loc1 = loc("scalars.py":10:0)
#loc2 = loc("scalars.py":14:0)
#loc3 = loc("scalars.py":12:0)
#loc4 = loc("scalars.py":13:0)
#loc5 = loc("scalars.py":15:0)
#loc6 = loc("scalars.py":17:0)
#loc7 = loc("scalars.py":19:0)
#loc8 = loc("scalars.py":20:0)
#loc9 = loc("scalars.py":21:0)
#loc10 = loc("scalars.py":22:0)
#loc11 = loc("scalars.py":23:0)
#loc12 = loc("scalars.py":25:0)
#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @forward(%arg0: tensor<4x6xf32> {tp.name = "x"} loc("x"("scalars.py":10:0)), %arg1: tensor<4x6xf32> {tp.name = "p"} loc("p"("scalars.py":12:0))) -> (tensor<4x6xf32> {tp.name = "smooth"}, tensor<4x6xf32> {tp.name = "positive"}, tensor<4x6xf32> {tp.name = "gates"}, tensor<4x6xf32> {tp.name = "pieces"}, tensor<4x6xf32> {tp.name = "chosen"}) {
    %cst = arith.constant 1.000000e+00 : f32 loc(#loc)
    %cst_0 = arith.constant 0.000000e+00 : f32 loc(#loc)
    %cst_1 = arith.constant 5.000000e-01 : f32 loc(#loc)
    %cst_2 = arith.constant 1.700000e+00 : f64 loc(#loc2)
    %cst_3 = arith.constant 1.41421354 : f32 loc(#loc)
    %cst_4 = arith.constant 2.000000e+01 : f32 loc(#loc)
    %cst_5 = arith.constant -5.000000e-01 : f32 loc(#loc)
    %0 = tensor.empty() : tensor<4x6xf32> loc(#loc1)
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":10:0), %out: f32 loc("scalars.py":10:0)):
      %45 = math.exp %in : f32 loc(#loc1)
      linalg.yield %45 : f32 loc(#loc1)
    } -> tensor<4x6xf32> loc(#loc1)
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":10:0), %out: f32 loc("scalars.py":10:0)):
      %45 = math.tanh %in : f32 loc(#loc1)
      linalg.yield %45 : f32 loc(#loc1)
    } -> tensor<4x6xf32> loc(#loc1)
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":10:0), %out: f32 loc("scalars.py":10:0)):
      %45 = math.sin %in : f32 loc(#loc1)
      linalg.yield %45 : f32 loc(#loc1)
    } -> tensor<4x6xf32> loc(#loc1)
    %4 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%2, %3 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":10:0), %in_6: f32 loc("scalars.py":10:0), %out: f32 loc("scalars.py":10:0)):
      %45 = arith.mulf %in, %in_6 : f32 loc(#loc1)
      linalg.yield %45 : f32 loc(#loc1)
    } -> tensor<4x6xf32> loc(#loc1)
    %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %4 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":10:0), %in_6: f32 loc("scalars.py":10:0), %out: f32 loc("scalars.py":10:0)):
      %45 = arith.addf %in, %in_6 : f32 loc(#loc1)
      linalg.yield %45 : f32 loc(#loc1)
    } -> tensor<4x6xf32> loc(#loc1)
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":10:0), %out: f32 loc("scalars.py":10:0)):
      %45 = math.cos %in : f32 loc(#loc1)
      linalg.yield %45 : f32 loc(#loc1)
    } -> tensor<4x6xf32> loc(#loc1)
    %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%5, %6 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":10:0), %in_6: f32 loc("scalars.py":10:0), %out: f32 loc("scalars.py":10:0)):
      %45 = arith.addf %in, %in_6 : f32 loc(#loc1)
      linalg.yield %45 : f32 loc(#loc1)
    } -> tensor<4x6xf32> loc(#loc1)
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":10:0), %out: f32 loc("scalars.py":10:0)):
      %45 = math.erf %in : f32 loc(#loc1)
      linalg.yield %45 : f32 loc(#loc1)
    } -> tensor<4x6xf32> loc(#loc1)
    %9 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%7, %8 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":10:0), %in_6: f32 loc("scalars.py":10:0), %out: f32 loc("scalars.py":10:0)):
      %45 = arith.addf %in, %in_6 : f32 loc(#loc1)
      linalg.yield %45 : f32 loc(#loc1)
    } -> tensor<4x6xf32> loc(#loc1)
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":12:0), %out: f32 loc("scalars.py":12:0)):
      %45 = math.log %in : f32 loc(#loc3)
      linalg.yield %45 : f32 loc(#loc3)
    } -> tensor<4x6xf32> loc(#loc3)
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":12:0), %out: f32 loc("scalars.py":13:0)):
      %45 = math.sqrt %in : f32 loc(#loc4)
      linalg.yield %45 : f32 loc(#loc4)
    } -> tensor<4x6xf32> loc(#loc4)
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":12:0), %out: f32 loc("scalars.py":13:0)):
      %45 = arith.addf %in, %cst : f32 loc(#loc4)
      linalg.yield %45 : f32 loc(#loc4)
    } -> tensor<4x6xf32> loc(#loc4)
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":13:0), %out: f32 loc("scalars.py":13:0)):
      %45 = math.rsqrt %in : f32 loc(#loc4)
      linalg.yield %45 : f32 loc(#loc4)
    } -> tensor<4x6xf32> loc(#loc4)
    %14 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%11, %13 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":13:0), %in_6: f32 loc("scalars.py":13:0), %out: f32 loc("scalars.py":13:0)):
      %45 = arith.mulf %in, %in_6 : f32 loc(#loc4)
      linalg.yield %45 : f32 loc(#loc4)
    } -> tensor<4x6xf32> loc(#loc4)
    %15 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%10, %14 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":12:0), %in_6: f32 loc("scalars.py":13:0), %out: f32 loc("scalars.py":12:0)):
      %45 = arith.addf %in, %in_6 : f32 loc(#loc3)
      linalg.yield %45 : f32 loc(#loc3)
    } -> tensor<4x6xf32> loc(#loc3)
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":12:0), %out: f32 loc("scalars.py":14:0)):
      %45 = arith.truncf %cst_2 : f64 to f32 loc(#loc2)
      %46 = math.powf %in, %45 : f32 loc(#loc2)
      linalg.yield %46 : f32 loc(#loc2)
    } -> tensor<4x6xf32> loc(#loc2)
    %17 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%15, %16 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":12:0), %in_6: f32 loc("scalars.py":14:0), %out: f32 loc("scalars.py":12:0)):
      %45 = arith.addf %in, %in_6 : f32 loc(#loc3)
      linalg.yield %45 : f32 loc(#loc3)
    } -> tensor<4x6xf32> loc(#loc3)
    %18 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1, %arg0 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":12:0), %in_6: f32 loc("scalars.py":10:0), %out: f32 loc("scalars.py":15:0)):
      %45 = math.powf %in, %in_6 : f32 loc(#loc5)
      linalg.yield %45 : f32 loc(#loc5)
    } -> tensor<4x6xf32> loc(#loc5)
    %19 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%17, %18 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":12:0), %in_6: f32 loc("scalars.py":15:0), %out: f32 loc("scalars.py":12:0)):
      %45 = arith.addf %in, %in_6 : f32 loc(#loc3)
      linalg.yield %45 : f32 loc(#loc3)
    } -> tensor<4x6xf32> loc(#loc3)
    %20 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":10:0), %out: f32 loc("scalars.py":17:0)):
      %45 = arith.negf %in : f32 loc(#loc6)
      %46 = math.exp %45 : f32 loc(#loc6)
      %47 = arith.addf %46, %cst : f32 loc(#loc6)
      %48 = arith.divf %cst, %47 : f32 loc(#loc6)
      linalg.yield %48 : f32 loc(#loc6)
    } -> tensor<4x6xf32> loc(#loc6)
    %21 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %20 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":10:0), %in_6: f32 loc("scalars.py":17:0), %out: f32 loc("scalars.py":17:0)):
      %45 = arith.mulf %in, %in_6 : f32 loc(#loc6)
      linalg.yield %45 : f32 loc(#loc6)
    } -> tensor<4x6xf32> loc(#loc6)
    %22 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%20, %21 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":17:0), %in_6: f32 loc("scalars.py":17:0), %out: f32 loc("scalars.py":17:0)):
      %45 = arith.addf %in, %in_6 : f32 loc(#loc6)
      linalg.yield %45 : f32 loc(#loc6)
    } -> tensor<4x6xf32> loc(#loc6)
    %23 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":10:0), %out: f32 loc("scalars.py":17:0)):
      %45 = arith.divf %in, %cst_3 : f32 loc(#loc6)
      %46 = math.erf %45 : f32 loc(#loc6)
      %47 = arith.addf %46, %cst : f32 loc(#loc6)
      %48 = arith.mulf %47, %cst_1 : f32 loc(#loc6)
      %49 = arith.mulf %in, %48 : f32 loc(#loc6)
      linalg.yield %49 : f32 loc(#loc6)
    } -> tensor<4x6xf32> loc(#loc6)
    %24 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%22, %23 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":17:0), %in_6: f32 loc("scalars.py":17:0), %out: f32 loc("scalars.py":17:0)):
      %45 = arith.addf %in, %in_6 : f32 loc(#loc6)
      linalg.yield %45 : f32 loc(#loc6)
    } -> tensor<4x6xf32> loc(#loc6)
    %25 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":17:0), %out: f32 loc("scalars.py":17:0)):
      %45 = math.log1p %in : f32 loc(#loc6)
      linalg.yield %45 : f32 loc(#loc6)
    } -> tensor<4x6xf32> loc(#loc6)
    %26 = tensor.empty() : tensor<4x6xi1> loc(#loc6)
    %27 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x6xf32>) outs(%26 : tensor<4x6xi1>) {
    ^bb0(%in: f32 loc("scalars.py":10:0), %out: i1 loc("scalars.py":17:0)):
      %45 = arith.cmpf ogt, %in, %cst_4 : f32 loc(#loc6)
      linalg.yield %45 : i1 loc(#loc6)
    } -> tensor<4x6xi1> loc(#loc6)
    %28 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%27, %arg0, %25 : tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: i1 loc("scalars.py":17:0), %in_6: f32 loc("scalars.py":10:0), %in_7: f32 loc("scalars.py":17:0), %out: f32 loc("scalars.py":17:0)):
      %45 = arith.select %in, %in_6, %in_7 : f32 loc(#loc6)
      linalg.yield %45 : f32 loc(#loc6)
    } -> tensor<4x6xf32> loc(#loc6)
    %29 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%24, %28 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":17:0), %in_6: f32 loc("scalars.py":17:0), %out: f32 loc("scalars.py":17:0)):
      %45 = arith.addf %in, %in_6 : f32 loc(#loc6)
      linalg.yield %45 : f32 loc(#loc6)
    } -> tensor<4x6xf32> loc(#loc6)
    %30 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":10:0), %out: f32 loc("scalars.py":19:0)):
      %45 = math.absf %in : f32 loc(#loc7)
      linalg.yield %45 : f32 loc(#loc7)
    } -> tensor<4x6xf32> loc(#loc7)
    %31 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":10:0), %in_6: f32 loc("scalars.py":12:0), %out: f32 loc("scalars.py":20:0)):
      %45 = arith.cmpf ogt, %in, %in_6 : f32 loc(#loc8)
      %46 = arith.select %45, %in, %in_6 : f32 loc(#loc8)
      linalg.yield %46 : f32 loc(#loc8)
    } -> tensor<4x6xf32> loc(#loc8)
    %32 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%30, %31 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":19:0), %in_6: f32 loc("scalars.py":20:0), %out: f32 loc("scalars.py":19:0)):
      %45 = arith.addf %in, %in_6 : f32 loc(#loc7)
      linalg.yield %45 : f32 loc(#loc7)
    } -> tensor<4x6xf32> loc(#loc7)
    %33 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":10:0), %in_6: f32 loc("scalars.py":12:0), %out: f32 loc("scalars.py":21:0)):
      %45 = arith.mulf %in, %in_6 : f32 loc(#loc9)
      linalg.yield %45 : f32 loc(#loc9)
    } -> tensor<4x6xf32> loc(#loc9)
    %34 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%33, %arg1 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":21:0), %in_6: f32 loc("scalars.py":12:0), %out: f32 loc("scalars.py":21:0)):
      %45 = arith.cmpf olt, %in, %in_6 : f32 loc(#loc9)
      %46 = arith.select %45, %in, %in_6 : f32 loc(#loc9)
      linalg.yield %46 : f32 loc(#loc9)
    } -> tensor<4x6xf32> loc(#loc9)
    %35 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%32, %34 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":19:0), %in_6: f32 loc("scalars.py":21:0), %out: f32 loc("scalars.py":19:0)):
      %45 = arith.subf %in, %in_6 : f32 loc(#loc7)
      linalg.yield %45 : f32 loc(#loc7)
    } -> tensor<4x6xf32> loc(#loc7)
    %36 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":10:0), %out: f32 loc("scalars.py":22:0)):
      %45 = arith.cmpf ugt, %in, %cst_0 : f32 loc(#loc10)
      %46 = arith.select %45, %in, %cst_0 : f32 loc(#loc10)
      linalg.yield %46 : f32 loc(#loc10)
    } -> tensor<4x6xf32> loc(#loc10)
    %37 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%35, %36 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":19:0), %in_6: f32 loc("scalars.py":22:0), %out: f32 loc("scalars.py":19:0)):
      %45 = arith.addf %in, %in_6 : f32 loc(#loc7)
      linalg.yield %45 : f32 loc(#loc7)
    } -> tensor<4x6xf32> loc(#loc7)
    %38 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":10:0), %out: f32 loc("scalars.py":23:0)):
      %45 = arith.cmpf ult, %in, %cst_5 : f32 loc(#loc11)
      %46 = arith.select %45, %cst_5, %in : f32 loc(#loc11)
      %47 = arith.cmpf ugt, %46, %cst_1 : f32 loc(#loc11)
      %48 = arith.select %47, %cst_1, %46 : f32 loc(#loc11)
      linalg.yield %48 : f32 loc(#loc11)
    } -> tensor<4x6xf32> loc(#loc11)
    %39 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%37, %38 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":19:0), %in_6: f32 loc("scalars.py":23:0), %out: f32 loc("scalars.py":19:0)):
      %45 = arith.addf %in, %in_6 : f32 loc(#loc7)
      linalg.yield %45 : f32 loc(#loc7)
    } -> tensor<4x6xf32> loc(#loc7)
    %40 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%26 : tensor<4x6xi1>) {
    ^bb0(%in: f32 loc("scalars.py":10:0), %in_6: f32 loc("scalars.py":12:0), %out: i1 loc("scalars.py":25:0)):
      %45 = arith.cmpf ogt, %in, %in_6 : f32 loc(#loc12)
      linalg.yield %45 : i1 loc(#loc12)
    } -> tensor<4x6xi1> loc(#loc12)
    %41 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":10:0), %in_6: f32 loc("scalars.py":12:0), %out: f32 loc("scalars.py":25:0)):
      %45 = arith.divf %in, %in_6 : f32 loc(#loc12)
      linalg.yield %45 : f32 loc(#loc12)
    } -> tensor<4x6xf32> loc(#loc12)
    %42 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":12:0), %out: f32 loc("scalars.py":25:0)):
      %45 = arith.negf %in : f32 loc(#loc12)
      linalg.yield %45 : f32 loc(#loc12)
    } -> tensor<4x6xf32> loc(#loc12)
    %43 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%42, %arg0 : tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: f32 loc("scalars.py":25:0), %in_6: f32 loc("scalars.py":10:0), %out: f32 loc("scalars.py":25:0)):
      %45 = arith.mulf %in, %in_6 : f32 loc(#loc12)
      linalg.yield %45 : f32 loc(#loc12)
    } -> tensor<4x6xf32> loc(#loc12)
    %44 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%40, %41, %43 : tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) outs(%0 : tensor<4x6xf32>) {
    ^bb0(%in: i1 loc("scalars.py":25:0), %in_6: f32 loc("scalars.py":25:0), %in_7: f32 loc("scalars.py":25:0), %out: f32 loc("scalars.py":25:0)):
      %45 = arith.select %in, %in_6, %in_7 : f32 loc(#loc12)
      linalg.yield %45 : f32 loc(#loc12)
    } -> tensor<4x6xf32> loc(#loc12)
    return %9, %19, %29, %39, %44 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32> loc(#loc12)
  } loc(#loc1)
} loc(#loc)
#loc = loc(unknown)
