// A loop over microbatches: what runs in it, in front of it and behind it.
// RUN: tpc-opt %s --tp-accumulate-gradients=count=2 --cse | FileCheck %s
// RUN: tpc-opt %s --tp-accumulate-gradients=count=1 | FileCheck %s --check-prefix=ONE
// ONE-NOT: scf.for

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#none = affine_map<(d0, d1) -> ()>
#vec = affine_map<(d0) -> (d0)>

// Rows that are returned are written where they were; a sum over rows is carried from zero; an operation on parameters
// alone stands in front, one on the sum behind.
// CHECK-LABEL: func.func @rows_and_sums
// CHECK-SAME: %[[X:.*]]: tensor<6x4xf32> {tp.name = "x"}, %[[W:[a-z0-9]*]]: tensor<4xf32>
// CHECK: %[[SCALED:.*]] = linalg.generic {{.*}} ins(%[[W]] : tensor<4xf32>)
// CHECK: %[[VIEW:.*]] = tensor.expand_shape %[[X]] {{\[\[}}0, 1], [2]] output_shape [3, 2, 4]
// CHECK: %[[LOOP:.*]]:2 = scf.for %[[K:[a-z0-9]*]] = %c0 to %c2 step %c1 iter_args(%[[ROWS:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}}) -> (tensor<3x2x4xf32>, tensor<4xf32>)
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[VIEW]][0, %[[K]], 0] [3, 1, 4] [1, 1, 1] : tensor<3x2x4xf32> to tensor<3x4xf32>
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[PART]], %[[SCALED]] : tensor<3x4xf32>, tensor<4xf32>)
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[Y]] : tensor<3x4xf32>) {{.*}} attrs = {tp.phase = "backward"}
// CHECK: %[[INSERTED:.*]] = tensor.insert_slice %[[Y]] into %[[ROWS]][0, %[[K]], 0] [3, 1, 4] [1, 1, 1]
// CHECK: %[[TOTAL:.*]] = linalg.generic {{.*}} ins(%[[SUM]], %[[S]] : {{.*}} attrs = {tp.phase = "backward"}
// CHECK: arith.addf
// CHECK: scf.yield %[[INSERTED]], %[[TOTAL]]
// CHECK: %[[ALL:.*]] = tensor.collapse_shape %[[LOOP]]#0
// CHECK: %[[ROOT:.*]] = linalg.generic {{.*}} ins(%[[LOOP]]#1 : tensor<4xf32>)
// CHECK: math.sqrt
// CHECK: return %[[ALL]], %[[ROOT]], %[[SCALED]]
func.func @rows_and_sums(%x: tensor<6x4xf32> {tp.name = "x"}, %w: tensor<4xf32> {tp.name = "w", tp.param})
    -> (tensor<6x4xf32> {tp.name = "y"}, tensor<4xf32> {tp.name = "root"}, tensor<4xf32> {tp.name = "scaled"}) {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %empty = tensor.empty() : tensor<6x4xf32>
  %small = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%small : tensor<4xf32>) -> tensor<4xf32>
  %scaled = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%w : tensor<4xf32>) outs(%small : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.mulf %in, %two : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %scaled : tensor<6x4xf32>, tensor<4xf32>) outs(%empty : tensor<6x4xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.mulf %in, %s : f32
    linalg.yield %0 : f32
  } -> tensor<6x4xf32>
  %sum = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%y : tensor<6x4xf32>) outs(%init : tensor<4xf32>) attrs = {tp.phase = "backward"} {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %root = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%sum : tensor<4xf32>) outs(%small : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.sqrt %in : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  return %y, %root, %scaled : tensor<6x4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Batch and sequence joined to one dim: a row is as many elements as the sequence is long, on the way in and out, and the
// positions that a body asks for are those of the whole.
// CHECK-LABEL: func.func @sequences
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [2, 2, 3]
// CHECK: scf.for %[[K:[a-z0-9]*]] = {{.*}} -> (tensor<2x2x3xf32>)
// CHECK: %[[PART:.*]] = tensor.extract_slice {{.*}} to tensor<2x3xf32>
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[PART]] {{\[\[}}0, 1]] : tensor<2x3xf32> into tensor<6xf32>
// CHECK: linalg.generic {{.*}} ins(%[[FLAT]] : tensor<6xf32>)
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[ROW:.*]] = arith.divui %[[I]], %c3
// CHECK: %[[ELEMENT:.*]] = arith.remui %[[I]], %c3
// CHECK: %[[SCALED:.*]] = arith.muli %[[ROW]], %c2
// CHECK: %[[BATCH:.*]] = arith.addi %[[SCALED]], %[[K]]
// CHECK: %[[BASE:.*]] = arith.muli %[[BATCH]], %c3
// CHECK: %[[GLOBAL:.*]] = arith.addi %[[BASE]], %[[ELEMENT]]
// CHECK: arith.index_cast %[[GLOBAL]]
// CHECK: %[[ROWS:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [2, 3]
// CHECK: tensor.insert_slice %[[ROWS]] into
// CHECK: tensor.collapse_shape {{.*}} {{\[\[}}0, 1, 2]] : tensor<2x2x3xf32> into tensor<12xf32>
func.func @sequences(%x: tensor<4x3xf32> {tp.name = "x"}) -> (tensor<12xf32> {tp.name = "y"}) {
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<4x3xf32> into tensor<12xf32>
  %empty = tensor.empty() : tensor<12xf32>
  %y = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%flat : tensor<12xf32>) outs(%empty : tensor<12xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %0 = arith.addf %in, %f : f32
    linalg.yield %0 : f32
  } -> tensor<12xf32>
  return %y : tensor<12xf32>
}

// Joined ahead of the batch, the sequence is no obstacle either; split again, sizes that are stated follow.
// CHECK-LABEL: func.func @split_again
// CHECK: scf.for
// CHECK: tensor.expand_shape %{{.*}} output_shape [1, 2, 3] : tensor<6xf32> into tensor<1x2x3xf32>
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 1] [1, 2, 2] [1, 1, 1] : tensor<1x2x3xf32> to tensor<1x2x2xf32>
func.func @split_again(%x: tensor<2x6xf32> {tp.name = "x"}) -> (tensor<2x2x2xf32> {tp.name = "y"}) {
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<2x6xf32> into tensor<12xf32>
  %split = tensor.expand_shape %flat [[0, 1, 2]] output_shape [2, 2, 3] : tensor<12xf32> into tensor<2x2x3xf32>
  %y = tensor.extract_slice %split[0, 0, 1] [2, 2, 2] [1, 1, 1] : tensor<2x2x3xf32> to tensor<2x2x2xf32>
  return %y : tensor<2x2x2xf32>
}

// A parameter that is used twice has one running sum: the summands are added in the loop. Sums of 16-bit floats are
// formed in 32 bits; those of integers in their own type.
// CHECK-LABEL: func.func @sums
// CHECK: scf.for {{.*}} -> (tensor<f32>, tensor<i32>)
// CHECK: arith.addf %{{.*}}, %{{.*}} : bf16
// CHECK: arith.addf %{{.*}}, %{{.*}} : bf16
// CHECK: arith.addf %{{.*}}, %{{.*}} : bf16
// CHECK: arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: arith.addi %{{.*}}, %{{.*}} : i32
// CHECK: scf.yield
// CHECK: arith.truncf %{{.*}} : f32 to bf16
#scalar = affine_map<() -> ()>
#to_scalar = affine_map<(d0) -> ()>
func.func @sums(%x: tensor<4xbf16> {tp.name = "x"}, %n: tensor<4xi32> {tp.name = "n"}) -> (tensor<bf16> {tp.name = "s"}, tensor<i32> {tp.name = "count"}) {
  %zero = arith.constant 0.0 : bf16
  %none = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<bf16>
  %empty_count = tensor.empty() : tensor<i32>
  %init = linalg.fill ins(%zero : bf16) outs(%empty : tensor<bf16>) -> tensor<bf16>
  %init_count = linalg.fill ins(%none : i32) outs(%empty_count : tensor<i32>) -> tensor<i32>
  %a = linalg.generic {indexing_maps = [#vec, #to_scalar], iterator_types = ["reduction"]} ins(%x : tensor<4xbf16>) outs(%init : tensor<bf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %0 = arith.addf %in, %out : bf16
    linalg.yield %0 : bf16
  } -> tensor<bf16>
  %b = linalg.generic {indexing_maps = [#vec, #to_scalar], iterator_types = ["reduction"]} ins(%x : tensor<4xbf16>) outs(%init : tensor<bf16>) {
  ^bb0(%in: bf16, %out: bf16):
    %0 = arith.addf %out, %in : bf16
    linalg.yield %0 : bf16
  } -> tensor<bf16>
  %s = linalg.generic {indexing_maps = [#scalar, #scalar, #scalar], iterator_types = []} ins(%a, %b : tensor<bf16>, tensor<bf16>) outs(%empty : tensor<bf16>) {
  ^bb0(%l: bf16, %r: bf16, %out: bf16):
    %0 = arith.addf %l, %r : bf16
    linalg.yield %0 : bf16
  } -> tensor<bf16>
  %count = linalg.generic {indexing_maps = [#vec, #to_scalar], iterator_types = ["reduction"]} ins(%n : tensor<4xi32>) outs(%init_count : tensor<i32>) {
  ^bb0(%in: i32, %out: i32):
    %0 = arith.addi %in, %out : i32
    linalg.yield %0 : i32
  } -> tensor<i32>
  return %s, %count : tensor<bf16>, tensor<i32>
}

// A value that does not depend on the batch but has a row for each of its rows is cut; one that repeats is made small.
// CHECK-LABEL: func.func @cut
// CHECK-SAME: %[[X:.*]]: tensor<4xf32> {tp.name = "x"}, %[[P:[a-z0-9]*]]: tensor<4xf32> {tp.name = "p"
// CHECK-NOT: tensor<4xf32> into tensor<4
// CHECK-DAG: %[[WEIGHTS:.*]] = tensor.expand_shape %[[P]] {{.*}} tensor<2x2xf32>
// CHECK-DAG: tensor.expand_shape %[[X]] {{.*}} tensor<2x2xf32>
// CHECK: scf.for
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<f32>) outs(%{{.*}} : tensor<2xf32>)
// CHECK: tensor.extract_slice %[[WEIGHTS]]
func.func @cut(%x: tensor<4xf32> {tp.name = "x"}, %p: tensor<4xf32> {tp.name = "p", tp.param}, %s: tensor<f32> {tp.name = "s"}) -> (tensor<4xf32> {tp.name = "y"}) {
  %empty = tensor.empty() : tensor<4xf32>
  %same = linalg.generic {indexing_maps = [#to_scalar, #vec], iterator_types = ["parallel"]} ins(%s : tensor<f32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4xf32>
  %0 = linalg.add ins(%x, %same : tensor<4xf32>, tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.mul ins(%0, %p : tensor<4xf32>, tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// What is used as pinned is so in every microbatch.
// CHECK-LABEL: func.func @pinned
// CHECK: scf.for
// CHECK: tp.constrain %{{.*}} to #S0_dp {tp.used} : tensor<2xf32>
tp.mesh @mesh ["dp" = 2]
func.func @pinned(%x: tensor<4xf32> {tp.name = "x"}) -> (tensor<4xf32> {tp.name = "y"}) {
  %empty = tensor.empty() : tensor<4xf32>
  %0 = tp.constrain %x to <@mesh, [dp: S(0)]> {tp.used} : tensor<4xf32>
  %y = linalg.exp ins(%0 : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// An embedding: ids have rows, the table has none; its gradient is a sum.
// CHECK-LABEL: func.func @embedding
// CHECK: scf.for
// CHECK: tp.gather %{{.*}}[%{{.*}}] maps {{.*}} : (tensor<8x2xf32>, tensor<2xi32>) -> tensor<2x2xf32>
// CHECK: tp.scatter %{{.*}} into %{{.*}}[%{{.*}}] maps {{.*}} : (tensor<2x2xf32>, tensor<8x2xf32>, tensor<2xi32>) -> tensor<8x2xf32>
// CHECK: scf.yield
func.func @embedding(%e: tensor<8x2xf32> {tp.name = "e", tp.param}, %ids: tensor<4xi32> {tp.name = "ids"}) -> (tensor<4x2xf32>, tensor<8x2xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x2xf32>) -> tensor<8x2xf32>
  %y = tp.gather %e[%ids] maps [affine_map<(t, j)[i] -> (i, j)>, affine_map<(t, j) -> (t)>] : (tensor<8x2xf32>, tensor<4xi32>) -> tensor<4x2xf32>
  %de = tp.scatter %y into %init[%ids] maps [affine_map<(t, j)[i] -> (i, j)>, affine_map<(t, j) -> (t)>] : (tensor<4x2xf32>, tensor<8x2xf32>, tensor<4xi32>) -> tensor<8x2xf32>
  return %y, %de : tensor<4x2xf32>, tensor<8x2xf32>
}

// Nothing over the batch: nothing changes.
// CHECK-LABEL: func.func @nothing
// CHECK-NEXT: return
func.func @nothing(%x: tensor<4xf32> {tp.name = "x"}, %w: tensor<4xf32> {tp.name = "w", tp.param}) -> (tensor<4xf32>, tensor<4xf32>) {
  return %w, %x : tensor<4xf32>, tensor<4xf32>
}

// Functions that are not public are left alone.
// CHECK-LABEL: func.func private @private
// CHECK-NOT: scf.for
func.func private @private(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
