// The same function of two types, with slow paths for large arguments.
func.func @f(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  %e = tensor.empty() : tensor<4096xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = math.sin %p : f32
    linalg.yield %1 : f32
  } -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}
func.func @g(%x: tensor<4096xf64>) -> tensor<4096xf64> {
  %e = tensor.empty() : tensor<4096xf64>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4096xf64>) outs(%e : tensor<4096xf64>) {
  ^bb0(%p: f64, %o: f64):
    %1 = math.sin %p : f64
    linalg.yield %1 : f64
  } -> tensor<4096xf64>
  return %0 : tensor<4096xf64>
}
