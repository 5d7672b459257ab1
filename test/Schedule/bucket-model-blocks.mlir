// Gathers and gradients of the parameters of one block of the model travel together, in the form that partition leaves.
// RUN: tpc-opt %s --tp-bucket-collectives | FileCheck %s
// RUN: tpc-opt %s --tp-bucket-collectives=bucket=parameter | FileCheck %s --check-prefix=ALONE
// RUN: not tpc-opt %s --tp-bucket-collectives=bucket=layer 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: --bucket: expected block or parameter, got 'layer'

#rep = #tp.placement<@mesh, []>
#shard = #tp.placement<@mesh, [dp: S(0)]>
#sum = #tp.placement<@mesh, [dp: P(sum)]>
#map = affine_map<(d0) -> (d0)>
tp.mesh @mesh ["dp" = 2, "tp" = 2]

// A gather stands where the first of its bucket stood, with what it reads; parameters outside of any block are one
// bucket, and what is no parameter travels alone.
// CHECK-LABEL: func.func @gathers
// CHECK-SAME: %[[A:.*]]: tensor<2xf32> {tp.name = "layers.0.a"
// CHECK-SAME: %[[B:[a-z0-9]*]]: tensor<4xf32> {tp.name = "layers.0.b"
// CHECK-SAME: %[[C:[a-z0-9]*]]: tensor<2xf32> {tp.name = "layers.1.a"
// CHECK-SAME: %[[D:[a-z0-9]*]]: tensor<2xf32> {tp.name = "embed"
// CHECK-SAME: %[[E:[a-z0-9]*]]: tensor<2xf32> {tp.name = "norm.weight"
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<2xf32> {tp.name = "x"}
// CHECK: %[[PART:.*]] = tp.slice %[[B]]
// CHECK: %[[FIRST:.*]]:2 = tp.all_gather %[[A]], %[[PART]] over ["dp"] parts [{{.*}}, {{.*}}]
// CHECK-SAME: tp.lower_bound = 16 : i64
// CHECK-SAME: tp.value = "layers.0.a, layers.0.b"
// CHECK: tp.all_gather %[[C]] over
// CHECK: tp.all_gather %[[D]], %[[E]] over
// CHECK: tp.all_gather %[[X]] over
// CHECK-NOT: tp.all_gather
// ALONE-LABEL: func.func @gathers
// ALONE-COUNT-6: tp.all_gather %{{[a-z0-9]*}} over
func.func @gathers(%a: tensor<2xf32> {tp.name = "layers.0.a", tp.param}, %b: tensor<4xf32> {tp.name = "layers.0.b", tp.param},
    %c: tensor<2xf32> {tp.name = "layers.1.a", tp.param}, %d: tensor<2xf32> {tp.name = "embed", tp.param},
    %e: tensor<2xf32> {tp.name = "norm.weight", tp.param}, %x: tensor<2xf32> {tp.name = "x"})
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %empty = tensor.empty() : tensor<4xf32>
  %0 = tp.all_gather %a over ["dp"] parts [#tp.part<tensor<4xf32>, #shard, #rep>] {tp.value = "layers.0.a", tp.lower_bound = 8 : i64} : (tensor<2xf32>) -> tensor<4xf32>
  %1 = linalg.exp ins(%0 : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %2 = tp.all_gather %c over ["dp"] parts [#tp.part<tensor<4xf32>, #shard, #rep>] : (tensor<2xf32>) -> tensor<4xf32>
  %3 = tp.all_gather %d over ["dp"] parts [#tp.part<tensor<4xf32>, #shard, #rep>] : (tensor<2xf32>) -> tensor<4xf32>
  %4 = tp.slice %b over ["dp"] parts [#tp.part<tensor<4xf32>, #rep, #shard>] : (tensor<4xf32>) -> tensor<2xf32>
  %5 = tp.all_gather %4 over ["dp"] parts [#tp.part<tensor<4xf32>, #shard, #rep>] {tp.value = "layers.0.b", tp.lower_bound = 8 : i64} : (tensor<2xf32>) -> tensor<4xf32>
  %6 = tp.all_gather %e over ["dp"] parts [#tp.part<tensor<4xf32>, #shard, #rep>] : (tensor<2xf32>) -> tensor<4xf32>
  %7 = tp.all_gather %x over ["dp"] parts [#tp.part<tensor<4xf32>, #shard, #rep>] : (tensor<2xf32>) -> tensor<4xf32>
  return %1, %2, %3, %5, %6, %7 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A gradient's reduction stands where the last of its bucket stood; those behind an update, and the gathers of new
// parameters, are found through it. All-reduces behind the reductions are one bucket whatever their block, and so is what no other collective waits for.
// CHECK-LABEL: func.func @gradients
// CHECK: %[[E1:.*]] = linalg.exp
// CHECK: %[[RS0:.*]]:2 = tp.reduce_scatter %{{.*}}, %[[E1]] over ["dp"] by "sum"
// CHECK: %[[AR:.*]]:2 = tp.all_reduce %[[RS0]]#1, %[[RS0]]#0 over ["tp"]
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK: tp.all_gather %{{.*}}, %{{.*}} over ["dp"]
// CHECK-NOT: tp.{{.*}} over
// ALONE-LABEL: func.func @gradients
// ALONE-NOT: tp.{{[a-z_]+}} %{{[a-z0-9]+}}, %
#rs_sum = #tp.placement<@mesh, [dp: P(sum), tp: P(sum)]>
#rs_shard = #tp.placement<@mesh, [dp: S(0), tp: P(sum)]>
func.func @gradients(%a: tensor<2xf32> {tp.name = "layers.0.a", tp.param}, %b: tensor<2xf32> {tp.name = "layers.0.b", tp.param},
    %c: tensor<2xf32> {tp.name = "layers.1.a", tp.param}, %g: tensor<4xf32>, %h: tensor<4xf32>, %i: tensor<4xf32>)
    -> (tensor<4xf32> {tp.name = "layers.0.a"}, tensor<4xf32> {tp.name = "layers.0.b"}, tensor<2xf32> {tp.name = "dlayers.1.a"}) {
  %empty = tensor.empty() : tensor<4xf32>
  %small = tensor.empty() : tensor<2xf32>
  %0 = tp.reduce_scatter %g over ["dp"] by "sum" parts [#tp.part<tensor<4xf32>, #rs_sum, #rs_shard>] : (tensor<4xf32>) -> tensor<2xf32>
  %1 = tp.all_reduce %0 over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #rs_shard, #shard>] : (tensor<2xf32>) -> tensor<2xf32>
  %2 = tp.reduce_scatter %i over ["dp"] by "sum" parts [#tp.part<tensor<4xf32>, #rs_sum, #rs_shard>] : (tensor<4xf32>) -> tensor<2xf32>
  %3 = tp.all_reduce %2 over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #rs_shard, #shard>] : (tensor<2xf32>) -> tensor<2xf32>
  %4 = linalg.exp ins(%h : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %5 = tp.reduce_scatter %4 over ["dp"] by "sum" parts [#tp.part<tensor<4xf32>, #rs_sum, #rs_shard>] : (tensor<4xf32>) -> tensor<2xf32>
  %6 = tp.all_reduce %5 over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #rs_shard, #shard>] : (tensor<2xf32>) -> tensor<2xf32>
  %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%a, %1 : tensor<2xf32>, tensor<2xf32>) outs(%small : tensor<2xf32>) attrs = {tp.phase = "update"} {
  ^bb0(%w: f32, %d: f32, %out: f32):
    %new = arith.subf %w, %d : f32
    linalg.yield %new : f32
  } -> tensor<2xf32>
  %8 = tp.all_gather %7 over ["dp"] parts [#tp.part<tensor<4xf32>, #shard, #rep>] {tp.phase = "update"} : (tensor<2xf32>) -> tensor<4xf32>
  %9 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%b, %6 : tensor<2xf32>, tensor<2xf32>) outs(%small : tensor<2xf32>) attrs = {tp.phase = "update"} {
  ^bb0(%w: f32, %d: f32, %out: f32):
    %new = arith.subf %w, %d : f32
    linalg.yield %new : f32
  } -> tensor<2xf32>
  %10 = tp.all_gather %9 over ["dp"] parts [#tp.part<tensor<4xf32>, #shard, #rep>] {tp.phase = "update"} : (tensor<2xf32>) -> tensor<4xf32>
  return %8, %10, %3 : tensor<4xf32>, tensor<4xf32>, tensor<2xf32>
}

// A gradient that needs the reduced gradient of its own block does not travel with it.
// CHECK-LABEL: func.func @needed
// ALONE-LABEL: func.func @needed
// CHECK: tp.reduce_scatter %{{[a-z0-9]*}} over
// CHECK: linalg.exp
// CHECK: tp.reduce_scatter %{{[a-z0-9]*}} over
func.func @needed(%a: tensor<4xf32> {tp.name = "a", tp.param}, %b: tensor<2xf32> {tp.name = "b", tp.param}, %g: tensor<4xf32>)
    -> (tensor<2xf32> {tp.name = "da"}, tensor<1xf32> {tp.name = "db"}) {
  %empty = tensor.empty() : tensor<2xf32>
  %0 = tp.reduce_scatter %g over ["dp"] by "sum" parts [#tp.part<tensor<4xf32>, #sum, #shard>] : (tensor<4xf32>) -> tensor<2xf32>
  %1 = linalg.exp ins(%0 : tensor<2xf32>) outs(%empty : tensor<2xf32>) -> tensor<2xf32>
  %2 = tp.reduce_scatter %1 over ["dp"] by "sum" parts [#tp.part<tensor<2xf32>, #sum, #shard>] : (tensor<2xf32>) -> tensor<1xf32>
  return %0, %2 : tensor<2xf32>, tensor<1xf32>
}

// An activation that becomes a gradient through a reduction is no gradient.
// CHECK-LABEL: func.func @activation
// CHECK-COUNT-2: tp.reduce_scatter %{{[a-z0-9]*}} over
func.func @activation(%a: tensor<1xf32> {tp.name = "a", tp.param}, %g: tensor<4xf32>, %h: tensor<4xf32>) -> (tensor<2xf32> {tp.name = "da"}, tensor<f32> {tp.name = "db"}) {
  %zero = arith.constant 0.0 : f32
  %scalar = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
  %0 = tp.reduce_scatter %g over ["dp"] by "sum" parts [#tp.part<tensor<4xf32>, #sum, #shard>] : (tensor<4xf32>) -> tensor<2xf32>
  %1 = tp.reduce_scatter %h over ["dp"] by "sum" parts [#tp.part<tensor<4xf32>, #sum, #shard>] : (tensor<4xf32>) -> tensor<2xf32>
  %2 = linalg.generic {indexing_maps = [#map, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%1 : tensor<2xf32>) outs(%init : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %0, %2 : tensor<2xf32>, tensor<f32>
}

// Inside of a loop, and not across its border.
// CHECK-LABEL: func.func @loop
// CHECK: tp.all_gather %{{[a-z0-9]*}} over
// CHECK: scf.for
// CHECK: tp.all_gather %{{[a-z0-9]*}}, %{{[a-z0-9]*}} over
// CHECK-NOT: tp.all_gather
func.func @loop(%a: tensor<2xf32> {tp.name = "layers.a", tp.param}, %b: tensor<2xf32> {tp.name = "layers.b", tp.param}) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = tp.all_gather %a over ["dp"] parts [#tp.part<tensor<4xf32>, #shard, #rep>] : (tensor<2xf32>) -> tensor<4xf32>
  %1 = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %0) -> (tensor<4xf32>) {
    %2 = tp.all_gather %a over ["dp"] parts [#tp.part<tensor<4xf32>, #shard, #rep>] : (tensor<2xf32>) -> tensor<4xf32>
    %3 = tp.all_gather %b over ["dp"] parts [#tp.part<tensor<4xf32>, #shard, #rep>] : (tensor<2xf32>) -> tensor<4xf32>
    %4 = linalg.add ins(%2, %3 : tensor<4xf32>, tensor<4xf32>) outs(%acc : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %4 : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}
