// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --all none
// RUN: tpc-run %t.so -n 2 --inputs %S/Inputs/partial.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/partial.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replicated to Partial is no collective and yet not nothing: one rank keeps the value and the others hold zeros, so that
// the sum over the ranks, which is what a Partial result is written as, is the value and not twice the value.
tp.mesh @mesh ["tp" = 2]
func.func @replicated_to_partial(%x: tensor<4x8xf32> {tp.name = "x", tp.placement = #tp.placement<@mesh, []>})
    -> (tensor<4x8xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [tp: P(sum)]>}) {
  %y = tp.constrain %x to <@mesh, [tp: P(sum)]> : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
