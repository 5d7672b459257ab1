// A loop is differentiated to a loop backward; what its body's derivative reads is stacked, and nothing else.
// RUN: tpc-opt %s --tp-differentiate --cse --split-input-file | FileCheck %s --implicit-check-not=math.tanh

#vector = affine_map<(d0) -> (d0)>
// The residual is the tanh alone: stacked by the forward loop, which is run once. The parameter is read where it is, and
// its gradient is updated slice by slice.
// CHECK-LABEL: func.func @stacked_parameters
// CHECK-SAME: %[[W:.*]]: tensor<5x4xf32> {tp.name = "w"}, %[[X:.*]]: tensor<4xf32> {tp.name = "x"}, %[[DY:.*]]: tensor<4xf32> {tp.name = "dy"}
// CHECK: %[[FORWARD:.*]]:3 = scf.for %[[I:[a-z0-9]+]] = %c0 to %c5 step %c1 iter_args(%[[H:.*]] = %[[X]], %[[ALL:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<4xf32>, tensor<5x4xf32>, tensor<5x4xf32>)
// CHECK: %[[TANH:.*]] = linalg.generic
// CHECK: math.tanh
// CHECK: tensor.insert_slice %[[TANH]] into %[[ALL]][%[[I]], 0] [1, 4] [1, 1]
// CHECK: tensor.insert_slice %[[H]] into
// CHECK: scf.yield %[[TANH]]
// CHECK: %[[ZERO:.*]] = linalg.fill {tp.phase = "backward"} {{.*}} -> tensor<5x4xf32>
// CHECK: %[[BACKWARD:.*]]:2 = scf.for %[[K:[a-z0-9]+]] = %c0 to %c5 step %c1 iter_args(%[[DH:.*]] = %[[DY]], %[[DW:.*]] = %[[ZERO]]) -> (tensor<4xf32>, tensor<5x4xf32>)
// CHECK: %[[LAST:.*]] = arith.constant {tp.phase = "backward"} 4 : index
// CHECK: %[[J:.*]] = arith.subi %[[LAST]], %[[K]] {tp.phase = "backward"}
// CHECK: tensor.extract_slice %[[FORWARD]]#1[%[[J]], 0] [1, 4] [1, 1] {tp.phase = "backward"}
// CHECK: tensor.extract_slice %[[W]][%[[J]], 0] [1, 4] [1, 1] {tp.phase = "backward"}
// CHECK: %[[BEFORE:.*]] = tensor.extract_slice %[[DW]][%[[J]], 0]
// CHECK: %[[AFTER:.*]] = linalg.generic {{.*}} ins(%[[BEFORE]], %{{.*}} : tensor<4xf32>, tensor<4xf32>) {{.*}} attrs = {tp.phase = "backward"}
// CHECK: %[[UPDATED:.*]] = tensor.insert_slice %[[AFTER]] into %[[DW]][%[[J]], 0]
// CHECK: scf.yield %{{.*}}, %[[UPDATED]]
// CHECK: } {tp.phase = "backward"}
// CHECK: return %[[FORWARD]]#0, %[[BACKWARD]]#1, %[[BACKWARD]]#0
func.func @stacked_parameters(%w: tensor<5x4xf32> {tp.name = "w", tp.grad}, %x: tensor<4xf32> {tp.name = "x", tp.grad}) -> (tensor<4xf32> {tp.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %0 = scf.for %i = %c0 to %c5 step %c1 iter_args(%h = %x) -> (tensor<4xf32>) {
    %1 = tensor.extract_slice %w[%i, 0] [1, 4] [1, 1] : tensor<5x4xf32> to tensor<4xf32>
    %2 = tensor.empty() : tensor<4xf32>
    %3 = linalg.generic {indexing_maps = [#vector, #vector, #vector], iterator_types = ["parallel"]} ins(%h, %1 : tensor<4xf32>, tensor<4xf32>) outs(%2 : tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %p = arith.mulf %a, %b : f32
      %t = math.tanh %p : f32
      linalg.yield %t : f32
    } -> tensor<4xf32>
    scf.yield %3 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

#vector = affine_map<(d0) -> (d0)>
// Linear in what is carried and no gradient of the factor: nothing is stacked, nothing carried but the cotangent.
// CHECK-LABEL: func.func @no_residual
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<4xf32>) {
// CHECK-NOT: insert_slice
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<4xf32>) {
// CHECK-NOT: slice
// CHECK: return
func.func @no_residual(%w: tensor<4xf32> {tp.name = "w"}, %x: tensor<4xf32> {tp.name = "x", tp.grad}) -> (tensor<4xf32> {tp.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %0 = scf.for %i = %c0 to %c5 step %c1 iter_args(%h = %x) -> (tensor<4xf32>) {
    %2 = tensor.empty() : tensor<4xf32>
    %3 = linalg.generic {indexing_maps = [#vector, #vector, #vector], iterator_types = ["parallel"]} ins(%h, %w : tensor<4xf32>, tensor<4xf32>) outs(%2 : tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %p = arith.mulf %a, %b : f32
      linalg.yield %p : f32
    } -> tensor<4xf32>
    scf.yield %3 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

#vector = affine_map<(d0) -> (d0)>
// The second carried value reaches no result with a cotangent: backward carries one value.
// CHECK-LABEL: func.func @carries_no_more_than_needed
// CHECK: scf.for {{.*}} -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<5x4xf32>)
// CHECK: scf.for {{.*}} -> (tensor<4xf32>) {
// CHECK: } {tp.phase = "backward"}
// CHECK: return %{{.*}}#0, %{{.*}}#1, %{{.*}} : tensor<4xf32>, tensor<4xi32>, tensor<4xf32>
func.func @carries_no_more_than_needed(%x: tensor<4xf32> {tp.name = "x", tp.grad}, %n: tensor<4xi32>) -> (tensor<4xf32> {tp.name = "y"}, tensor<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %0:3 = scf.for %i = %c0 to %c5 step %c1 iter_args(%h = %x, %k = %n, %g = %x) -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>) {
    %2 = tensor.empty() : tensor<4xf32>
    %3 = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]} ins(%h : tensor<4xf32>) outs(%2 : tensor<4xf32>) {
    ^bb0(%a: f32, %out: f32):
      %p = math.sin %a : f32
      linalg.yield %p : f32
    } -> tensor<4xf32>
    %4 = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]} ins(%g : tensor<4xf32>) outs(%2 : tensor<4xf32>) {
    ^bb0(%a: f32, %out: f32):
      %p = math.exp %a : f32
      linalg.yield %p : f32
    } -> tensor<4xf32>
    scf.yield %3, %k, %4 : tensor<4xf32>, tensor<4xi32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32>
}

// -----

#vector = affine_map<(d0) -> (d0)>
// The residual of the inner loop is one value of the outer body, and stacked again there.
// CHECK-LABEL: func.func @nested
// CHECK: scf.for {{.*}} -> (tensor<4xf32>, tensor<5x3x4xf32>)
// CHECK: %[[INNER:.*]]:2 = scf.for {{.*}} -> (tensor<4xf32>, tensor<3x4xf32>)
// CHECK: tensor.insert_slice %[[INNER]]#1 into %{{.*}}[%{{.*}}, 0, 0] [1, 3, 4] [1, 1, 1] : tensor<3x4xf32> into tensor<5x3x4xf32>
// CHECK: scf.for
// CHECK: tensor.extract_slice {{.*}} : tensor<5x3x4xf32> to tensor<3x4xf32>
// CHECK: scf.for
// CHECK: tensor.extract_slice {{.*}} : tensor<3x4xf32> to tensor<4xf32>
// CHECK: math.cos
func.func @nested(%x: tensor<4xf32> {tp.name = "x", tp.grad}) -> (tensor<4xf32> {tp.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %0 = scf.for %i = %c0 to %c5 step %c1 iter_args(%h = %x) -> (tensor<4xf32>) {
    %1 = scf.for %j = %c0 to %c3 step %c1 iter_args(%g = %h) -> (tensor<4xf32>) {
      %2 = tensor.empty() : tensor<4xf32>
      %3 = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]} ins(%g : tensor<4xf32>) outs(%2 : tensor<4xf32>) {
      ^bb0(%a: f32, %out: f32):
        %p = math.sin %a : f32
        linalg.yield %p : f32
      } -> tensor<4xf32>
      scf.yield %3 : tensor<4xf32>
    }
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
