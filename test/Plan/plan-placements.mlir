// What a plan is: every tensor placed, moves only where they are needed, shared where they can be.
// RUN: tpc-opt %s --split-input-file --tp-plan-placements="objective=bytes" --tp-verify-placements | FileCheck %s

// A replicated input times a column shard needs nothing; the result is left in columns.
// CHECK-LABEL: func.func @matmul_by_columns
// CHECK-NOT: tp.redistribute
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<8x8xf32, #R>, tensor<8x8xf32, #S1_tp>)
// CHECK-NOT: tp.redistribute
// The cost is proved: the bound beside it is the same.
// CHECK-LABEL: func.func @matmul_by_rows
// CHECK-SAME: tp.plan = {cost = array<i64: [[COST:.*]]>, lower_bound = array<i64: [[COST]]>
// Contracting over a shard gives a Partial, whose init is made as one, and the replicated result is reduced once.
// CHECK: %[[INIT:.*]] = linalg.fill {{.*}} -> tensor<8x8xf32, #Psum_tp>
// CHECK: %[[SUM:.*]] = linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<8x8xf32, #S1_tp>, tensor<8x8xf32, #S0_tp>) outs(%[[INIT]]
// CHECK: %[[Y:.*]] = tp.redistribute %[[SUM]] {{.*}} -> tensor<8x8xf32, #R>
// CHECK: return %[[Y]]
tp.mesh @mesh ["tp" = 4]
func.func @matmul_by_columns(%x: tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, []>},
                             %w: tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(1)]>}) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%x, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
func.func @matmul_by_rows(%x: tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(1)]>},
                          %w: tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>})
    -> (tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, []>}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%x, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// -----

// Two readers that need one placement share its move.
// CHECK-LABEL: func.func @two_readers_share_a_gather
// CHECK: %[[X:.*]] = tp.redistribute %{{.*}} : tensor<8x8xf32, #S0_tp> -> tensor<8x8xf32, #S1_tp>
// CHECK-NOT: tp.redistribute
// CHECK: linalg.exp ins(%[[X]] :
// CHECK-NOT: tp.redistribute
// CHECK: linalg.tanh ins(%[[X]] :
// CHECK-NOT: tp.redistribute
tp.mesh @mesh ["tp" = 4]
func.func @two_readers_share_a_gather(%x: tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>})
    -> (tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(1)]>}, tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(1)]>}) {
  %empty = tensor.empty() : tensor<8x8xf32>
  %y = linalg.exp ins(%x : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  %z = linalg.tanh ins(%x : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y, %z : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// What forward gathers, backward reads again; the move belongs to the phase that first needs it.
// CHECK-LABEL: func.func @backward_reuses_the_gather_of_forward
// CHECK: %[[W:.*]] = tp.redistribute %{{.*}} {
// CHECK-NOT: tp.phase
// CHECK-SAME: : tensor<8x8xf32, #S0_tp> -> tensor<8x8xf32, #R>
// CHECK: linalg.matmul ins(%{{.*}}, %[[W]] :
// CHECK: linalg.matmul {{.*}}tp.phase = "backward"{{.*}} ins(%{{.*}}, %[[W]] :
// CHECK-NOT: tp.redistribute
tp.mesh @mesh ["tp" = 4]
func.func @backward_reuses_the_gather_of_forward(%x: tensor<64x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>},
                                                 %w: tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>},
                                                 %dy: tensor<64x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>})
    -> (tensor<64x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>}, tensor<64x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x8xf32>) -> tensor<64x8xf32>
  %y = linalg.matmul ins(%x, %w : tensor<64x8xf32>, tensor<8x8xf32>) outs(%init : tensor<64x8xf32>) -> tensor<64x8xf32>
  %dx = linalg.matmul {tp.phase = "backward"} ins(%dy, %w : tensor<64x8xf32>, tensor<8x8xf32>) outs(%init : tensor<64x8xf32>) -> tensor<64x8xf32>
  return %y, %dx : tensor<64x8xf32>, tensor<64x8xf32>
}

// -----

// A weight that must be used as it is stored is not gathered, though gathering it would be far cheaper here.
// CHECK-LABEL: func.func @weight_is_gathered_when_free
// CHECK: tp.redistribute %arg1 {{.*}} : tensor<2x8xf32, #S1_tp> -> tensor<2x8xf32, #R>
// CHECK-NOT: tp.redistribute
// CHECK-LABEL: func.func @used_as_stored_is_never_gathered
// CHECK-NOT: tp.redistribute %arg1
// CHECK: linalg.matmul ins(%{{.*}}, %arg1 : tensor<64x2xf32, #{{.*}}>, tensor<2x8xf32, #S1_tp>)
// CHECK-NOT: tp.constrain
tp.mesh @mesh ["tp" = 4]
func.func @weight_is_gathered_when_free(%x: tensor<64x2xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>},
                                        %w: tensor<2x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(1)]>})
    -> (tensor<64x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x8xf32>) -> tensor<64x8xf32>
  %y = linalg.matmul ins(%x, %w : tensor<64x2xf32>, tensor<2x8xf32>) outs(%init : tensor<64x8xf32>) -> tensor<64x8xf32>
  return %y : tensor<64x8xf32>
}
func.func @used_as_stored_is_never_gathered(%x: tensor<64x2xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>},
                                            %w: tensor<2x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(1)]>})
    -> (tensor<64x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>}) {
  %used = tp.constrain %w to <@mesh, [tp: S(1)]> {tp.used} : tensor<2x8xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x8xf32>) -> tensor<64x8xf32>
  %y = linalg.matmul ins(%x, %used : tensor<64x2xf32>, tensor<2x8xf32>) outs(%init : tensor<64x8xf32>) -> tensor<64x8xf32>
  return %y : tensor<64x8xf32>
}

// -----

// Axes nest as the pins say, also in values without a pin: nothing has to move.
// CHECK-LABEL: func.func @nesting_follows_the_pins
// CHECK-SAME: -> (tensor<8x8xf32, #[[$NEST:S0_tp_S0_dp]]>
// CHECK-NOT: tp.redistribute
// CHECK: linalg.exp ins(%{{.*}} : tensor<8x8xf32, #[[$NEST]]>)
// CHECK-NOT: tp.redistribute
// Chunks of unequal size where a pin asks for them.
// CHECK-LABEL: func.func @uneven_pin
// CHECK-NOT: tp.redistribute
// CHECK: linalg.exp ins(%{{.*}} : tensor<5x8xf32, #S0_tp>)
// CHECK-NOT: tp.redistribute
tp.mesh @mesh ["dp" = 2, "tp" = 4]
func.func @nesting_follows_the_pins(%x: tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0), dp: S(0)]>}) -> tensor<8x8xf32> {
  %empty = tensor.empty() : tensor<8x8xf32>
  %y = linalg.exp ins(%x : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
func.func @uneven_pin(%x: tensor<5x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>})
    -> (tensor<5x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>}) {
  %empty = tensor.empty() : tensor<5x8xf32>
  %y = linalg.exp ins(%x : tensor<5x8xf32>) outs(%empty : tensor<5x8xf32>) -> tensor<5x8xf32>
  return %y : tensor<5x8xf32>
}

// -----

// Results without a pin are never Partial: the scalar is reduced.
// CHECK-LABEL: func.func @scalar_result
// CHECK: %[[SUM:.*]] = linalg.reduce
// CHECK: %[[Y:.*]] = tp.redistribute %[[SUM]] {{.*}} : tensor<f32, #Psum_tp> -> tensor<f32, #R>
// CHECK: return %[[Y]] : tensor<f32, #R>
// Every reader has its own copy of a constant, placed as it needs it.
// CHECK-LABEL: func.func @constant_is_made_where_it_is_read
// CHECK-DAG: arith.constant dense<2.000000e+00> : tensor<8x8xf32, #S0_tp>
// CHECK-DAG: arith.constant dense<2.000000e+00> : tensor<8x8xf32, #S1_tp>
// CHECK-NOT: tp.redistribute
// A returned constant is placed like its result; as a Partial it counts once.
// CHECK-LABEL: func.func @returned_constants
// CHECK: %[[ROWS:.*]] = arith.constant dense<2.000000e+00> : tensor<8x8xf32, #S0_tp>
// CHECK: %[[TWO:.*]] = arith.constant dense<2.000000e+00> : tensor<8x8xf32, #R>
// CHECK: %[[ONCE:.*]] = tp.redistribute %[[TWO]] {{.*}} -> tensor<8x8xf32, #Psum_tp>
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<8x8xf32, #Psum_tp>
// CHECK: return %[[ROWS]], %[[ONCE]], %[[ZERO]] :
// What nothing reads is placed all the same.
// CHECK-LABEL: func.func @unused_arguments
// CHECK-SAME: tensor<7xf32, #R>
// CHECK-SAME: tensor<7xf32, #S0_tp>
// CHECK-NOT: tp.redistribute
tp.mesh @mesh ["tp" = 4]
func.func @scalar_result(%x: tensor<8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>}) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %y = linalg.reduce {arith.addf} ins(%x : tensor<8xf32>) outs(%init : tensor<f32>) dimensions = [0]
  return %y : tensor<f32>
}
func.func @constant_is_made_where_it_is_read(%x: tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>},
                                             %y: tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(1)]>})
    -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %two = arith.constant dense<2.0> : tensor<8x8xf32>
  %empty = tensor.empty() : tensor<8x8xf32>
  %a = linalg.mul ins(%x, %two : tensor<8x8xf32>, tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  %b = linalg.mul ins(%y, %two : tensor<8x8xf32>, tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %a, %b : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func @returned_constants() -> (tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>},
                                    tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: P(sum)]>},
                                    tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: P(sum)]>}) {
  %two = arith.constant dense<2.0> : tensor<8x8xf32>
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  return %two, %two, %zero : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
func.func @unused_arguments(%x: tensor<7xf32>, %y: tensor<7xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>}) {
  return
}

// -----

// A pin in the middle is met by one move and is gone afterwards.
// CHECK-LABEL: func.func @pin_in_the_middle
// CHECK-NOT: tp.constrain
// CHECK: %[[H:.*]] = linalg.exp
// CHECK: linalg.exp ins(%{{.*}} : tensor<8x8xf32, #S1_tp>)
// CHECK-NOT: tp.constrain
// A manual region is entered and left as it declares.
// CHECK-LABEL: func.func @manual_region
// CHECK: %[[X:.*]] = tp.redistribute %{{.*}} -> tensor<8x8xf32, #S0_tp>
// CHECK: %[[Y:.*]] = tp.manual(%[[X]])
// CHECK: tp.redistribute %[[Y]] {{.*}} : tensor<8x8xf32, #Psum_tp> -> tensor<8x8xf32, #R>
tp.mesh @mesh ["tp" = 4]
func.func @pin_in_the_middle(%x: tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>}) -> tensor<8x8xf32> {
  %empty = tensor.empty() : tensor<8x8xf32>
  %h = linalg.exp ins(%x : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  %pinned = tp.constrain %h to <@mesh, [tp: S(1)]> : tensor<8x8xf32>
  %y = linalg.exp ins(%pinned : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
func.func @manual_region(%x: tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, []>}) -> (tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, []>}) {
  %y = tp.manual (%x) in [#tp.placement<@mesh, [tp: S(0)]>] out [#tp.placement<@mesh, [tp: P(sum)]>] {
  ^bb0(%local: tensor<2x8xf32>):
    %empty = tensor.empty() : tensor<8x8xf32>
    tp.yield %empty : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// -----

// Two placements are cheaper by way of one that nobody needs: gathered once.
// CHECK-LABEL: func.func @by_way_of_a_copy_nobody_needs
// CHECK: %[[X:.*]] = tp.redistribute %{{.*}}tp.why = "{{.*}}; other placements of it are made from []{{.*}} : tensor<8x8xf32, #S0_tp> -> tensor<8x8xf32, #R>
// CHECK: tp.redistribute %[[X]] {{.*}} -> tensor<8x8xf32, #S1_tp>
// CHECK: tp.redistribute %[[X]] {{.*}} -> tensor<8x8xf32, #Psum_tp>
// CHECK-NOT: tp.redistribute
tp.mesh @mesh ["tp" = 4]
func.func @by_way_of_a_copy_nobody_needs(%x: tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>})
    -> (tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: S(1)]>}, tensor<8x8xf32> {tp.placement = #tp.placement<@mesh, [tp: P(sum)]>}) {
  return %x, %x : tensor<8x8xf32>, tensor<8x8xf32>
}
