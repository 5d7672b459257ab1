// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'send_recv[y,z]:12 all_gather[x]:32' --backward 'send_recv[x,y,z]:4' --forward-max 28 --backward-max 4
// RUN: tpc-run %t.so -n 8 --inputs %S/Inputs/bc41.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc41.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dim over three axes becomes another dim over one of them (reported: openxla/shardy#1453): y changes its dim and is not
// gathered.
// Two gathers and an all-to-all were thought least, 8 + 8 + 16 bytes received. A rank wants 8 elements and holds one of
// them, so 28 bytes do; in backward it wants 2 and holds one of those, 4 bytes where the all-to-all of y receives 8.
tp.mesh @mesh ["x" = 2, "y" = 2, "z" = 2]
func.func @three_axes_to_one(%x: tensor<2x8xf32> {tp.name = "x", tp.grad, tp.placement = #tp.placement<@mesh, [x: S(1), y: S(1), z: S(1)]>})
    -> (tensor<2x8xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [y: S(0)]>}) {
  return %x : tensor<2x8xf32>
}
