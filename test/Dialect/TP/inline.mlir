// Operations of the dialect do not keep a function from being inlined, nor does
// a manual region keep code from being inlined into it.
// RUN: tpc-opt %s --inline | FileCheck %s

#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 2]

func.func private @pin(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tp.constrain %x to #rows : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func private @per_rank(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = math.exp %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @caller
// CHECK-NOT: call
// CHECK: tp.constrain
// CHECK: tp.manual
// CHECK: math.exp
// CHECK-NOT: call
// CHECK: return
func.func @caller(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @pin(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tp.manual (%0) in [#rows] out [#rows] {
  ^bb0(%a: tensor<2xf32>):
    %2 = func.call @per_rank(%a) : (tensor<2xf32>) -> tensor<2xf32>
    tp.yield %2 : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
