// A branch that only chooses between values stays a branch, which the lower stage takes.
// RUN: tpc-opt %s --tpc-partition | FileCheck %s

tp.mesh @mesh ["a" = 2]
// CHECK-LABEL: func.func @choice
// CHECK-NOT: arith.select
// CHECK: scf.if %{{.*}} -> (tensor<2xf32>)
// CHECK-NOT: arith.select
// CHECK: return
func.func @choice(%c: tensor<i1, #tp.placement<@mesh, []>>, %x: tensor<4xf32, #tp.placement<@mesh, [a: S(0)]>>, %y: tensor<4xf32, #tp.placement<@mesh, [a: S(0)]>>)
    -> tensor<4xf32, #tp.placement<@mesh, [a: S(0)]>> {
  %s = tensor.extract %c[] : tensor<i1, #tp.placement<@mesh, []>>
  %0 = scf.if %s -> (tensor<4xf32, #tp.placement<@mesh, [a: S(0)]>>) {
    scf.yield %x : tensor<4xf32, #tp.placement<@mesh, [a: S(0)]>>
  } else {
    scf.yield %y : tensor<4xf32, #tp.placement<@mesh, [a: S(0)]>>
  }
  return %0 : tensor<4xf32, #tp.placement<@mesh, [a: S(0)]>>
}
