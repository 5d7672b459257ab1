// A target that kernels cannot be made for.
// RUN: not tpc-opt %s --tp-lower-to-runtime=target=tpu 2>&1 | FileCheck %s
// RUN: not tpc-opt %s --tpc-lower=target=tpu 2>&1 | FileCheck %s

// CHECK: error: expected target cpu or cuda, got 'tpu'
// RUN: not tpc-opt %s "--tp-lower-to-runtime=target=cuda shared-limit=1000" 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: error: expected a shared-limit of at least 49152 bytes, got 1000
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
