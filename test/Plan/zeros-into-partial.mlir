// RUN: tpc-compile %s --objective=bytes -o %t.so
// RUN: tpc-run %t.so -n 6 --seed 1 --check | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Zeros set into a partial sum are a sum of zeros: the cotangent of what an insertion replaces stays partial (found by
// random programs).
// CHECK-COUNT-3: within tolerance
tp.mesh @mesh ["a" = 3, "b" = 2]
func.func @zeros_into_a_partial_sum(
    %small: tensor<2x1xf32> {tp.name = "small", tp.grad}, %big: tensor<8x3xf32> {tp.name = "big", tp.grad})
    -> (tensor<8x3xf32> {tp.name = "y"}) {
  %0 = tensor.insert_slice %small into %big[4, 2] [2, 1] [2, 1] : tensor<2x1xf32> into tensor<8x3xf32>
  %1 = tp.constrain %0 to <@mesh, [a: S(0), b: S(1)]> cotangent <@mesh, [b: S(1), a: P(sum)]> : tensor<8x3xf32>
  return %1 : tensor<8x3xf32>
}
