// What torch-mlir exports arrives in normal form.
// RUN: tpc-opt %models/toy_loss.mlir --tpc-import | FileCheck %s --check-prefixes=CHECK,TOY
// RUN: tpc-opt %models/attention.mlir --tpc-import | FileCheck %s --check-prefixes=CHECK,ATTENTION
// RUN: tpc-opt %models/swiglu.mlir --tpc-import | FileCheck %s
// RUN: tpc-opt %models/layernorm.mlir --tpc-import | FileCheck %s

// No named operations and no dims written through constants; parameters keep
// their names.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: tp.param
// CHECK-NOT: linalg.{{transpose|broadcast|matmul|batch_matmul}}

// Weights and biases are read as they are stored.
// TOY: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x10xf32>, tensor<32x10xf32>)
// TOY: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x32xf32>, tensor<32xf32>)
// TOY: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x32xf32>, tensor<5x32xf32>)

// The only reshapes left split features into heads and join them again; the
// heads are a loop of their own in the contractions of attention.
// ATTENTION-COUNT-3: tensor.expand_shape %{{.*}} {{\[\[}}0], [1], [2, 3]]
// ATTENTION: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32>)
// ATTENTION-SAME: outs(%{{.*}} : tensor<2x4x8x8xf32>)
// ATTENTION-NOT: tensor.{{expand|collapse}}_shape
// ATTENTION: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1], [2, 3]]
// ATTENTION-NOT: tensor.{{expand|collapse}}_shape
// CHECK: return
