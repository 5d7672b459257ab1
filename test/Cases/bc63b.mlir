// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_to_all[sp]:96*3 all_to_all[sp]:128' --backward 'all_to_all[sp]:96 all_to_all[sp]:128*3' --uneven --forward-max 384 --backward-max 384
// RUN: tpc-run %t.so -n 4 --inputs %S/Inputs/bc63b.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc63b.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As bc63 with 6 heads, 2, 2, 2 and none: an exchange to which the last rank only gives, and of the result and its
// gradients only takes. A rank holds 96 bytes of a sequence shard and at most 128 of a head shard; either way it receives
// at most 96 bytes.
#q = affine_map<(h, i, j, d) -> (i, h, d)>
#k = affine_map<(h, i, j, d) -> (j, h, d)>
#s = affine_map<(h, i, j, d) -> (h, i, j)>
#p = affine_map<(i, h, d, j) -> (h, i, j)>
#v = affine_map<(i, h, d, j) -> (j, h, d)>
#o = affine_map<(i, h, d, j) -> (i, h, d)>
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
tp.mesh @mesh ["sp" = 4]
func.func @attention(
    %q: tensor<8x6x2xf32> {tp.name = "q", tp.grad, tp.placement = #tp.placement<@mesh, [sp: S(0)]>},
    %k: tensor<8x6x2xf32> {tp.name = "k", tp.grad, tp.placement = #tp.placement<@mesh, [sp: S(0)]>},
    %v: tensor<8x6x2xf32> {tp.name = "v", tp.grad, tp.placement = #tp.placement<@mesh, [sp: S(0)]>})
    -> (tensor<8x6x2xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [sp: S(0)]>}) {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.70710678118654752 : f32
  %qh = tp.constrain %q to <@mesh, [sp: S(1)]> : tensor<8x6x2xf32>
  %kh = tp.constrain %k to <@mesh, [sp: S(1)]> : tensor<8x6x2xf32>
  %vh = tp.constrain %v to <@mesh, [sp: S(1)]> : tensor<8x6x2xf32>
  %empty = tensor.empty() : tensor<6x8x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<6x8x8xf32>) -> tensor<6x8x8xf32>
  %scores = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%qh, %kh : tensor<8x6x2xf32>, tensor<8x6x2xf32>) outs(%init : tensor<6x8x8xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<6x8x8xf32>
  %scaled = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<6x8x8xf32>) outs(%empty : tensor<6x8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %scale : f32
    linalg.yield %0 : f32
  } -> tensor<6x8x8xf32>
  %p = linalg.softmax dimension(2) ins(%scaled : tensor<6x8x8xf32>) outs(%empty : tensor<6x8x8xf32>) -> tensor<6x8x8xf32>
  %empty2 = tensor.empty() : tensor<8x6x2xf32>
  %init2 = linalg.fill ins(%zero : f32) outs(%empty2 : tensor<8x6x2xf32>) -> tensor<8x6x2xf32>
  %o = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %vh : tensor<6x8x8xf32>, tensor<8x6x2xf32>) outs(%init2 : tensor<8x6x2xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x6x2xf32>
  %y = tp.constrain %o to <@mesh, [sp: S(0)]> : tensor<8x6x2xf32>
  return %y : tensor<8x6x2xf32>
}
