// A branch is differentiated to a branch on the same condition; what its derivative reads is one result more.
// RUN: tpc-opt %s --tp-differentiate --cse --split-input-file | FileCheck %s

#vector = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func @residual_of_one_side
// CHECK: %[[C:.*]] = tensor.extract
// CHECK: %[[FORWARD:.*]]:2 = scf.if %[[C]] -> (tensor<4xf32>, tensor<4xf32>)
// CHECK: %[[EXP:.*]] = linalg.generic
// CHECK: math.exp
// CHECK: scf.yield %{{.*}}, %[[EXP]]
// CHECK: else
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK: scf.yield %{{.*}}, %[[ZERO]]
// CHECK: %[[BACKWARD:.*]]:2 = scf.if %[[C]] -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NOT: math.exp
// CHECK: linalg.generic {{.*}} %[[FORWARD]]#1
// CHECK: else
// CHECK: } {tp.phase = "backward"}
// CHECK: return %[[FORWARD]]#0, %[[BACKWARD]]#0, %[[BACKWARD]]#1
func.func @residual_of_one_side(%c: tensor<i1>, %x: tensor<4xf32> {tp.name = "x", tp.grad}, %w: tensor<4xf32> {tp.name = "w", tp.grad}) -> (tensor<4xf32> {tp.name = "y"}) {
  %s = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %s -> (tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %1 = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%a: f32, %out: f32):
      %p = math.exp %a : f32
      linalg.yield %p : f32
    } -> tensor<4xf32>
    %2 = linalg.generic {indexing_maps = [#vector, #vector, #vector], iterator_types = ["parallel"]} ins(%1, %w : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %p = arith.mulf %a, %b : f32
      linalg.yield %p : f32
    } -> tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

#vector = affine_map<(d0) -> (d0)>
// In a loop, the branch gives the sum the loop carries: no sum over the whole of %w per iteration.
// CHECK-LABEL: func.func @sum_through_a_branch
// CHECK: scf.if
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[SUM:.*]] = %{{.*}}) -> (tensor<4xf32>, tensor<5x4xf32>)
// CHECK: %[[BRANCH:.*]]:2 = scf.if
// CHECK: %[[UPDATED:.*]] = tensor.insert_slice %{{.*}} into %[[SUM]]
// CHECK: scf.yield %[[UPDATED]]
// CHECK: else
// CHECK: scf.yield %[[SUM]]
// CHECK: scf.yield %{{.*}}, %[[BRANCH]]#0
func.func @sum_through_a_branch(%x: tensor<4xf32> {tp.name = "x", tp.grad}, %w: tensor<5x4xf32> {tp.name = "w", tp.grad}) -> (tensor<4xf32> {tp.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %0 = scf.for %i = %c0 to %c5 step %c1 iter_args(%h = %x) -> (tensor<4xf32>) {
    %c = arith.cmpi ult, %i, %c2 : index
    %1 = scf.if %c -> (tensor<4xf32>) {
      %s = tensor.extract_slice %w[%i, 0] [1, 4] [1, 1] : tensor<5x4xf32> to tensor<4xf32>
      %e = tensor.empty() : tensor<4xf32>
      %2 = linalg.generic {indexing_maps = [#vector, #vector, #vector], iterator_types = ["parallel"]} ins(%h, %s : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
      ^bb0(%a: f32, %b: f32, %out: f32):
        %p = arith.mulf %a, %b : f32
        linalg.yield %p : f32
      } -> tensor<4xf32>
      scf.yield %2 : tensor<4xf32>
    } else {
      scf.yield %h : tensor<4xf32>
    }
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
