// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'send_recv[data]:12' --backward 'send_recv[data]:12'
// RUN: tpc-run %t.so -n 8 --inputs %S/Inputs/bc26.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc26.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two tensors sharded along the dim they are joined along, replicated over another axis (reported: jax-ml/jax#24576):
// nothing is added over the replicas, and what moves is what does not lie where it is needed.
tp.mesh @mesh ["data" = 4, "model" = 2]
func.func @concat(
    %a: tensor<4xf32> {tp.name = "a", tp.grad, tp.placement = #tp.placement<@mesh, [data: S(0)]>},
    %b: tensor<12xf32> {tp.name = "b", tp.grad, tp.placement = #tp.placement<@mesh, [data: S(0)]>})
    -> (tensor<16xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [data: S(0)]>}) {
  %y = tensor.concat dim(0) %a, %b : (tensor<4xf32>, tensor<12xf32>) -> tensor<16xf32>
  return %y : tensor<16xf32>
}
