// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grouped-query attention: 8 query heads of 8 features share 2 heads of keys and values, 4 each. 16 tokens of 32 features.
// Query head 4 * h + g reads the keys and values of head h. Heads are dims of the weights, so that they can be sharded.
#w = affine_map<(t, h, g, e, d) -> (h, g, e, d)>
#x = affine_map<(t, h, g, e, d) -> (t, d)>
#q = affine_map<(t, h, g, e, d) -> (t, h, g, e)>
#wkv = affine_map<(t, h, e, d) -> (h, e, d)>
#xkv = affine_map<(t, h, e, d) -> (t, d)>
#kv = affine_map<(t, h, e, d) -> (t, h, e)>
#sq = affine_map<(h, g, i, j, e) -> (i, h, g, e)>
#sk = affine_map<(h, g, i, j, e) -> (j, h, e)>
#s = affine_map<(h, g, i, j, e) -> (h, g, i, j)>
#op = affine_map<(i, h, g, e, j) -> (h, g, i, j)>
#ov = affine_map<(i, h, g, e, j) -> (j, h, e)>
#o = affine_map<(i, h, g, e, j) -> (i, h, g, e)>
#yo = affine_map<(t, d, h, g, e) -> (t, h, g, e)>
#yw = affine_map<(t, d, h, g, e) -> (d, h, g, e)>
#y = affine_map<(t, d, h, g, e) -> (t, d)>
#all = affine_map<(a, b, c, d) -> (a, b, c, d)>
func.func @attention(
    %x: tensor<16x32xf32> {tp.name = "x"},
    %wq: tensor<2x4x8x32xf32> {tp.name = "wq", tp.param},
    %wk: tensor<2x8x32xf32> {tp.name = "wk", tp.param},
    %wv: tensor<2x8x32xf32> {tp.name = "wv", tp.param},
    %wo: tensor<32x2x4x8xf32> {tp.name = "wo", tp.param}) -> (tensor<16x32xf32> {tp.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.35355339059327379 : f32
  %emptyq = tensor.empty() : tensor<16x2x4x8xf32>
  %initq = linalg.fill ins(%zero : f32) outs(%emptyq : tensor<16x2x4x8xf32>) -> tensor<16x2x4x8xf32>
  %q = linalg.generic {indexing_maps = [#x, #w, #q], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %wq : tensor<16x32xf32>, tensor<2x4x8x32xf32>) outs(%initq : tensor<16x2x4x8xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<16x2x4x8xf32>
  %emptykv = tensor.empty() : tensor<16x2x8xf32>
  %initkv = linalg.fill ins(%zero : f32) outs(%emptykv : tensor<16x2x8xf32>) -> tensor<16x2x8xf32>
  %k = linalg.generic {indexing_maps = [#xkv, #wkv, #kv], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %wk : tensor<16x32xf32>, tensor<2x8x32xf32>) outs(%initkv : tensor<16x2x8xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<16x2x8xf32>
  %v = linalg.generic {indexing_maps = [#xkv, #wkv, #kv], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %wv : tensor<16x32xf32>, tensor<2x8x32xf32>) outs(%initkv : tensor<16x2x8xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<16x2x8xf32>
  %emptys = tensor.empty() : tensor<2x4x16x16xf32>
  %inits = linalg.fill ins(%zero : f32) outs(%emptys : tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %scores = linalg.generic {indexing_maps = [#sq, #sk, #s], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<16x2x4x8xf32>, tensor<16x2x8xf32>) outs(%inits : tensor<2x4x16x16xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x4x16x16xf32>
  %scaled = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%scores : tensor<2x4x16x16xf32>) outs(%emptys : tensor<2x4x16x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<2x4x16x16xf32>
  %p = linalg.softmax dimension(3) ins(%scaled : tensor<2x4x16x16xf32>) outs(%emptys : tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %o = linalg.generic {indexing_maps = [#op, #ov, #o], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<2x4x16x16xf32>, tensor<16x2x8xf32>) outs(%initq : tensor<16x2x4x8xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<16x2x4x8xf32>
  %emptyy = tensor.empty() : tensor<16x32xf32>
  %inity = linalg.fill ins(%zero : f32) outs(%emptyy : tensor<16x32xf32>) -> tensor<16x32xf32>
  %y = linalg.generic {indexing_maps = [#yo, #yw, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%o, %wo : tensor<16x2x4x8xf32>, tensor<32x2x4x8xf32>) outs(%inity : tensor<16x32xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}
