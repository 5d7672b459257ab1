// Loops and branches become loops and branches on local tensors: what is carried, captured and computed on the host is mapped, slices keep their dynamic offsets.
// RUN: tpc-opt %s --split-input-file --tp-partition --cse | FileCheck %s

#rows = #tp.placement<@mesh, [tp: S(0)]>
#columns = #tp.placement<@mesh, [tp: S(1)]>
#sum = #tp.placement<@mesh, [tp: P(sum)]>
#rep = #tp.placement<@mesh, []>
#id = affine_map<(d0, d1) -> (d0, d1)>
tp.mesh @mesh ["tp" = 2]

// The carried tensor has its local type everywhere, the captured one too; a collective inside stays inside.
// CHECK-LABEL: func.func @carried
// CHECK-SAME: (%[[X:.*]]: tensor<3x4xf32> {{.*}}, %[[Y:.*]]: tensor<3x4xf32>
// CHECK: %[[LOOP:.*]] = scf.for %{{.*}} = %c0 to %c3 step %c1 iter_args(%[[CARRIED:.*]] = %[[X]]) -> (tensor<3x4xf32>) {
// CHECK: %[[ADDED:.*]] = linalg.add ins(%[[CARRIED]], %[[Y]] : tensor<3x4xf32>, tensor<3x4xf32>)
// CHECK: %[[ALL:.*]] = tp.all_gather %[[ADDED]] over ["tp"] parts [#tp.part<tensor<5x4xf32>, #S0_tp, #R>] : (tensor<3x4xf32>) -> tensor<5x4xf32>
// CHECK: %[[OWN:.*]] = tp.slice %[[ALL]]
// CHECK: scf.yield %[[OWN]] : tensor<3x4xf32>
// CHECK: {tp.phase = "backward"}
// CHECK: return %[[LOOP]] : tensor<3x4xf32>
func.func @carried(%x: tensor<5x4xf32, #rows>, %y: tensor<5x4xf32, #rows>) -> tensor<5x4xf32, #rows> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %loop = scf.for %i = %c0 to %c3 step %c1 iter_args(%carried = %x) -> (tensor<5x4xf32, #rows>) {
    %empty = tensor.empty() : tensor<5x4xf32, #rows>
    %added = linalg.add ins(%carried, %y : tensor<5x4xf32, #rows>, tensor<5x4xf32, #rows>) outs(%empty : tensor<5x4xf32, #rows>) -> tensor<5x4xf32, #rows>
    %all = tp.all_gather %added over ["tp"] : (tensor<5x4xf32, #rows>) -> tensor<5x4xf32, #rep>
    %own = tp.slice %all over ["tp"] : (tensor<5x4xf32, #rep>) -> tensor<5x4xf32, #rows>
    scf.yield %own : tensor<5x4xf32, #rows>
  } {tp.phase = "backward"}
  return %loop : tensor<5x4xf32, #rows>
}

// The first operation of a body is one that a rule writes anew; offsets are computed on the host, from the induction variable.
// CHECK-LABEL: func.func @slices
// CHECK: scf.for %[[I:.*]] = %c0 to %c3 step %c1 iter_args(%[[STACK:.*]] = %{{.*}}) -> (tensor<3x2xf32>)
// CHECK-NEXT: %[[ROW:.*]] = tensor.extract_slice %{{.*}}[%[[I]], 0] [1, 2] [1, 1] : tensor<3x2xf32> to tensor<1x2xf32>
// CHECK: %[[J:.*]] = arith.subi %c2, %[[I]]
// CHECK: %[[NEXT:.*]] = tensor.insert_slice %[[ROW]] into %[[STACK]][%[[J]], 0] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<3x2xf32>
// CHECK: scf.yield %[[NEXT]] : tensor<3x2xf32>
func.func @slices(%x: tensor<3x4xf32, #columns>) -> tensor<3x4xf32, #columns> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %empty = tensor.empty() : tensor<3x4xf32, #columns>
  %loop = scf.for %i = %c0 to %c3 step %c1 iter_args(%stack = %empty) -> (tensor<3x4xf32, #columns>) {
    %row = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<3x4xf32, #columns> to tensor<1x4xf32, #columns>
    %j = arith.subi %c2, %i : index
    %next = tensor.insert_slice %row into %stack[%j, 0] [1, 4] [1, 1] : tensor<1x4xf32, #columns> into tensor<3x4xf32, #columns>
    scf.yield %next : tensor<3x4xf32, #columns>
  }
  return %loop : tensor<3x4xf32, #columns>
}

// A partial sum may be carried; where a branch needs masks they are computed inside it.
// CHECK-LABEL: func.func @partial_in_a_branch
// CHECK: %[[C:.*]] = tensor.extract %{{.*}}[%c0] : tensor<1xi1>
// CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (tensor<4xf32>)
// CHECK: scf.if %[[C]] -> (tensor<4xf32>) {
// CHECK: tp.chunk_size 5 dim 0 of #S0_tp
// CHECK: linalg.generic
// CHECK: } else {
// CHECK: scf.yield %[[SUM]] : tensor<4xf32>
func.func @partial_in_a_branch(%x: tensor<5x4xf32, #rows>, %start: tensor<4xf32, #sum>, %flag: tensor<1xi1, #rep>) -> tensor<4xf32, #sum> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c = tensor.extract %flag[%c0] : tensor<1xi1, #rep>
  %loop = scf.for %i = %c0 to %c3 step %c1 iter_args(%sum = %start) -> (tensor<4xf32, #sum>) {
    %if = scf.if %c -> (tensor<4xf32, #sum>) {
      %next = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}
          ins(%x : tensor<5x4xf32, #rows>) outs(%sum : tensor<4xf32, #sum>) {
      ^bb0(%in: f32, %out: f32):
        %0 = arith.addf %in, %out : f32
        linalg.yield %0 : f32
      } -> tensor<4xf32, #sum>
      scf.yield %next : tensor<4xf32, #sum>
    } else {
      scf.yield %sum : tensor<4xf32, #sum>
    }
    scf.yield %if : tensor<4xf32, #sum>
  }
  return %loop : tensor<4xf32, #sum>
}
