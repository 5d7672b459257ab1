// Two layers with min(max(x, 0), 6) between them, as clamp is written with comparisons.
func.func @forward(%x: tensor<40x64xf32> {tp.name = "x"}, %w: tensor<64x128xf32> {tp.name = "w"}, %w2: tensor<128x64xf32> {tp.name = "w2"}) -> (tensor<40x64xf32> {tp.name = "r0"}) {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.empty() : tensor<40x128xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<40x128xf32>) -> tensor<40x128xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<40x64xf32>, tensor<64x128xf32>) outs(%v3 : tensor<40x128xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<40x128xf32>
  %v5 = tensor.empty() : tensor<40x128xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v4 : tensor<40x128xf32>) outs(%v5 : tensor<40x128xf32>) {
  ^bb0(%a: f32, %o: f32):
    %z = arith.constant 0.0 : f32
    %c6 = arith.constant 6.0 : f32
    %g = arith.cmpf ult, %a, %z : f32
    %s1 = arith.select %g, %z, %a : f32
    %g2 = arith.cmpf ugt, %s1, %c6 : f32
    %r = arith.select %g2, %c6, %s1 : f32
    linalg.yield %r : f32
  } -> tensor<40x128xf32>
  %v7 = arith.constant 0.0 : f32
  %v8 = tensor.empty() : tensor<40x64xf32>
  %v9 = linalg.fill ins(%v7 : f32) outs(%v8 : tensor<40x64xf32>) -> tensor<40x64xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v6, %w2 : tensor<40x128xf32>, tensor<128x64xf32>) outs(%v9 : tensor<40x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<40x64xf32>
  return %v10 : tensor<40x64xf32>
}
