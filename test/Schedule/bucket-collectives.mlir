// Which all-reduces travel together, in the form that partition leaves.
// RUN: tpc-opt %s --tp-bucket-collectives | FileCheck %s

#rep = #tp.placement<@mesh, []>
#tp = #tp.placement<@mesh, [tp: P(sum)]>
#dp = #tp.placement<@mesh, [dp: P(sum)]>
#max = #tp.placement<@mesh, [tp: P(max)]>
tp.mesh @mesh ["dp" = 2, "tp" = 2]

// Gradients that are ready at different times and that no collective waits for travel with the last of them.
// CHECK-LABEL: func.func @independent
// CHECK: linalg.exp
// CHECK: %[[BUCKET:.*]]:2 = tp.all_reduce %{{.*}}, %{{.*}} over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #{{.*}}, #{{.*}}>, #tp.part<tensor<4xf32>, #{{.*}}, #{{.*}}>]
// CHECK-SAME: tp.lower_bound = 12 : i64
// CHECK-SAME: tp.value = "a, b"
// CHECK-SAME: tp.why = "because | for"
// CHECK-NOT: tp.all_reduce
// CHECK: return %[[BUCKET]]#0, %[[BUCKET]]#1
func.func @independent(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tp.all_reduce %a over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #tp, #rep>] {tp.value = "a", tp.why = "because", tp.lower_bound = 4 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %empty = tensor.empty() : tensor<4xf32>
  %c = linalg.exp ins(%b : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %1 = tp.all_reduce %c over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #tp, #rep>] {tp.value = "b", tp.why = "for", tp.lower_bound = 8 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// One that reads the other cannot travel with it.
// CHECK-LABEL: func.func @dependent
// CHECK: tp.all_reduce %{{[a-z0-9]*}} over
// CHECK: linalg.exp
// CHECK: tp.all_reduce %{{[a-z0-9]*}} over
func.func @dependent(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tp.all_reduce %a over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #tp, #rep>] : (tensor<4xf32>) -> tensor<4xf32>
  %empty = tensor.empty() : tensor<4xf32>
  %1 = linalg.exp ins(%0 : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %2 = tp.all_reduce %1 over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #tp, #rep>] : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// Two chains that depend pairwise, crosswise in the text: buckets by depth, so that none waits for itself.
// CHECK-LABEL: func.func @two_chains
// CHECK: %[[FIRST:.*]]:2 = tp.all_reduce %{{.*}}, %{{.*}} over ["tp"]
// CHECK: tp.all_reduce %{{.*}}, %{{.*}} over ["tp"]
// CHECK-NOT: tp.all_reduce
func.func @two_chains(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %empty = tensor.empty() : tensor<4xf32>
  %0 = tp.all_reduce %a over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #tp, #rep>] : (tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.exp ins(%0 : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %2 = tp.all_reduce %1 over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #tp, #rep>] : (tensor<4xf32>) -> tensor<4xf32>
  %3 = tp.all_reduce %b over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #tp, #rep>] : (tensor<4xf32>) -> tensor<4xf32>
  %4 = linalg.exp ins(%3 : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %5 = tp.all_reduce %4 over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #tp, #rep>] : (tensor<4xf32>) -> tensor<4xf32>
  return %2, %5 : tensor<4xf32>, tensor<4xf32>
}

// Other axes, other reductions and other phases stay apart.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-4: tp.all_reduce %{{[a-z0-9]*}} over
// CHECK-NOT: tp.all_reduce
func.func @apart(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = tp.all_reduce %a over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #tp, #rep>] : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tp.all_reduce %a over ["dp"] by "sum" parts [#tp.part<tensor<4xf32>, #dp, #rep>] : (tensor<4xf32>) -> tensor<4xf32>
  %2 = tp.all_reduce %a over ["tp"] by "max" parts [#tp.part<tensor<4xf32>, #max, #rep>] : (tensor<4xf32>) -> tensor<4xf32>
  %3 = tp.all_reduce %a over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #tp, #rep>] {tp.phase = "backward"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Windows that do not wait for each other travel together, also where one has blocks; one of another phase does not.
#rows = #tp.placement<@mesh, [tp: S(0)]>
// CHECK-LABEL: func.func @windows
// CHECK: %[[W:.*]]:2 = tp.window %{{.*}}, %{{.*}} over ["tp"] offsets [array<i64: 1>, array<i64: 0>] blocks [array<i64: 0, 0>, array<i64: 2, 1>]
// CHECK-SAME: parts [#tp.part<{{.*}}>, #tp.part<{{.*}}>] {tp.lower_bound = 0 : i64, tp.value = "a, b", tp.why = "slice | halo"}
// CHECK: tp.window %{{[a-z0-9]*}} over
// CHECK: return %[[W]]#0, %[[W]]#1
func.func @windows(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>, tensor<4xf32>) {
  %0 = tp.window %a over ["tp"] offsets [array<i64: 1>] parts [#tp.part<tensor<8xf32>, #rows, #rows, tensor<7xf32>>] {tp.value = "a", tp.why = "slice"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tp.window %a over ["tp"] offsets [array<i64: 0>] blocks [array<i64: 2, 1>] parts [#tp.part<tensor<8xf32>, #rows, #rows, tensor<4xf32>>] {tp.value = "b", tp.why = "halo"} : (tensor<4xf32>) -> tensor<2xf32>
  %2 = tp.window %a over ["tp"] offsets [array<i64: -1>] parts [#tp.part<tensor<8xf32>, #rows, #rows, tensor<8xf32>>] {tp.phase = "backward"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<2xf32>, tensor<4xf32>
}

// Other collectives do not join.
// CHECK-LABEL: func.func @gathers_stay
// CHECK-COUNT-2: tp.all_gather %{{[a-z0-9]*}} over
func.func @gathers_stay(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tp.all_gather %a over ["tp"] parts [#tp.part<tensor<4xf32>, #tp.placement<@mesh, [tp: S(0)]>, #rep>] : (tensor<2xf32>) -> tensor<4xf32>
  %1 = tp.all_gather %b over ["tp"] parts [#tp.part<tensor<4xf32>, #tp.placement<@mesh, [tp: S(0)]>, #rep>] : (tensor<2xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Inside a loop all-reduces travel together, but not with those outside. The one behind the loop waits for it, since the loop communicates.
// CHECK-LABEL: func.func @loops
// CHECK: tp.all_reduce %{{[a-z0-9#]*}} over
// CHECK: scf.for
// CHECK: %[[BUCKET:.*]]:2 = tp.all_reduce %{{.*}}, %{{.*}} over ["tp"]
// CHECK: scf.yield %[[BUCKET]]#0, %[[BUCKET]]#1
// CHECK: }
// CHECK: tp.all_reduce %{{[a-z0-9#]*}} over
func.func @loops(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = tp.all_reduce %a over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #tp, #rep>] : (tensor<4xf32>) -> tensor<4xf32>
  %1:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a, %y = %b) -> (tensor<4xf32>, tensor<4xf32>) {
    %2 = linalg.exp ins(%x : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
    %3 = tp.all_reduce %2 over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #tp, #rep>] : (tensor<4xf32>) -> tensor<4xf32>
    %4 = linalg.exp ins(%y : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
    %5 = tp.all_reduce %4 over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #tp, #rep>] : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %3, %5 : tensor<4xf32>, tensor<4xf32>
  }
  %6 = tp.all_reduce %1#0 over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #tp, #rep>] : (tensor<4xf32>) -> tensor<4xf32>
  return %6, %1#1, %0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Nobody but a loop waits for the first all-reduce, and only by what its body captures; the loop's own collective keeps it from the bucket behind.
// CHECK-LABEL: func.func @captured
// CHECK: tp.all_reduce %{{[a-z0-9#]*}} over
// CHECK: scf.for
// CHECK: tp.all_reduce %{{[a-z0-9#]*}} over
// CHECK: tp.all_reduce %{{[a-z0-9#]*}} over
func.func @captured(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = tp.all_reduce %a over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #tp, #rep>] : (tensor<4xf32>) -> tensor<4xf32>
  %1 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %b) -> (tensor<4xf32>) {
    %2 = linalg.add ins(%x, %0 : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    %3 = tp.all_reduce %2 over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #tp, #rep>] : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %3 : tensor<4xf32>
  }
  %4 = tp.all_reduce %1 over ["tp"] by "sum" parts [#tp.part<tensor<4xf32>, #tp, #rep>] : (tensor<4xf32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}
