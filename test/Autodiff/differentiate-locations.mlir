// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operation of the backward pass has the location of the forward operation, marked; one that gives a gradient
// has its name.
// RUN: tpc-opt --tp-differentiate --mlir-print-debuginfo %s | FileCheck %s

// CHECK-DAG: #[[FORWARD:loc[0-9]+]] = loc("square"(#{{.*}}))
// CHECK-DAG: #[[BACKWARD:loc[0-9]+]] = loc(fused<"backward">[#[[FORWARD]]])
// CHECK-DAG: #[[GRADIENT:loc[0-9]+]] = loc("dx"(#[[BACKWARD]]))
// CHECK-DAG: tensor.empty() {tp.phase = "backward"} : tensor<4xf32> loc(#[[BACKWARD]])
// CHECK-DAG: } -> tensor<4xf32> loc(#[[GRADIENT]])
func.func @locations(%x: tensor<4xf32> {tp.name = "x", tp.grad}) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.mul ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32> loc("square"("model.py":7:3))
  return %y : tensor<4xf32>
}
