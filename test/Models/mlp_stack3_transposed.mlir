// Made by: tpc-import torch mlp_stack.py:mlp_stack3_transposed -o mlp_stack3_transposed.mlir (torch 2.15.0)
#loc1 = loc("mlp_stack.py":21:0)
#loc2 = loc("mlp_stack.py":35:0)
#map = affine_map<(d0, d1) -> (d0, d1)>
#loc3 = loc("layers.0.in_proj"(#loc1))
#loc4 = loc("layers.0"(#loc2))
#loc5 = loc("layers.0.out_proj"(#loc2))
#loc6 = loc("layers.1.in_proj"(#loc1))
#loc7 = loc("layers.1"(#loc2))
#loc8 = loc("layers.1.out_proj"(#loc2))
#loc9 = loc("layers.2.in_proj"(#loc1))
#loc10 = loc("layers.2"(#loc2))
#loc11 = loc("layers.2.out_proj"(#loc2))
module {
  func.func @forward(%arg0: tensor<48x16xf32> {tp.name = "x"} loc("x"("mlp_stack.py":21:0)), %arg1: tensor<16x64xf32> {tp.name = "layers.0.in_proj.weight", tp.param} loc("layers.0.in_proj.weight"("mlp_stack.py":21:0)), %arg2: tensor<16x64xf32> {tp.name = "layers.0.out_proj.weight", tp.param} loc("layers.0.out_proj.weight"("mlp_stack.py":35:0)), %arg3: tensor<16x64xf32> {tp.name = "layers.1.in_proj.weight", tp.param} loc("layers.1.in_proj.weight"("mlp_stack.py":21:0)), %arg4: tensor<16x64xf32> {tp.name = "layers.1.out_proj.weight", tp.param} loc("layers.1.out_proj.weight"("mlp_stack.py":35:0)), %arg5: tensor<16x64xf32> {tp.name = "layers.2.in_proj.weight", tp.param} loc("layers.2.in_proj.weight"("mlp_stack.py":21:0)), %arg6: tensor<16x64xf32> {tp.name = "layers.2.out_proj.weight", tp.param} loc("layers.2.out_proj.weight"("mlp_stack.py":35:0))) -> (tensor<48x16xf32> {tp.name = "y"}) {
    %cst = arith.constant 0.000000e+00 : f32 loc(#loc)
    %0 = tensor.empty() : tensor<48x64xf32> loc(#loc3)
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<48x64xf32>) -> tensor<48x64xf32> loc(#loc3)
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<48x16xf32>, tensor<16x64xf32>) outs(%1 : tensor<48x64xf32>) -> tensor<48x64xf32> loc(#loc3)
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<48x64xf32>) outs(%0 : tensor<48x64xf32>) {
    ^bb0(%in: f32 loc("layers.0.in_proj"(#loc1)), %out: f32 loc("layers.0"(#loc2))):
      %17 = arith.cmpf ugt, %in, %cst : f32 loc(#loc4)
      %18 = arith.select %17, %in, %cst : f32 loc(#loc4)
      linalg.yield %18 : f32 loc(#loc4)
    } -> tensor<48x64xf32> loc(#loc4)
    %4 = tensor.empty() : tensor<64x16xf32> loc(#loc5)
    %transposed = linalg.transpose ins(%arg2 : tensor<16x64xf32>) outs(%4 : tensor<64x16xf32>) permutation = [1, 0]  loc(#loc5)
    %5 = tensor.empty() : tensor<48x16xf32> loc(#loc5)
    %6 = linalg.fill ins(%cst : f32) outs(%5 : tensor<48x16xf32>) -> tensor<48x16xf32> loc(#loc5)
    %7 = linalg.matmul ins(%3, %transposed : tensor<48x64xf32>, tensor<64x16xf32>) outs(%6 : tensor<48x16xf32>) -> tensor<48x16xf32> loc(#loc5)
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<48x16xf32>) outs(%5 : tensor<48x16xf32>) {
    ^bb0(%in: f32 loc("layers.0.out_proj"(#loc2)), %out: f32 loc("layers.0"(#loc2))):
      %17 = arith.cmpf ugt, %in, %cst : f32 loc(#loc4)
      %18 = arith.select %17, %in, %cst : f32 loc(#loc4)
      linalg.yield %18 : f32 loc(#loc4)
    } -> tensor<48x16xf32> loc(#loc4)
    %9 = linalg.matmul ins(%8, %arg3 : tensor<48x16xf32>, tensor<16x64xf32>) outs(%1 : tensor<48x64xf32>) -> tensor<48x64xf32> loc(#loc6)
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<48x64xf32>) outs(%0 : tensor<48x64xf32>) {
    ^bb0(%in: f32 loc("layers.1.in_proj"(#loc1)), %out: f32 loc("layers.1"(#loc2))):
      %17 = arith.cmpf ugt, %in, %cst : f32 loc(#loc7)
      %18 = arith.select %17, %in, %cst : f32 loc(#loc7)
      linalg.yield %18 : f32 loc(#loc7)
    } -> tensor<48x64xf32> loc(#loc7)
    %transposed_0 = linalg.transpose ins(%arg4 : tensor<16x64xf32>) outs(%4 : tensor<64x16xf32>) permutation = [1, 0]  loc(#loc8)
    %11 = linalg.matmul ins(%10, %transposed_0 : tensor<48x64xf32>, tensor<64x16xf32>) outs(%6 : tensor<48x16xf32>) -> tensor<48x16xf32> loc(#loc8)
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<48x16xf32>) outs(%5 : tensor<48x16xf32>) {
    ^bb0(%in: f32 loc("layers.1.out_proj"(#loc2)), %out: f32 loc("layers.1"(#loc2))):
      %17 = arith.cmpf ugt, %in, %cst : f32 loc(#loc7)
      %18 = arith.select %17, %in, %cst : f32 loc(#loc7)
      linalg.yield %18 : f32 loc(#loc7)
    } -> tensor<48x16xf32> loc(#loc7)
    %13 = linalg.matmul ins(%12, %arg5 : tensor<48x16xf32>, tensor<16x64xf32>) outs(%1 : tensor<48x64xf32>) -> tensor<48x64xf32> loc(#loc9)
    %14 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<48x64xf32>) outs(%0 : tensor<48x64xf32>) {
    ^bb0(%in: f32 loc("layers.2.in_proj"(#loc1)), %out: f32 loc("layers.2"(#loc2))):
      %17 = arith.cmpf ugt, %in, %cst : f32 loc(#loc10)
      %18 = arith.select %17, %in, %cst : f32 loc(#loc10)
      linalg.yield %18 : f32 loc(#loc10)
    } -> tensor<48x64xf32> loc(#loc10)
    %transposed_1 = linalg.transpose ins(%arg6 : tensor<16x64xf32>) outs(%4 : tensor<64x16xf32>) permutation = [1, 0]  loc(#loc11)
    %15 = linalg.matmul ins(%14, %transposed_1 : tensor<48x64xf32>, tensor<64x16xf32>) outs(%6 : tensor<48x16xf32>) -> tensor<48x16xf32> loc(#loc11)
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<48x16xf32>) outs(%5 : tensor<48x16xf32>) {
    ^bb0(%in: f32 loc("layers.2.out_proj"(#loc2)), %out: f32 loc("layers.2"(#loc2))):
      %17 = arith.cmpf ugt, %in, %cst : f32 loc(#loc10)
      %18 = arith.select %17, %in, %cst : f32 loc(#loc10)
      linalg.yield %18 : f32 loc(#loc10)
    } -> tensor<48x16xf32> loc(#loc10)
    return %16 : tensor<48x16xf32> loc(#loc10)
  } loc(#loc3)
} loc(#loc)
#loc = loc(unknown)
