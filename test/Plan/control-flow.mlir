// Loops and branches: what is carried has one placement, what a loop needs of outside is moved in front of it, and what is
// made inside is paid for in every iteration.
// RUN: tpc-opt %s --split-input-file --tp-plan-placements="objective=bytes" --cse --tp-verify-placements | FileCheck %s
// RUN: tpc-opt %s --split-input-file --tpc-plan="objective=bytes" --tpc-redistribute="objective=bytes" | FileCheck %s --check-prefix=STEPS
// All 11 mean the same on every rank, before and behind the redistribute stage.
// RUN: tpc-opt %s --split-input-file --tpc-plan="objective=bytes" --tp-simulate --tpc-redistribute="objective=bytes" --tp-simulate -o /dev/null 2>&1 | FileCheck %s --check-prefix=MEANING
// MEANING-COUNT-22: remark: simulated @
// MEANING-NOT: remark: simulated @

// The gradient of a weight, added up over batches that are sharded, is kept a sum over the ranks and reduced once behind the loop.
// CHECK-LABEL: func.func @accumulator_stays_partial
// CHECK: %[[ZERO:.*]] = linalg.fill {{.*}} -> tensor<16x16xf32, #Psum_dp>
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[G:.*]] = %[[ZERO]]) -> (tensor<16x16xf32, #Psum_dp>)
// CHECK-NOT: tp.redistribute
// CHECK: scf.yield %{{.*}} : tensor<16x16xf32, #Psum_dp>
// CHECK: %[[Y:.*]] = tp.redistribute %[[SUM]] {{.*}}value carried by a loop{{.*}}is kept P(sum) over dp{{.*}} -> tensor<16x16xf32, #R>
// CHECK-NOT: tp.redistribute
// CHECK: return %[[Y]]
// STEPS-LABEL: func.func @accumulator_stays_partial
// STEPS: scf.for
// STEPS-NOT: tp.
// STEPS: scf.yield
// STEPS: tp.all_reduce
// STEPS-NOT: tp.all
// STEPS: return
#lhs = affine_map<(i, j, k) -> (k, i)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#out = affine_map<(i, j, k) -> (i, j)>
tp.mesh @mesh ["dp" = 4]
func.func @accumulator_stays_partial(%xs: tensor<5x8x16xf32> {tp.placement = #tp.placement<@mesh, [dp: S(1)]>})
    -> (tensor<16x16xf32> {tp.placement = #tp.placement<@mesh, []>}) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %empty = tensor.empty() : tensor<16x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x16xf32>) -> tensor<16x16xf32>
  %sum = scf.for %i = %c0 to %c5 step %c1 iter_args(%g = %init) -> (tensor<16x16xf32>) {
    %x = tensor.extract_slice %xs[%i, 0, 0] [1, 8, 16] [1, 1, 1] : tensor<5x8x16xf32> to tensor<8x16xf32>
    %dw = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %x : tensor<8x16xf32>, tensor<8x16xf32>) outs(%init : tensor<16x16xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %acc, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<16x16xf32>
    %next = linalg.add ins(%g, %dw : tensor<16x16xf32>, tensor<16x16xf32>) outs(%empty : tensor<16x16xf32>) -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  return %sum : tensor<16x16xf32>
}

// -----

// Accumulated in place, and by nested loops: one reduction outside of both.
// CHECK-LABEL: func.func @one_reduction_outside_both_loops
// CHECK: %[[SUM:.*]] = scf.for {{.*}} -> (tensor<16x16xf32, #Psum_dp>)
// CHECK-NOT: tp.redistribute
// CHECK: scf.for {{.*}} -> (tensor<16x16xf32, #Psum_dp>)
// CHECK-NOT: tp.redistribute
// CHECK: scf.yield
// CHECK-NOT: tp.redistribute
// CHECK: scf.yield
// CHECK: tp.redistribute %[[SUM]] {{.*}} -> tensor<16x16xf32, #S0_dp>
// CHECK-NOT: tp.redistribute
// STEPS-LABEL: func.func @one_reduction_outside_both_loops
// STEPS: scf.for
// STEPS-NOT: tp.
// STEPS: %[[Y:.*]] = tp.reduce_scatter
// STEPS-NEXT: return %[[Y]]
#lhs = affine_map<(i, j, k) -> (k, i)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#out = affine_map<(i, j, k) -> (i, j)>
tp.mesh @mesh ["dp" = 4]
func.func @one_reduction_outside_both_loops(%xs: tensor<5x3x8x16xf32> {tp.placement = #tp.placement<@mesh, [dp: S(2)]>})
    -> (tensor<16x16xf32> {tp.placement = #tp.placement<@mesh, [dp: S(0)]>}) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %empty = tensor.empty() : tensor<16x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x16xf32>) -> tensor<16x16xf32>
  %sum = scf.for %i = %c0 to %c5 step %c1 iter_args(%g = %init) -> (tensor<16x16xf32>) {
    %inner = scf.for %j = %c0 to %c3 step %c1 iter_args(%h = %g) -> (tensor<16x16xf32>) {
      %x = tensor.extract_slice %xs[%i, %j, 0, 0] [1, 1, 8, 16] [1, 1, 1, 1] : tensor<5x3x8x16xf32> to tensor<8x16xf32>
      %next = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%x, %x : tensor<8x16xf32>, tensor<8x16xf32>) outs(%h : tensor<16x16xf32>) {
      ^bb0(%a: f32, %b: f32, %acc: f32):
        %0 = arith.mulf %a, %b : f32
        %1 = arith.addf %acc, %0 : f32
        linalg.yield %1 : f32
      } -> tensor<16x16xf32>
      scf.yield %next : tensor<16x16xf32>
    }
    scf.yield %inner : tensor<16x16xf32>
  }
  return %sum : tensor<16x16xf32>
}

// -----

// A weight that is stored sharded is gathered once, in front of the loop that needs it whole; a use behind the loop finds it.
// CHECK-LABEL: func.func @weight_is_gathered_in_front_of_the_loop
// CHECK-SAME: tp.plan = {cost = array<i64: 192,
// CHECK: %[[W:.*]] = tp.redistribute %arg1 {{.*}} -> tensor<8x8xf32, #R>
// CHECK: %[[X:.*]] = scf.for
// CHECK-NOT: tp.redistribute
// CHECK: linalg.matmul ins(%{{.*}}, %[[W]] :
// CHECK: scf.yield
// CHECK-NOT: tp.redistribute
// CHECK: linalg.matmul ins(%[[X]], %[[W]] :
tp.mesh @mesh ["dp" = 4]
func.func @weight_is_gathered_in_front_of_the_loop(%x0: tensor<64x8xf32> {tp.placement = #tp.placement<@mesh, [dp: S(0)]>},
                                                   %w: tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [dp: S(0)]>})
    -> (tensor<64x8xf32> {tp.placement = #tp.placement<@mesh, [dp: S(0)]>}) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %empty = tensor.empty() : tensor<64x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x8xf32>) -> tensor<64x8xf32>
  %x = scf.for %i = %c0 to %c7 step %c1 iter_args(%xi = %x0) -> (tensor<64x8xf32>) {
    %y = linalg.matmul ins(%xi, %w : tensor<64x8xf32>, tensor<8x8xf32>) outs(%init : tensor<64x8xf32>) -> tensor<64x8xf32>
    %z = linalg.exp ins(%y : tensor<64x8xf32>) outs(%empty : tensor<64x8xf32>) -> tensor<64x8xf32>
    scf.yield %z : tensor<64x8xf32>
  }
  %y = linalg.matmul ins(%x, %w : tensor<64x8xf32>, tensor<8x8xf32>) outs(%init : tensor<64x8xf32>) -> tensor<64x8xf32>
  return %y : tensor<64x8xf32>
}

// -----

// What is made inside costs once per iteration: 7 reductions of 2 * 3/4 * 64 bytes.
// STEPS-LABEL: func.func @moves_inside_count_per_iteration
// STEPS: scf.for
// STEPS: tp.all_reduce
// STEPS: scf.yield
// STEPS-NOT: tp.all_reduce
// STEPS-LABEL: func.func @branches_agree
// CHECK-LABEL: func.func @moves_inside_count_per_iteration
// CHECK-SAME: tp.plan = {cost = array<i64: 672,
// CHECK-SAME: lower_bound = array<i64: 672,
// CHECK: scf.for
// CHECK: tp.redistribute
// CHECK-SAME: tensor<4x4xf32, #Psum_tp> -> tensor<4x4xf32, #R>
// CHECK: scf.yield
// CHECK-NOT: tp.redistribute
tp.mesh @mesh ["tp" = 4]
func.func @moves_inside_count_per_iteration(%x0: tensor<4x4xf32> {tp.placement = #tp.placement<@mesh, []>},
                                            %w: tensor<4x64xf32> {tp.placement = #tp.placement<@mesh, [tp: S(1)]>},
                                            %v: tensor<64x4xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>})
    -> (tensor<4x4xf32> {tp.placement = #tp.placement<@mesh, []>}) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %eh = tensor.empty() : tensor<4x64xf32>
  %zh = linalg.fill ins(%zero : f32) outs(%eh : tensor<4x64xf32>) -> tensor<4x64xf32>
  %ex = tensor.empty() : tensor<4x4xf32>
  %zx = linalg.fill ins(%zero : f32) outs(%ex : tensor<4x4xf32>) -> tensor<4x4xf32>
  %wu = tp.constrain %w to <@mesh, [tp: S(1)]> {tp.used} : tensor<4x64xf32>
  %vu = tp.constrain %v to <@mesh, [tp: S(0)]> {tp.used} : tensor<64x4xf32>
  %x = scf.for %i = %c0 to %c7 step %c1 iter_args(%xi = %x0) -> (tensor<4x4xf32>) {
    %h = linalg.matmul ins(%xi, %wu : tensor<4x4xf32>, tensor<4x64xf32>) outs(%zh : tensor<4x64xf32>) -> tensor<4x64xf32>
    %a = linalg.exp ins(%h : tensor<4x64xf32>) outs(%eh : tensor<4x64xf32>) -> tensor<4x64xf32>
    %y = linalg.matmul ins(%a, %vu : tensor<4x64xf32>, tensor<64x4xf32>) outs(%zx : tensor<4x4xf32>) -> tensor<4x4xf32>
    %z = linalg.tanh ins(%y : tensor<4x4xf32>) outs(%ex : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %z : tensor<4x4xf32>
  }
  return %x : tensor<4x4xf32>
}

// -----

// The two sides of a branch agree on a placement, and the condition is read from a value that every rank holds.
// CHECK-LABEL: func.func @branches_agree
// CHECK: %[[FLAG:.*]] = tp.redistribute %arg1 {{.*}} -> tensor<4xf32, #R>
// CHECK: tensor.extract %[[FLAG]]
// CHECK: %[[Y:.*]] = scf.if %{{.*}} -> (tensor<8x8xf32, #S0_tp>)
// CHECK-NOT: tp.redistribute
// CHECK: scf.yield %{{.*}} : tensor<8x8xf32, #S0_tp>
// CHECK: else
// CHECK-NOT: tp.redistribute
// CHECK: scf.yield %arg0 : tensor<8x8xf32, #S0_tp>
// CHECK: return %[[Y]]
tp.mesh @mesh ["tp" = 4]
func.func @branches_agree(%x: tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>},
                          %flag: tensor<4xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>})
    -> (tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>}) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %empty = tensor.empty() : tensor<8x8xf32>
  %s = tensor.extract %flag[%c0] : tensor<4xf32>
  %c = arith.cmpf ogt, %s, %zero : f32
  %y = scf.if %c -> (tensor<8x8xf32>) {
    %e = linalg.exp ins(%x : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %e : tensor<8x8xf32>
  } else {
    scf.yield %x : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}

// -----

// What both sides need of outside is moved in front of the branch, once.
// CHECK-LABEL: func.func @moved_in_front_of_the_branch
// CHECK: %[[X:.*]] = tp.redistribute %arg0 {{.*}} -> tensor<8x8xf32, #S1_tp>
// CHECK: scf.if
// CHECK-NOT: tp.redistribute
// CHECK: linalg.exp ins(%[[X]] :
// CHECK-NOT: tp.redistribute
// CHECK: linalg.tanh ins(%[[X]] :
// CHECK-NOT: tp.redistribute
// A value swapped with another every time round, and one that never changes.
// CHECK-LABEL: func.func @swapped_and_unchanged
// CHECK: scf.for {{.*}} -> (tensor<8x8xf32, #S0_tp>, tensor<8x8xf32, #S0_tp>, tensor<6xi32, #[[C:.*]]>)
// CHECK-NOT: tp.redistribute
// CHECK: return
tp.mesh @mesh ["tp" = 4]
func.func @moved_in_front_of_the_branch(%x: tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>}, %c: tensor<i1>)
    -> (tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(1)]>}) {
  %empty = tensor.empty() : tensor<8x8xf32>
  %s = tensor.extract %c[] : tensor<i1>
  %y = scf.if %s -> (tensor<8x8xf32>) {
    %p = tp.constrain %x to <@mesh, [tp: S(1)]> : tensor<8x8xf32>
    %e = linalg.exp ins(%p : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %e : tensor<8x8xf32>
  } else {
    %p = tp.constrain %x to <@mesh, [tp: S(1)]> : tensor<8x8xf32>
    %e = linalg.tanh ins(%p : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %e : tensor<8x8xf32>
  }
  return %y : tensor<8x8xf32>
}
func.func @swapped_and_unchanged(%x: tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>}, %y: tensor<8x8xf32>, %k: tensor<6xi32>)
    -> (tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>}, tensor<8x8xf32>, tensor<6xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %r:3 = scf.for %i = %c0 to %c7 step %c1 iter_args(%a = %x, %b = %y, %c = %k) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<6xi32>) {
    scf.yield %b, %a, %c : tensor<8x8xf32>, tensor<8x8xf32>, tensor<6xi32>
  }
  return %r#0, %r#1, %r#2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<6xi32>
}

// -----

// Pins and per-rank code inside of loops. The carried rows are uneven where a pin makes them so.
// CHECK-LABEL: func.func @pins_inside_loops
// CHECK: scf.for {{.*}} -> (tensor<5x8xf32, #S0_tp>)
// CHECK-NOT: tp.constrain
// CHECK: linalg.exp ins(%{{.*}} : tensor<5x8xf32, #S0_tp>)
// CHECK: scf.yield
// CHECK-LABEL: func.func @manual_inside_loops
// CHECK: scf.for
// CHECK: tp.manual
// CHECK-SAME: in [#S0_tp] out [#S0_tp]
// CHECK: scf.yield
// Dims that are cut at a place the loop computes are not sharded; the others are.
// CHECK-LABEL: func.func @slices_at_computed_places
// CHECK: scf.for {{.*}} -> (tensor<6x8xf32, #S1_tp>)
// CHECK: tensor.extract_slice %arg0[%{{.*}}, 0] [1, 8] [1, 1] : tensor<6x8xf32, #S1_tp> to tensor<1x8xf32, #S1_tp>
// CHECK: tensor.insert_slice {{.*}} : tensor<1x8xf32, #S1_tp> into tensor<6x8xf32, #S1_tp>
tp.mesh @mesh ["tp" = 4]
func.func @pins_inside_loops(%x: tensor<5x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>})
    -> (tensor<5x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %empty = tensor.empty() : tensor<5x8xf32>
  %r = scf.for %i = %c0 to %c7 step %c1 iter_args(%a = %x) -> (tensor<5x8xf32>) {
    %p = tp.constrain %a to <@mesh, [tp: S(0)]> : tensor<5x8xf32>
    %e = linalg.exp ins(%p : tensor<5x8xf32>) outs(%empty : tensor<5x8xf32>) -> tensor<5x8xf32>
    scf.yield %e : tensor<5x8xf32>
  }
  return %r : tensor<5x8xf32>
}
func.func @manual_inside_loops(%x: tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>})
    -> (tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %r = scf.for %i = %c0 to %c7 step %c1 iter_args(%a = %x) -> (tensor<8x8xf32>) {
    %e = tp.manual (%a) in [#tp.placement<@mesh, [tp: S(0)]>] out [#tp.placement<@mesh, [tp: S(0)]>] {
    ^bb0(%local: tensor<2x8xf32>):
      tp.yield %local : tensor<2x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %e : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}
func.func @slices_at_computed_places(%x: tensor<6x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(1)]>})
    -> (tensor<6x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(1)]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %empty = tensor.empty() : tensor<6x8xf32>
  %row = tensor.empty() : tensor<1x8xf32>
  %r = scf.for %i = %c0 to %c6 step %c1 iter_args(%y = %empty) -> (tensor<6x8xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1] : tensor<6x8xf32> to tensor<1x8xf32>
    %e = linalg.exp ins(%s : tensor<1x8xf32>) outs(%row : tensor<1x8xf32>) -> tensor<1x8xf32>
    %j = arith.subi %c5, %i : index
    %next = tensor.insert_slice %e into %y[%j, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<6x8xf32>
    scf.yield %next : tensor<6x8xf32>
  }
  return %r : tensor<6x8xf32>
}

// -----

// Any type and shape may be carried: scalars as tensors, empty tensors, narrow and whole numbers. On i1 there is no partial sum.
// CHECK-LABEL: func.func @anything_is_carried
// CHECK: scf.for {{.*}} -> (tensor<f64, #Psum_tp>, tensor<0x4xbf16, #{{.*}}>, tensor<5x3xi32, #Psum_tp>, tensor<4xi1, #R>)
// CHECK: scf.yield
// CHECK: tp.redistribute %{{.*}}#0
// CHECK: tp.redistribute %{{.*}}#2
// CHECK-NOT: tp.redistribute
#all = affine_map<(i, j) -> (i, j)>
#none = affine_map<(i, j) -> ()>
tp.mesh @mesh ["tp" = 2]
func.func @anything_is_carried(%x: tensor<5x4xf64> {tp.placement = #tp.placement<@mesh, [tp: S(1)]>}, %k: tensor<5x3x4xi32> {tp.placement = #tp.placement<@mesh, [tp: S(2)]>},
                               %e: tensor<0x4xbf16>, %b: tensor<4xi1> {tp.placement = #tp.placement<@mesh, []>})
    -> (tensor<f64> {tp.placement = #tp.placement<@mesh, []>}, tensor<0x4xbf16>, tensor<5x3xi32> {tp.placement = #tp.placement<@mesh, []>}, tensor<4xi1> {tp.placement = #tp.placement<@mesh, []>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant dense<0.0> : tensor<f64>
  %none = arith.constant dense<0> : tensor<5x3xi32>
  %r:4 = scf.for %i = %c0 to %c7 step %c1 iter_args(%a = %zero, %s = %e, %n = %none, %f = %b)
      -> (tensor<f64>, tensor<0x4xbf16>, tensor<5x3xi32>, tensor<4xi1>) {
    %sum = linalg.generic {indexing_maps = [#all, #none], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<5x4xf64>) outs(%a : tensor<f64>) {
    ^bb0(%in: f64, %out: f64):
      %0 = arith.addf %out, %in : f64
      linalg.yield %0 : f64
    } -> tensor<f64>
    %count = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%k : tensor<5x3x4xi32>) outs(%n : tensor<5x3xi32>) {
    ^bb0(%in: i32, %out: i32):
      %0 = arith.addi %out, %in : i32
      linalg.yield %0 : i32
    } -> tensor<5x3xi32>
    %empty = tensor.empty() : tensor<4xi1>
    %flags = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%f : tensor<4xi1>) outs(%empty : tensor<4xi1>) {
    ^bb0(%in: i1, %out: i1):
      %0 = arith.addi %in, %in : i1
      linalg.yield %0 : i1
    } -> tensor<4xi1>
    scf.yield %sum, %s, %count, %flags : tensor<f64>, tensor<0x4xbf16>, tensor<5x3xi32>, tensor<4xi1>
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<f64>, tensor<0x4xbf16>, tensor<5x3xi32>, tensor<4xi1>
}
