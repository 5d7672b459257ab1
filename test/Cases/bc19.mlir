// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_gather[dp,tp]:20' --backward none --uneven --max 16
// RUN: tpc-run %t.so -n 4 --inputs %S/Inputs/bc19.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc19.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Five elements split over tp first and then over dp (reported: pytorch/pytorch#150146): rank by rank [0, 1], [3], [2], [4].
// Gathered in the order of the ranks they would be 0, 1, 3, 2, 4. The worst rank lacks 4 elements.
#element = affine_map<(d0) -> (d0)>
tp.mesh @mesh ["dp" = 2, "tp" = 2]
func.func @thrice(%x: tensor<5xf32> {tp.name = "x", tp.grad, tp.placement = #tp.placement<@mesh, [tp: S(0), dp: S(0)]>})
    -> (tensor<5xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, []>}) {
  %three = arith.constant 3.0 : f32
  %empty = tensor.empty() : tensor<5xf32>
  %y = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel"]}
      ins(%x : tensor<5xf32>) outs(%empty : tensor<5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %three : f32
    linalg.yield %0 : f32
  } -> tensor<5xf32>
  return %y : tensor<5xf32>
}
