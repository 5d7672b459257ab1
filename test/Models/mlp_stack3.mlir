// Made by: tpc-import torch mlp_stack.py:mlp_stack3 -o mlp_stack3.mlir (torch 2.15.0)
#loc1 = loc("mlp_stack.py":35:0)
#map = affine_map<(d0, d1) -> (d0, d1)>
#loc2 = loc("layers.0.in_proj"(#loc1))
#loc3 = loc("layers.0"(#loc1))
#loc4 = loc("layers.0.out_proj"(#loc1))
#loc5 = loc("layers.1.in_proj"(#loc1))
#loc6 = loc("layers.1"(#loc1))
#loc7 = loc("layers.1.out_proj"(#loc1))
#loc8 = loc("layers.2.in_proj"(#loc1))
#loc9 = loc("layers.2"(#loc1))
#loc10 = loc("layers.2.out_proj"(#loc1))
module {
  func.func @forward(%arg0: tensor<48x16xf32> {tp.name = "x"} loc("x"("mlp_stack.py":35:0)), %arg1: tensor<64x16xf32> {tp.name = "layers.0.in_proj.weight", tp.param} loc("layers.0.in_proj.weight"("mlp_stack.py":35:0)), %arg2: tensor<16x64xf32> {tp.name = "layers.0.out_proj.weight", tp.param} loc("layers.0.out_proj.weight"("mlp_stack.py":35:0)), %arg3: tensor<64x16xf32> {tp.name = "layers.1.in_proj.weight", tp.param} loc("layers.1.in_proj.weight"("mlp_stack.py":35:0)), %arg4: tensor<16x64xf32> {tp.name = "layers.1.out_proj.weight", tp.param} loc("layers.1.out_proj.weight"("mlp_stack.py":35:0)), %arg5: tensor<64x16xf32> {tp.name = "layers.2.in_proj.weight", tp.param} loc("layers.2.in_proj.weight"("mlp_stack.py":35:0)), %arg6: tensor<16x64xf32> {tp.name = "layers.2.out_proj.weight", tp.param} loc("layers.2.out_proj.weight"("mlp_stack.py":35:0))) -> (tensor<48x16xf32> {tp.name = "y"}) {
    %cst = arith.constant 0.000000e+00 : f32 loc(#loc)
    %0 = tensor.empty() : tensor<16x64xf32> loc(#loc2)
    %transposed = linalg.transpose ins(%arg1 : tensor<64x16xf32>) outs(%0 : tensor<16x64xf32>) permutation = [1, 0]  loc(#loc2)
    %1 = tensor.empty() : tensor<48x64xf32> loc(#loc2)
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<48x64xf32>) -> tensor<48x64xf32> loc(#loc2)
    %3 = linalg.matmul ins(%arg0, %transposed : tensor<48x16xf32>, tensor<16x64xf32>) outs(%2 : tensor<48x64xf32>) -> tensor<48x64xf32> loc(#loc2)
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<48x64xf32>) outs(%1 : tensor<48x64xf32>) {
    ^bb0(%in: f32 loc("layers.0.in_proj"(#loc1)), %out: f32 loc("layers.0"(#loc1))):
      %18 = arith.cmpf ugt, %in, %cst : f32 loc(#loc3)
      %19 = arith.select %18, %in, %cst : f32 loc(#loc3)
      linalg.yield %19 : f32 loc(#loc3)
    } -> tensor<48x64xf32> loc(#loc3)
    %5 = tensor.empty() : tensor<64x16xf32> loc(#loc4)
    %transposed_0 = linalg.transpose ins(%arg2 : tensor<16x64xf32>) outs(%5 : tensor<64x16xf32>) permutation = [1, 0]  loc(#loc4)
    %6 = tensor.empty() : tensor<48x16xf32> loc(#loc4)
    %7 = linalg.fill ins(%cst : f32) outs(%6 : tensor<48x16xf32>) -> tensor<48x16xf32> loc(#loc4)
    %8 = linalg.matmul ins(%4, %transposed_0 : tensor<48x64xf32>, tensor<64x16xf32>) outs(%7 : tensor<48x16xf32>) -> tensor<48x16xf32> loc(#loc4)
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<48x16xf32>) outs(%6 : tensor<48x16xf32>) {
    ^bb0(%in: f32 loc("layers.0.out_proj"(#loc1)), %out: f32 loc("layers.0"(#loc1))):
      %18 = arith.cmpf ugt, %in, %cst : f32 loc(#loc3)
      %19 = arith.select %18, %in, %cst : f32 loc(#loc3)
      linalg.yield %19 : f32 loc(#loc3)
    } -> tensor<48x16xf32> loc(#loc3)
    %transposed_1 = linalg.transpose ins(%arg3 : tensor<64x16xf32>) outs(%0 : tensor<16x64xf32>) permutation = [1, 0]  loc(#loc5)
    %10 = linalg.matmul ins(%9, %transposed_1 : tensor<48x16xf32>, tensor<16x64xf32>) outs(%2 : tensor<48x64xf32>) -> tensor<48x64xf32> loc(#loc5)
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<48x64xf32>) outs(%1 : tensor<48x64xf32>) {
    ^bb0(%in: f32 loc("layers.1.in_proj"(#loc1)), %out: f32 loc("layers.1"(#loc1))):
      %18 = arith.cmpf ugt, %in, %cst : f32 loc(#loc6)
      %19 = arith.select %18, %in, %cst : f32 loc(#loc6)
      linalg.yield %19 : f32 loc(#loc6)
    } -> tensor<48x64xf32> loc(#loc6)
    %transposed_2 = linalg.transpose ins(%arg4 : tensor<16x64xf32>) outs(%5 : tensor<64x16xf32>) permutation = [1, 0]  loc(#loc7)
    %12 = linalg.matmul ins(%11, %transposed_2 : tensor<48x64xf32>, tensor<64x16xf32>) outs(%7 : tensor<48x16xf32>) -> tensor<48x16xf32> loc(#loc7)
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<48x16xf32>) outs(%6 : tensor<48x16xf32>) {
    ^bb0(%in: f32 loc("layers.1.out_proj"(#loc1)), %out: f32 loc("layers.1"(#loc1))):
      %18 = arith.cmpf ugt, %in, %cst : f32 loc(#loc6)
      %19 = arith.select %18, %in, %cst : f32 loc(#loc6)
      linalg.yield %19 : f32 loc(#loc6)
    } -> tensor<48x16xf32> loc(#loc6)
    %transposed_3 = linalg.transpose ins(%arg5 : tensor<64x16xf32>) outs(%0 : tensor<16x64xf32>) permutation = [1, 0]  loc(#loc8)
    %14 = linalg.matmul ins(%13, %transposed_3 : tensor<48x16xf32>, tensor<16x64xf32>) outs(%2 : tensor<48x64xf32>) -> tensor<48x64xf32> loc(#loc8)
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<48x64xf32>) outs(%1 : tensor<48x64xf32>) {
    ^bb0(%in: f32 loc("layers.2.in_proj"(#loc1)), %out: f32 loc("layers.2"(#loc1))):
      %18 = arith.cmpf ugt, %in, %cst : f32 loc(#loc9)
      %19 = arith.select %18, %in, %cst : f32 loc(#loc9)
      linalg.yield %19 : f32 loc(#loc9)
    } -> tensor<48x64xf32> loc(#loc9)
    %transposed_4 = linalg.transpose ins(%arg6 : tensor<16x64xf32>) outs(%5 : tensor<64x16xf32>) permutation = [1, 0]  loc(#loc10)
    %16 = linalg.matmul ins(%15, %transposed_4 : tensor<48x64xf32>, tensor<64x16xf32>) outs(%7 : tensor<48x16xf32>) -> tensor<48x16xf32> loc(#loc10)
    %17 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<48x16xf32>) outs(%6 : tensor<48x16xf32>) {
    ^bb0(%in: f32 loc("layers.2.out_proj"(#loc1)), %out: f32 loc("layers.2"(#loc1))):
      %18 = arith.cmpf ugt, %in, %cst : f32 loc(#loc9)
      %19 = arith.select %18, %in, %cst : f32 loc(#loc9)
      linalg.yield %19 : f32 loc(#loc9)
    } -> tensor<48x16xf32> loc(#loc9)
    return %17 : tensor<48x16xf32> loc(#loc9)
  } loc(#loc2)
} loc(#loc)
#loc = loc(unknown)
