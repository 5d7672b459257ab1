// Made by: tpc-import jax toy_jax.py:toy_jax -o toy_jax.mlir (jax 0.10.2)
#loc1 = loc("x")
#loc2 = loc("t")
#loc3 = loc("parameters['in_proj']['bias']")
#loc4 = loc("parameters['in_proj']['weight']")
#loc5 = loc("parameters['out_proj']['bias']")
#loc6 = loc("parameters['out_proj']['weight']")
#loc7 = loc("toy_jax.py":13:11 to :33)
#loc8 = loc("toy_jax.py":11:24 to :41)
#loc9 = loc("toy_jax.py":11:20 to :41)
#loc10 = loc("toy_jax.py":11:20 to :57)
#loc11 = loc("max")
#loc12 = loc("toy_jax.py":11:8 to :58)
#loc13 = loc("toy_jax.py":12:12 to :30)
#loc14 = loc("toy_jax.py":12:8 to :30)
#loc15 = loc("toy_jax.py":12:8 to :47)
#loc16 = loc("toy_jax.py":13:21 to :26)
#loc17 = loc("toy_jax.py":13:20 to :32)
#map = affine_map<(d0, d1) -> (d1, d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0, d1) -> ()>
#map4 = affine_map<() -> ()>
#loc19 = loc("loss"(#loc7))
#loc20 = loc("loss"(#loc8))
#loc21 = loc("loss"(#loc9))
#loc22 = loc("loss"(#loc10))
#loc23 = loc("loss"(#loc12))
#loc24 = loc("loss"(#loc13))
#loc25 = loc("loss"(#loc14))
#loc26 = loc("loss"(#loc15))
#loc27 = loc("loss"(#loc16))
#loc28 = loc("loss"(#loc17))
#loc30 = loc("jit(loss)/div"(#loc19))
#loc31 = loc("jit(loss)/transpose"(#loc20))
#loc32 = loc("jit(loss)/dot_general"(#loc21))
#loc33 = loc("jit(loss)/add"(#loc22))
#loc34 = loc("jit(loss)/jit(relu)"(#loc23))
#loc35 = loc("jit(loss)/transpose"(#loc24))
#loc36 = loc("jit(loss)/dot_general"(#loc25))
#loc37 = loc("jit(loss)/add"(#loc26))
#loc38 = loc("jit(loss)/sub"(#loc27))
#loc39 = loc("jit(loss)/integer_pow"(#loc28))
#loc40 = loc("jit(loss)/reduce_sum"(#loc19))
#loc42 = loc(callsite(#loc11 at #loc34))
module @jit_loss {
  func.func @forward(%arg0: tensor<4x10xf32> {tp.name = "x"} loc("x"), %arg1: tensor<4x5xf32> {tp.name = "t"} loc("t"), %arg2: tensor<32xf32> {tp.name = "in_proj.bias", tp.param} loc("in_proj.bias"), %arg3: tensor<32x10xf32> {tp.name = "in_proj.weight", tp.param} loc("in_proj.weight"), %arg4: tensor<5xf32> {tp.name = "out_proj.bias", tp.param} loc("out_proj.bias"), %arg5: tensor<5x32xf32> {tp.name = "out_proj.weight", tp.param} loc("out_proj.weight")) -> (tensor<f32> {tp.name = "loss"}) {
    %cst = arith.constant 2.000000e+01 : f32 loc(#loc30)
    %cst_0 = arith.constant 0.000000e+00 : f32 loc(#loc)
    %0 = tensor.empty() : tensor<10x32xf32> loc(#loc31)
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<32x10xf32>) outs(%0 : tensor<10x32xf32>) {
    ^bb0(%in: f32 loc("parameters['in_proj']['weight']"), %out: f32 loc("jit(loss)/transpose"(#loc20))):
      linalg.yield %in : f32 loc(#loc31)
    } -> tensor<10x32xf32> loc(#loc31)
    %2 = tensor.empty() : tensor<4x32xf32> loc(#loc32)
    %3 = linalg.fill ins(%cst_0 : f32) outs(%2 : tensor<4x32xf32>) -> tensor<4x32xf32> loc(#loc32)
    %4 = linalg.matmul ins(%arg0, %1 : tensor<4x10xf32>, tensor<10x32xf32>) outs(%3 : tensor<4x32xf32>) -> tensor<4x32xf32> loc(#loc32)
    %5 = tensor.empty() : tensor<4x32xf32> loc(#loc33)
    %6 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<32xf32>) outs(%5 : tensor<4x32xf32>) {
    ^bb0(%in: f32 loc("parameters['in_proj']['bias']"), %out: f32 loc("jit(loss)/add"(#loc22))):
      linalg.yield %in : f32 loc(#loc33)
    } -> tensor<4x32xf32> loc(#loc33)
    %7 = tensor.empty() : tensor<4x32xf32> loc(#loc33)
    %8 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%4, %6 : tensor<4x32xf32>, tensor<4x32xf32>) outs(%7 : tensor<4x32xf32>) {
    ^bb0(%in: f32 loc("jit(loss)/dot_general"(#loc21)), %in_1: f32 loc("jit(loss)/add"(#loc22)), %out: f32 loc("jit(loss)/add"(#loc22))):
      %29 = arith.addf %in, %in_1 : f32 loc(#loc33)
      linalg.yield %29 : f32 loc(#loc33)
    } -> tensor<4x32xf32> loc(#loc33)
    %9 = tensor.empty() : tensor<4x32xf32> loc(#loc42)
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<4x32xf32>) outs(%9 : tensor<4x32xf32>) {
    ^bb0(%in: f32 loc("jit(loss)/add"(#loc22)), %out: f32 loc(callsite(#loc11 at #loc34))):
      %29 = arith.maximumf %in, %cst_0 : f32 loc(#loc42)
      linalg.yield %29 : f32 loc(#loc42)
    } -> tensor<4x32xf32> loc(#loc42)
    %11 = tensor.empty() : tensor<32x5xf32> loc(#loc35)
    %12 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<5x32xf32>) outs(%11 : tensor<32x5xf32>) {
    ^bb0(%in: f32 loc("parameters['out_proj']['weight']"), %out: f32 loc("jit(loss)/transpose"(#loc24))):
      linalg.yield %in : f32 loc(#loc35)
    } -> tensor<32x5xf32> loc(#loc35)
    %13 = tensor.empty() : tensor<4x5xf32> loc(#loc36)
    %14 = linalg.fill ins(%cst_0 : f32) outs(%13 : tensor<4x5xf32>) -> tensor<4x5xf32> loc(#loc36)
    %15 = linalg.matmul ins(%10, %12 : tensor<4x32xf32>, tensor<32x5xf32>) outs(%14 : tensor<4x5xf32>) -> tensor<4x5xf32> loc(#loc36)
    %16 = tensor.empty() : tensor<4x5xf32> loc(#loc37)
    %17 = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg4 : tensor<5xf32>) outs(%16 : tensor<4x5xf32>) {
    ^bb0(%in: f32 loc("parameters['out_proj']['bias']"), %out: f32 loc("jit(loss)/add"(#loc26))):
      linalg.yield %in : f32 loc(#loc37)
    } -> tensor<4x5xf32> loc(#loc37)
    %18 = tensor.empty() : tensor<4x5xf32> loc(#loc37)
    %19 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%15, %17 : tensor<4x5xf32>, tensor<4x5xf32>) outs(%18 : tensor<4x5xf32>) {
    ^bb0(%in: f32 loc("jit(loss)/dot_general"(#loc25)), %in_1: f32 loc("jit(loss)/add"(#loc26)), %out: f32 loc("jit(loss)/add"(#loc26))):
      %29 = arith.addf %in, %in_1 : f32 loc(#loc37)
      linalg.yield %29 : f32 loc(#loc37)
    } -> tensor<4x5xf32> loc(#loc37)
    %20 = tensor.empty() : tensor<4x5xf32> loc(#loc38)
    %21 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%19, %arg1 : tensor<4x5xf32>, tensor<4x5xf32>) outs(%20 : tensor<4x5xf32>) {
    ^bb0(%in: f32 loc("jit(loss)/add"(#loc26)), %in_1: f32 loc("t"), %out: f32 loc("jit(loss)/sub"(#loc27))):
      %29 = arith.subf %in, %in_1 : f32 loc(#loc38)
      linalg.yield %29 : f32 loc(#loc38)
    } -> tensor<4x5xf32> loc(#loc38)
    %22 = tensor.empty() : tensor<4x5xf32> loc(#loc39)
    %23 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%21 : tensor<4x5xf32>) outs(%22 : tensor<4x5xf32>) {
    ^bb0(%in: f32 loc("jit(loss)/sub"(#loc27)), %out: f32 loc("jit(loss)/integer_pow"(#loc28))):
      %29 = arith.mulf %in, %in : f32 loc(#loc39)
      linalg.yield %29 : f32 loc(#loc39)
    } -> tensor<4x5xf32> loc(#loc39)
    %24 = tensor.empty() : tensor<f32> loc(#loc40)
    %25 = linalg.fill ins(%cst_0 : f32) outs(%24 : tensor<f32>) -> tensor<f32> loc(#loc40)
    %26 = linalg.generic {indexing_maps = [#map1, #map3], iterator_types = ["reduction", "reduction"]} ins(%23 : tensor<4x5xf32>) outs(%25 : tensor<f32>) {
    ^bb0(%in: f32 loc("jit(loss)/reduce_sum"(#loc19)), %out: f32 loc("jit(loss)/reduce_sum"(#loc19))):
      %29 = arith.addf %out, %in : f32 loc(#loc40)
      linalg.yield %29 : f32 loc(#loc40)
    } -> tensor<f32> loc(#loc40)
    %27 = tensor.empty() : tensor<f32> loc(#loc30)
    %28 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%26 : tensor<f32>) outs(%27 : tensor<f32>) {
    ^bb0(%in: f32 loc("jit(loss)/reduce_sum"(#loc19)), %out: f32 loc("jit(loss)/div"(#loc19))):
      %29 = arith.divf %in, %cst : f32 loc(#loc30)
      linalg.yield %29 : f32 loc(#loc30)
    } -> tensor<f32> loc(#loc30)
    return %28 : tensor<f32> loc(#loc41)
  } loc(#loc)
} loc(#loc)
#loc = loc(unknown)
#loc18 = loc("jax_frontend.py":137:14 to :61)
#loc29 = loc("import_jax"(#loc18))
#loc41 = loc("jit(loss)"(#loc29))

