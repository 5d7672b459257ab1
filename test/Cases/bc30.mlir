// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_gather[sp]:16' --backward 'all_gather[sp]:16'
// RUN: tpc-run %t.so -n 8 --inputs %S/Inputs/bc30.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc30.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cumulative sum along a sharded dim (reported: jax-ml/jax#21403) does not begin anew on every rank; what is exchanged
// are the sums of the shards, in backward those of the cotangent.
tp.mesh @mesh ["dp" = 2, "sp" = 4]
func.func @positions(
    %x: tensor<2x16xf32> {tp.name = "x", tp.grad, tp.placement = #tp.placement<@mesh, [dp: S(0), sp: S(1)]>})
    -> (tensor<2x16xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [dp: S(0), sp: S(1)]>}) {
  %y = tp.cumsum %x dim 1 : tensor<2x16xf32>
  return %y : tensor<2x16xf32>
}
