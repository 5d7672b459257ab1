// What the command line says becomes attributes, and nothing else does.
// RUN: tpc-opt %s --split-input-file --tp-apply-placements="mesh=dp=2,tp=4 place='w*=tp:S(0);w2=tp:S(1);x=R;y=tp:S(0),dp:S(0);dw1=dp:S(1);dy=dp:S(0)' use='w1=R' grad='params;x'" | FileCheck %s

// CHECK-DAG: #[[$R:R[a-z_]*]] = #tp.placement<@mesh, []>
// CHECK-DAG: #[[$BATCH:.*]] = #tp.placement<@mesh, [dp: S(0)]>
// CHECK-DAG: #[[$NESTED:.*]] = #tp.placement<@mesh, [tp: S(0), dp: S(0)]>
// CHECK-DAG: #[[$COLUMNS:.*]] = #tp.placement<@mesh, [dp: S(1)]>
// The mesh is made first in the module.
// CHECK: tp.mesh @mesh ["dp" = 2, "tp" = 4]
// CHECK-LABEL: func.func @flags
// CHECK-SAME: (%[[X:.*]]: tensor<8x8xf32> {tp.grad, tp.name = "x", tp.placement = #[[$R]]}
// CHECK-SAME: , %[[W1:.*]]: tensor<8x8xf32> {tp.grad, tp.name = "w1", tp.param, tp.placement = #tp.placement<@mesh, [tp: S(0)]>}
// Of two flags for one name the later wins.
// CHECK-SAME: , %{{.*}}: tensor<8x8xf32> {tp.grad, tp.name = "w2", tp.param, tp.placement = #tp.placement<@mesh, [tp: S(1)]>}
// An integer is not differentiated by.
// CHECK-SAME: , %{{.*}}: tensor<8xi32> {tp.name = "w3", tp.param, tp.placement = #tp.placement<@mesh, [tp: S(0)]>}
// An argument without a name gets one; nothing is inferred for it.
// CHECK-SAME: , %{{.*}}: tensor<8x8xf32> {tp.name = "arg4"})
// The list is in nesting order.
// CHECK-SAME: -> (tensor<8x8xf32> {tp.name = "y", tp.placement = #[[$NESTED]]}, tensor<8x8xf32> {tp.name = "result1"})
// Gradients and cotangents do not exist yet: their placements wait on the function.
// CHECK-SAME: tp.derived_placements = {dw1 = #[[$COLUMNS]], dy = #[[$BATCH]]}
// A use is a pin behind the argument, which all of its readers see, the return among them.
// CHECK: %[[USED:.*]] = tp.constrain %[[W1]] to #[[$R]]
// CHECK: linalg.add ins(%[[X]], %[[USED]] :
// CHECK: return %{{.*}}, %[[USED]] :
func.func @flags(%x: tensor<8x8xf32> {tp.name = "x"}, %w1: tensor<8x8xf32> {tp.name = "w1", tp.param},
                 %w2: tensor<8x8xf32> {tp.name = "w2", tp.param}, %w3: tensor<8xi32> {tp.name = "w3", tp.param},
                 %free: tensor<8x8xf32>) -> (tensor<8x8xf32> {tp.name = "y"}, tensor<8x8xf32>) {
  %empty = tensor.empty() : tensor<8x8xf32>
  %y = linalg.add ins(%x, %w1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y, %w1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// The flag resizes the mesh of the module and may add axes. Attributes of the file stay unless a flag names them.
// CHECK: tp.mesh @grid ["dp" = 2, "tp" = 4]
// CHECK-NOT: tp.mesh
// CHECK-LABEL: func.func @attributes
// CHECK-SAME: (%{{.*}}: tensor<8x8xf32> {tp.grad, tp.name = "x", tp.placement = #[[R:R[a-z_]*]]}
// CHECK-SAME: , %[[W1:.*]]: tensor<8x8xf32> {tp.grad, tp.name = "w1"
// CHECK-SAME: , %[[B:[a-z0-9]*]]: tensor<8x8xf32> {tp.name = "b", tp.placement = #tp.placement<@grid, [tp: S(0)]>})
// A used argument that nothing reads needs no pin.
// CHECK-NOT: tp.constrain %[[W1]]
// CHECK: tp.constrain %[[B]] to #[[R]]
// CHECK-NOT: tp.constrain
tp.mesh @grid ["tp" = 2]
func.func @attributes(%x: tensor<8x8xf32> {tp.name = "x", tp.placement = #tp.placement<@grid, [tp: S(0)]>},
                      %w1: tensor<8x8xf32> {tp.name = "w1", tp.param},
                      %b: tensor<8x8xf32> {tp.name = "b", tp.placement = #tp.placement<@grid, [tp: S(0)]>, tp.use = #tp.placement<@grid, []>})
    -> (tensor<8x8xf32> {tp.name = "y"}, tensor<8x8xf32> {tp.name = "w2"}) {
  return %b, %b : tensor<8x8xf32>, tensor<8x8xf32>
}
