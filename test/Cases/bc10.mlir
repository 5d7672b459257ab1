// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_reduce[tp]:16*2' --backward 'all_reduce[tp]:16'
// RUN: tpc-run %t.so -n 4 --inputs %S/Inputs/bc10.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc10.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax over a sharded dim with large logits (reported: tenstorrent/tt-xla#6075): the ranks' maxima are joined by max,
// not added, or every exponential underflows. One maximum and one sum per row in forward, one sum in backward.
tp.mesh @mesh ["tp" = 4]
func.func @softmax(%x: tensor<4x8xf32> {tp.name = "x", tp.grad, tp.placement = #tp.placement<@mesh, [tp: S(1)]>})
    -> (tensor<4x8xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [tp: S(1)]>}) {
  %empty = tensor.empty() : tensor<4x8xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%empty : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
