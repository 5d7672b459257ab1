// The stage as a whole: what comes out is the normal form.
// RUN: tpc-opt %s --tpc-import | FileCheck %s
// RUN: tpc-opt %s --tpc-import --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOC

#all = #tp.placement<@mesh, []>
#rows = #tp.placement<@mesh, [tp: S(0)]>
#columns = #tp.placement<@mesh, [tp: S(1)]>
#partial = #tp.placement<@mesh, [tp: P(sum)]>
tp.mesh @mesh ["tp" = 2]

// Calls are inlined, private functions go, and what was said of the placement
// of an inner value is kept.
// CHECK-NOT: func.func private
// CHECK-LABEL: func.func @calls
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<4x8xf32> {tp.name = "x", tp.placement = #S0_tp}
// CHECK-SAME: -> (tensor<4x8xf32> {tp.name = "y"})
// CHECK-NOT: call
// CHECK: tp.constrain %{{.*}} to #S1_tp
// CHECK: math.exp
// CHECK: tp.constrain %{{.*}} to #R
// CHECK: return
// LOC-LABEL: func.func @calls
// LOC: math.exp {{.*}} loc(callsite("mlp.exp"("model.py":3:0) at
func.func @calls(%x: tensor<4x8xf32> {tp.name = "x", tp.placement = #tp.placement<@mesh, [tp: S(0)]>})
    -> (tensor<4x8xf32> {tp.name = "y"}) {
  %0 = call @inner(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func private @inner(%x: tensor<4x8xf32> {tp.use = #columns})
    -> (tensor<4x8xf32> {tp.placement = #all}) {
  %0 = math.exp %x : tensor<4x8xf32> loc("mlp.exp"("model.py":3:0))
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @linear_layer
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x8xf32>, %[[W:[a-z0-9]+]]: tensor<5x8xf32>, %[[B:[a-z0-9]+]]: tensor<5xf32>
// CHECK: linalg.fill
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[X]], %[[W]] :
// CHECK: linalg.generic
// CHECK-SAME: ins(%{{.*}}, %[[B]] : tensor<4x5xf32>, tensor<5xf32>)
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @linear_layer(%x: tensor<4x8xf32>, %w: tensor<5x8xf32>, %b: tensor<5xf32>) -> tensor<4x5xf32> {
  %cst = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<8x5xf32>
  %t = linalg.transpose ins(%w : tensor<5x8xf32>) outs(%0 : tensor<8x5xf32>) permutation = [1, 0]
  %1 = tensor.empty() : tensor<4x5xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<4x5xf32>) -> tensor<4x5xf32>
  %3 = linalg.matmul ins(%x, %t : tensor<4x8xf32>, tensor<8x5xf32>) outs(%2 : tensor<4x5xf32>) -> tensor<4x5xf32>
  %4 = linalg.broadcast ins(%b : tensor<5xf32>) outs(%1 : tensor<4x5xf32>) dimensions = [0]
  %5 = arith.addf %3, %4 : tensor<4x5xf32>
  return %5 : tensor<4x5xf32>
}

// Per-rank code and placed values are the user's.
// CHECK-LABEL: func.func @manual_regions_are_left_alone
// CHECK: tp.manual
// CHECK: tp.redistribute
func.func @manual_regions_are_left_alone(%x: tensor<4xf32>, %y: tensor<4xf32, #rows>) -> (tensor<4xf32>, tensor<4xf32, #all>) {
  %0 = tp.manual (%x) in [#all] out [#partial] {
  ^bb0(%a: tensor<4xf32>):
    tp.yield %a : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tp.redistribute %y : tensor<4xf32, #rows> -> tensor<4xf32, #all>
  return %0, %1 : tensor<4xf32>, tensor<4xf32, #all>
}
