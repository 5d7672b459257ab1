// Which collectives run beside the compute, where they are enqueued, and what waits for what.
// RUN: tpc-opt %s --test-print-streams --split-input-file -o /dev/null | FileCheck %s --match-full-lines --strict-whitespace
// A wait left out is a race, whoever waits: the compute stream for what it uses and at the end of a run, a stream for what it uses and, behind a marker, for the start. At the start and the end of a function the runtime has all streams idle: nothing waits.
// RUN: tpc-opt %s --test-print-streams=drop-wait=0 --split-input-file -o /dev/null | FileCheck %s --check-prefix=FIRST
// RUN: tpc-opt %s --test-print-streams=drop-wait=1 --split-input-file -o /dev/null | FileCheck %s --check-prefix=SECOND
// So it is for each wait: none could be left out.
// RUN: tpc-opt %s --test-print-streams=drop-each --split-input-file -o /dev/null | FileCheck %s --check-prefix=EACH --implicit-check-not=needless:

// FIRST-LABEL: prefetch:
// FIRST: race: compute kernel uses memory of gather all_gather of w1 in no order
// FIRST-LABEL: reduce:
// FIRST: race: reduce reduce_scatter of g0 uses memory of compute kernel in no order
// FIRST-LABEL: branch:
// FIRST: race: gather all_gather of w1 starts before the compute stream is there
// SECOND-LABEL: prefetch:
// SECOND: race: compute kernel uses memory of gather all_gather of w2 in no order
// SECOND-NOT: race
// SECOND-LABEL: together:
// SECOND-LABEL: loop:
// SECOND: race: the compute stream does not wait for reduce reduce_scatter of g
// EACH: prefetch: 2 waits, 0 needless
// EACH: loop: 4 waits, 0 needless
// EACH: reuse: 5 waits, 0 needless

// Gathers of what is stored are one use ahead: the second right before the first use of the first. The first is needed at once, so it stays on the compute stream.
// CHECK:prefetch: workspace 512, events 2
// CHECK-NEXT:  compute all_gather of w0
// CHECK-NEXT:  gather all_gather of w1
// CHECK-NEXT:  record 0 of gather
// CHECK-NEXT:  compute kernel
// CHECK-NEXT:  gather all_gather of w2
// CHECK-NEXT:  record 1 of gather
// CHECK-NEXT:  compute waits for 0
// CHECK-NEXT:  compute kernel
// CHECK-NEXT:  compute waits for 1
// CHECK-NEXT:  compute kernel
#v = affine_map<(d0) -> (d0)>
#part = #tp.placement<@mesh, [tp: P(sum)]>
#row = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @prefetch(%x: tensor<64xf32>, %s0: tensor<32xf32>, %s1: tensor<32xf32>, %s2: tensor<32xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %w0 = tp.all_gather %s0 over ["tp"] parts [#tp.part<tensor<64xf32>, #row, #all>] {tp.index = 0 : i64, tp.value = "w0"} : (tensor<32xf32>) -> tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]} ins(%x, %w0 : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p0: f32, %p1: f32, %o: f32):
    %s = arith.addf %p0, %p1 : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %w1 = tp.all_gather %s1 over ["tp"] parts [#tp.part<tensor<64xf32>, #row, #all>] {tp.index = 1 : i64, tp.value = "w1"} : (tensor<32xf32>) -> tensor<64xf32>
  %1 = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]} ins(%0, %w1 : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p0: f32, %p1: f32, %o: f32):
    %s = arith.addf %p0, %p1 : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %w2 = tp.all_gather %s2 over ["tp"] parts [#tp.part<tensor<64xf32>, #row, #all>] {tp.index = 2 : i64, tp.value = "w2"} : (tensor<32xf32>) -> tensor<64xf32>
  %2 = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]} ins(%1, %w2 : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p0: f32, %p1: f32, %o: f32):
    %s = arith.addf %p0, %p1 : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  return %2 : tensor<64xf32>
}

// -----

// Two that one action needs are ahead together.
// CHECK:together: workspace 512, events 1
// CHECK-NEXT:  compute all_gather of w0
// CHECK-NEXT:  gather all_gather of w1
// CHECK-NEXT:  gather all_gather of w2
// CHECK-NEXT:  record 0 of gather
// CHECK-NEXT:  compute kernel
// CHECK-NEXT:  compute waits for 0
// CHECK-NEXT:  compute kernel
#v = affine_map<(d0) -> (d0)>
#part = #tp.placement<@mesh, [tp: P(sum)]>
#row = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @together(%x: tensor<64xf32>, %s0: tensor<32xf32>, %s1: tensor<32xf32>, %s2: tensor<32xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %w0 = tp.all_gather %s0 over ["tp"] parts [#tp.part<tensor<64xf32>, #row, #all>] {tp.index = 0 : i64, tp.value = "w0"} : (tensor<32xf32>) -> tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]} ins(%x, %w0 : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p0: f32, %p1: f32, %o: f32):
    %s = arith.addf %p0, %p1 : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %w1 = tp.all_gather %s1 over ["tp"] parts [#tp.part<tensor<64xf32>, #row, #all>] {tp.index = 1 : i64, tp.value = "w1"} : (tensor<32xf32>) -> tensor<64xf32>
  %w2 = tp.all_gather %s2 over ["tp"] parts [#tp.part<tensor<64xf32>, #row, #all>] {tp.index = 2 : i64, tp.value = "w2"} : (tensor<32xf32>) -> tensor<64xf32>
  %1 = linalg.generic {indexing_maps = [#v, #v, #v, #v], iterator_types = ["parallel"]} ins(%0, %w1, %w2 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p0: f32, %p1: f32, %p2: f32, %o: f32):
    %s = arith.addf %p0, %p2 : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  return %1 : tensor<64xf32>
}

// -----

// Reductions are enqueued as soon as their inputs are there, wherever they stood, and run under what is computed then. The last has nothing to run under.
// CHECK:reduce: workspace 768, events 1
// CHECK-NEXT:  compute kernel
// CHECK-NEXT:  record 0 of compute
// CHECK-NEXT:  reduce waits for 0
// CHECK-NEXT:  reduce reduce_scatter of g0
// CHECK-NEXT:  compute kernel
// CHECK-NEXT:  compute reduce_scatter of g1
// CHECK-NEXT:  compute reduce_scatter of g2
#v = affine_map<(d0) -> (d0)>
#part = #tp.placement<@mesh, [tp: P(sum)]>
#row = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @reduce(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p0: f32, %o: f32):
    %s = arith.addf %p0, %p0 : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %1 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%y : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p0: f32, %o: f32):
    %s = arith.addf %p0, %p0 : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %2 = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]} ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p0: f32, %p1: f32, %o: f32):
    %s = arith.addf %p0, %p1 : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %g0 = tp.reduce_scatter %0 over ["tp"] by "sum" parts [#tp.part<tensor<64xf32>, #part, #row>] {tp.index = 0 : i64, tp.value = "g0"} : (tensor<64xf32>) -> tensor<32xf32>
  %g1 = tp.reduce_scatter %1 over ["tp"] by "sum" parts [#tp.part<tensor<64xf32>, #part, #row>] {tp.index = 1 : i64, tp.value = "g1"} : (tensor<64xf32>) -> tensor<32xf32>
  %g2 = tp.reduce_scatter %2 over ["tp"] by "sum" parts [#tp.part<tensor<64xf32>, #part, #row>] {tp.index = 2 : i64, tp.value = "g2"} : (tensor<64xf32>) -> tensor<32xf32>
  return %g0, %g1, %g2 : tensor<32xf32>, tensor<32xf32>, tensor<32xf32>
}

// -----

// Results that are needed at once: one stream, no events.
// CHECK:plain: workspace 512, events 0
// CHECK-NEXT:  compute kernel
// CHECK-NEXT:  compute all_reduce of 1
// CHECK-NEXT:  compute kernel
// CHECK-NEXT:  compute all_reduce of 3
// CHECK-NEXT:  compute kernel
#v = affine_map<(d0) -> (d0)>
#part = #tp.placement<@mesh, [tp: P(sum)]>
#row = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @plain(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p0: f32, %o: f32):
    %s = arith.addf %p0, %p0 : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %1 = tp.all_reduce %0 over ["tp"] by "sum" parts [#tp.part<tensor<64xf32>, #part, #all>] {tp.index = 0 : i64, tp.value = "1"} : (tensor<64xf32>) -> tensor<64xf32>
  %2 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%1 : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p0: f32, %o: f32):
    %s = arith.addf %p0, %p0 : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %3 = tp.all_reduce %2 over ["tp"] by "sum" parts [#tp.part<tensor<64xf32>, #part, #all>] {tp.index = 1 : i64, tp.value = "3"} : (tensor<64xf32>) -> tensor<64xf32>
  %4 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%3 : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p0: f32, %o: f32):
    %s = arith.addf %p0, %p0 : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  return %4 : tensor<64xf32>
}

// -----

// What is reduced and gathered again: the gather is hidden, the reduction that it needs at once is not. The other reduction is behind nothing of this.
// CHECK:chain: workspace 384, events 1
// CHECK-NEXT:  compute kernel
// CHECK-NEXT:  record 0 of compute
// CHECK-NEXT:  reduce waits for 0
// CHECK-NEXT:  reduce all_reduce of r
// CHECK-NEXT:  compute reduce_scatter of g
// CHECK-NEXT:  record 0 of compute
// CHECK-NEXT:  gather waits for 0
// CHECK-NEXT:  gather all_gather of h
// CHECK-NEXT:  record 0 of gather
// CHECK-NEXT:  compute kernel
// CHECK-NEXT:  compute waits for 0
// CHECK-NEXT:  compute kernel
#v = affine_map<(d0) -> (d0)>
#part = #tp.placement<@mesh, [tp: P(sum)]>
#row = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @chain(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p0: f32, %o: f32):
    %s = arith.addf %p0, %p0 : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %g = tp.reduce_scatter %0 over ["tp"] by "sum" parts [#tp.part<tensor<64xf32>, #part, #row>] {tp.index = 0 : i64, tp.value = "g"} : (tensor<64xf32>) -> tensor<32xf32>
  %h = tp.all_gather %g over ["tp"] parts [#tp.part<tensor<64xf32>, #row, #all>] {tp.index = 1 : i64, tp.value = "h"} : (tensor<32xf32>) -> tensor<64xf32>
  %r = tp.all_reduce %0 over ["tp"] by "sum" parts [#tp.part<tensor<64xf32>, #part, #all>] {tp.index = 2 : i64, tp.value = "r"} : (tensor<64xf32>) -> tensor<64xf32>
  %1 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%y : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p0: f32, %o: f32):
    %s = arith.addf %p0, %p0 : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %2 = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]} ins(%x, %h : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p0: f32, %p1: f32, %o: f32):
    %s = arith.addf %p0, %p1 : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  return %1, %2, %r : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

// A loop: work of a body is complete at its end, what comes before the loop at its begin, and each iteration starts anew.
// CHECK:loop: workspace 512, events 1
// CHECK-NEXT:  compute kernel
// CHECK-NEXT:  record 0 of compute
// CHECK-NEXT:  reduce waits for 0
// CHECK-NEXT:  reduce reduce_scatter of g
// CHECK-NEXT:  record 0 of reduce
// CHECK-NEXT:  compute kernel
// CHECK-NEXT:  compute copy
// CHECK-NEXT:  compute waits for 0
// CHECK-NEXT:  loop
// CHECK-NEXT:  record 0 of compute
// CHECK-NEXT:  compute all_gather of w0
// CHECK-NEXT:  gather waits for 0
// CHECK-NEXT:  gather all_gather of w1
// CHECK-NEXT:  record 0 of gather
// CHECK-NEXT:  compute kernel
// CHECK-NEXT:  compute waits for 0
// CHECK-NEXT:  compute kernel
// CHECK-NEXT:  compute copy
// CHECK-NEXT:  end of loop
#v = affine_map<(d0) -> (d0)>
#part = #tp.placement<@mesh, [tp: P(sum)]>
#row = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @loop(%x: tensor<64xf32>, %s0: tensor<32xf32>, %s1: tensor<32xf32>) -> (tensor<64xf32>, tensor<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p0: f32, %o: f32):
    %s = arith.addf %p0, %p0 : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %g = tp.reduce_scatter %0 over ["tp"] by "sum" parts [#tp.part<tensor<64xf32>, #part, #row>] {tp.index = 0 : i64, tp.value = "g"} : (tensor<64xf32>) -> tensor<32xf32>
  %1 = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]} ins(%x, %x : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p0: f32, %p1: f32, %o: f32):
    %s = arith.addf %p0, %p1 : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %1) -> (tensor<64xf32>) {
    %w0 = tp.all_gather %s0 over ["tp"] parts [#tp.part<tensor<64xf32>, #row, #all>] {tp.index = 1 : i64, tp.value = "w0"} : (tensor<32xf32>) -> tensor<64xf32>
    %3 = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]} ins(%a, %w0 : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%p0: f32, %p1: f32, %o: f32):
      %s = arith.addf %p0, %p1 : f32
      linalg.yield %s : f32
    } -> tensor<64xf32>
    %w1 = tp.all_gather %s1 over ["tp"] parts [#tp.part<tensor<64xf32>, #row, #all>] {tp.index = 2 : i64, tp.value = "w1"} : (tensor<32xf32>) -> tensor<64xf32>
    %4 = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]} ins(%3, %w1 : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%p0: f32, %p1: f32, %o: f32):
      %s = arith.addf %p0, %p1 : f32
      linalg.yield %s : f32
    } -> tensor<64xf32>
    scf.yield %4 : tensor<64xf32>
  }
  return %2, %g : tensor<64xf32>, tensor<32xf32>
}

// -----

// A branch is like a loop: both parts end with everything complete.
// CHECK:branch: workspace 256, events 1
// CHECK-NEXT:  host tensor.extract
// CHECK-NEXT:  branch
// CHECK-NEXT:  record 0 of compute
// CHECK-NEXT:  compute all_gather of w0
// CHECK-NEXT:  gather waits for 0
// CHECK-NEXT:  gather all_gather of w1
// CHECK-NEXT:  record 0 of gather
// CHECK-NEXT:  compute kernel
// CHECK-NEXT:  compute waits for 0
// CHECK-NEXT:  compute kernel
// CHECK-NEXT:  compute copy
// CHECK-NEXT:  else
// CHECK-NEXT:  compute kernel
// CHECK-NEXT:  compute copy
// CHECK-NEXT:  end of branch
#v = affine_map<(d0) -> (d0)>
#part = #tp.placement<@mesh, [tp: P(sum)]>
#row = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @branch(%x: tensor<64xf32>, %flag: tensor<i1>, %s0: tensor<32xf32>, %s1: tensor<32xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %c = tensor.extract %flag[] : tensor<i1>
  %0 = scf.if %c -> (tensor<64xf32>) {
    %w0 = tp.all_gather %s0 over ["tp"] parts [#tp.part<tensor<64xf32>, #row, #all>] {tp.index = 0 : i64, tp.value = "w0"} : (tensor<32xf32>) -> tensor<64xf32>
    %1 = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]} ins(%x, %w0 : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%p0: f32, %p1: f32, %o: f32):
      %s = arith.addf %p0, %p1 : f32
      linalg.yield %s : f32
    } -> tensor<64xf32>
    %w1 = tp.all_gather %s1 over ["tp"] parts [#tp.part<tensor<64xf32>, #row, #all>] {tp.index = 1 : i64, tp.value = "w1"} : (tensor<32xf32>) -> tensor<64xf32>
    %2 = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]} ins(%1, %w1 : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%p0: f32, %p1: f32, %o: f32):
      %s = arith.addf %p0, %p1 : f32
      linalg.yield %s : f32
    } -> tensor<64xf32>
    scf.yield %2 : tensor<64xf32>
  } else {
    %3 = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]} ins(%x, %x : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) {
    ^bb0(%p0: f32, %p1: f32, %o: f32):
      %s = arith.addf %p0, %p1 : f32
      linalg.yield %s : f32
    } -> tensor<64xf32>
    scf.yield %3 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// -----

// Functions have their own events.
// CHECK:first: workspace 256, events 1
// CHECK-NEXT:  compute kernel
// CHECK-NEXT:  record 0 of compute
// CHECK-NEXT:  reduce waits for 0
// CHECK-NEXT:  reduce reduce_scatter of g
// CHECK-NEXT:  compute kernel
// CHECK:second: workspace 256, events 1
// CHECK-NEXT:  compute kernel
// CHECK-NEXT:  record 0 of compute
// CHECK-NEXT:  reduce waits for 0
// CHECK-NEXT:  reduce reduce_scatter of g
// CHECK-NEXT:  compute kernel
#v = affine_map<(d0) -> (d0)>
#part = #tp.placement<@mesh, [tp: P(sum)]>
#row = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @first(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<32xf32>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p0: f32, %o: f32):
    %s = arith.addf %p0, %p0 : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %g = tp.reduce_scatter %0 over ["tp"] by "sum" parts [#tp.part<tensor<64xf32>, #part, #row>] {tp.index = 0 : i64, tp.value = "g"} : (tensor<64xf32>) -> tensor<32xf32>
  %1 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%y : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p0: f32, %o: f32):
    %s = arith.addf %p0, %p0 : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  return %g, %1 : tensor<32xf32>, tensor<64xf32>
}
func.func @second(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<32xf32>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p0: f32, %o: f32):
    %s = arith.addf %p0, %p0 : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %g = tp.reduce_scatter %0 over ["tp"] by "sum" parts [#tp.part<tensor<64xf32>, #part, #row>] {tp.index = 1 : i64, tp.value = "g"} : (tensor<64xf32>) -> tensor<32xf32>
  %1 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%y : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%p0: f32, %o: f32):
    %s = arith.addf %p0, %p0 : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  return %g, %1 : tensor<32xf32>, tensor<64xf32>
}

// -----

// Memory that a reduction reads is not given away before the next reduction is enqueued, which then waits for nothing; whoever takes it later waits.
// CHECK:reuse: workspace 32768, events 2
// CHECK-NEXT:  compute kernel
// CHECK-NEXT:  record 0 of compute
// CHECK-NEXT:  reduce waits for 0
// CHECK-NEXT:  reduce reduce_scatter of g0
// CHECK-NEXT:  record 0 of reduce
// CHECK-NEXT:  compute kernel
// CHECK-NEXT:  record 1 of compute
// CHECK-NEXT:  reduce waits for 1
// CHECK-NEXT:  reduce reduce_scatter of g1
// CHECK-NEXT:  record 1 of reduce
// CHECK-NEXT:  compute waits for 0
// CHECK-NEXT:  compute kernel
// CHECK-NEXT:  record 0 of compute
// CHECK-NEXT:  reduce waits for 0
// CHECK-NEXT:  reduce reduce_scatter of g2
// CHECK-NEXT:  compute waits for 1
// CHECK-NEXT:  compute kernel
// CHECK-NEXT:  compute reduce_scatter of g3
#v = affine_map<(d0) -> (d0)>
#part = #tp.placement<@mesh, [tp: P(sum)]>
#row = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @reuse(%x: tensor<4096xf32>) -> (tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>) {
  %b = tensor.empty() : tensor<4096xf32>
  %0 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%x : tensor<4096xf32>) outs(%b : tensor<4096xf32>) {
  ^bb0(%p0: f32, %o: f32):
    %s = arith.addf %p0, %p0 : f32
    linalg.yield %s : f32
  } -> tensor<4096xf32>
  %g0 = tp.reduce_scatter %0 over ["tp"] by "sum" parts [#tp.part<tensor<4096xf32>, #part, #row>] {tp.index = 0 : i64, tp.value = "g0"} : (tensor<4096xf32>) -> tensor<2048xf32>
  %1 = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]} ins(%x, %x : tensor<4096xf32>, tensor<4096xf32>) outs(%b : tensor<4096xf32>) {
  ^bb0(%p0: f32, %p1: f32, %o: f32):
    %s = arith.addf %p0, %p1 : f32
    linalg.yield %s : f32
  } -> tensor<4096xf32>
  %g1 = tp.reduce_scatter %1 over ["tp"] by "sum" parts [#tp.part<tensor<4096xf32>, #part, #row>] {tp.index = 1 : i64, tp.value = "g1"} : (tensor<4096xf32>) -> tensor<2048xf32>
  %2 = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%x : tensor<4096xf32>) outs(%b : tensor<4096xf32>) {
  ^bb0(%p0: f32, %o: f32):
    %s = arith.addf %p0, %p0 : f32
    linalg.yield %s : f32
  } -> tensor<4096xf32>
  %g2 = tp.reduce_scatter %2 over ["tp"] by "sum" parts [#tp.part<tensor<4096xf32>, #part, #row>] {tp.index = 2 : i64, tp.value = "g2"} : (tensor<4096xf32>) -> tensor<2048xf32>
  %3 = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]} ins(%x, %x : tensor<4096xf32>, tensor<4096xf32>) outs(%b : tensor<4096xf32>) {
  ^bb0(%p0: f32, %p1: f32, %o: f32):
    %s = arith.addf %p0, %p1 : f32
    linalg.yield %s : f32
  } -> tensor<4096xf32>
  %g3 = tp.reduce_scatter %3 over ["tp"] by "sum" parts [#tp.part<tensor<4096xf32>, #part, #row>] {tp.index = 3 : i64, tp.value = "g3"} : (tensor<4096xf32>) -> tensor<2048xf32>
  return %g0, %g1, %g2, %g3 : tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>, tensor<2048xf32>
}
