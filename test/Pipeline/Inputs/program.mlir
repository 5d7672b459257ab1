// A region of per-rank code between whole-program operations, on two axes, with columns that do not divide.
#map = affine_map<(d0, d1) -> (d0, d1)>
#all = affine_map<(d0, d1) -> ()>
#rows = #tp.placement<@mesh, [dp: S(0)]>
tp.mesh @mesh ["dp" = 2, "tp" = 3]
func.func private @double(%x: tensor<6x7xf32>) -> tensor<6x7xf32> {
  %empty = tensor.empty() : tensor<6x7xf32>
  %y = linalg.add ins(%x, %x : tensor<6x7xf32>, tensor<6x7xf32>) outs(%empty : tensor<6x7xf32>) -> tensor<6x7xf32>
  return %y : tensor<6x7xf32>
}
func.func @program(%x: tensor<6x7xf32> {tp.name = "x"}, %w: tensor<7x7xf32> {tp.name = "w", tp.param})
    -> (tensor<f32> {tp.name = "loss"}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<6x7xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<6x7xf32>) -> tensor<6x7xf32>
  %h = linalg.matmul ins(%x, %w : tensor<6x7xf32>, tensor<7x7xf32>) outs(%init : tensor<6x7xf32>) -> tensor<6x7xf32>
  %r = tp.manual (%h) in [#rows] out [#rows] {
  ^bb0(%local: tensor<3x7xf32>):
    %space = tensor.empty() : tensor<3x7xf32>
    %0 = linalg.exp ins(%local : tensor<3x7xf32>) outs(%space : tensor<3x7xf32>) -> tensor<3x7xf32>
    tp.yield %0 : tensor<3x7xf32>
  } : (tensor<6x7xf32>) -> tensor<6x7xf32>
  %d = call @double(%r) : (tensor<6x7xf32>) -> tensor<6x7xf32>
  %scalar = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
  %loss = linalg.generic {indexing_maps = [#map, #all], iterator_types = ["reduction", "reduction"]}
      ins(%d : tensor<6x7xf32>) outs(%start : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.addf %in, %out : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %loss : tensor<f32>
}
