// What is gathered again: parameters, once for the backward pass and once for every loop and phase in it.
// RUN: tpc-opt %s --split-input-file --tp-regather-parameters="gather-reuse=regather" | FileCheck %s
// RUN: tpc-opt %s --split-input-file --tp-regather-parameters="gather-reuse=keep" | FileCheck %s --check-prefix=KEEP
// RUN: tpc-opt %s --split-input-file --tpc-plan="objective=bytes gather-reuse=regather" --tpc-redistribute="objective=bytes" | FileCheck %s --check-prefix=GATHERS
// KEEP-NOT: tp.fresh

// The use pin is repeated behind the fresh copy; what is no parameter is left alone.
// CHECK-LABEL: func.func @backward_has_its_own
// CHECK: %[[W:.*]] = tp.constrain %arg1 to #R {tp.used}
// CHECK: linalg.matmul ins(%arg0, %[[W]] :
// CHECK: %[[FRESH:.*]] = tp.fresh %arg1 {tp.phase = "backward"}
// CHECK: %[[AGAIN:.*]] = tp.constrain %[[FRESH]] to #R {tp.phase = "backward", tp.used}
// CHECK: linalg.matmul {{.*}} ins(%{{.*}}, %[[AGAIN]] :
// CHECK: linalg.matmul {{.*}} ins(%{{.*}}, %[[AGAIN]] :
// CHECK-NOT: tp.fresh
// One gather in each pass, the second in front of the first use there; clean-up does not make them one.
// GATHERS-LABEL: func.func @backward_has_its_own
// GATHERS: %[[W:.*]] = tp.all_gather %arg1
// GATHERS-NOT: tp.phase
// GATHERS-SAME: -> tensor<8x8xf32, #R>
// GATHERS: linalg.matmul ins(%{{.*}}, %[[W]] :
// GATHERS: linalg.exp
// GATHERS: %[[AGAIN:.*]] = tp.all_gather %arg1 {{.*}}tp.phase = "backward"{{.*}}gathered again here
// GATHERS: linalg.matmul {{.*}} ins(%{{.*}}, %[[AGAIN]] :
// GATHERS-NOT: tp.all_gather
// GATHERS: return
tp.mesh @mesh ["dp" = 4]
func.func @backward_has_its_own(%x: tensor<64x8xf32> {tp.placement = #tp.placement<@mesh, [dp: S(0)]>},
                                %w: tensor<8x8xf32> {tp.name = "w", tp.param, tp.placement = #tp.placement<@mesh, [dp: S(0)]>},
                                %dy: tensor<64x8xf32> {tp.placement = #tp.placement<@mesh, [dp: S(0)]>})
    -> (tensor<64x8xf32> {tp.placement = #tp.placement<@mesh, [dp: S(0)]>}, tensor<64x8xf32> {tp.placement = #tp.placement<@mesh, [dp: S(0)]>}) {
  %used = tp.constrain %w to <@mesh, []> {tp.used} : tensor<8x8xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x8xf32>) -> tensor<64x8xf32>
  %y = linalg.matmul ins(%x, %used : tensor<64x8xf32>, tensor<8x8xf32>) outs(%init : tensor<64x8xf32>) -> tensor<64x8xf32>
  %e = linalg.exp ins(%y : tensor<64x8xf32>) outs(%empty : tensor<64x8xf32>) -> tensor<64x8xf32>
  %dx = linalg.matmul {tp.phase = "backward"} ins(%dy, %used : tensor<64x8xf32>, tensor<8x8xf32>) outs(%init : tensor<64x8xf32>) -> tensor<64x8xf32>
  %dz = linalg.matmul {tp.phase = "backward"} ins(%dx, %used : tensor<64x8xf32>, tensor<8x8xf32>) outs(%init : tensor<64x8xf32>) -> tensor<64x8xf32>
  return %e, %dz : tensor<64x8xf32>, tensor<64x8xf32>
}

// -----

// In a loop both passes gather, in every iteration; the pin of which nothing is left is gone.
// CHECK-LABEL: func.func @each_pass_in_a_loop
// CHECK-NOT: tp.fresh
// CHECK: scf.for
// CHECK: %[[F:.*]] = tp.fresh %arg1 : tensor<8x8xf32>
// CHECK: %[[W:.*]] = tp.constrain %[[F]]
// CHECK: linalg.matmul ins(%{{.*}}, %[[W]] :
// CHECK: %[[B:.*]] = tp.fresh %arg1 {tp.phase = "backward"}
// CHECK: tp.constrain %[[B]]
// CHECK: scf.yield
// CHECK-NOT: tp.constrain
// GATHERS-LABEL: func.func @each_pass_in_a_loop
// GATHERS-NOT: tp.all_gather
// GATHERS: scf.for
// GATHERS: tp.all_gather %arg1
// GATHERS: linalg.matmul
// GATHERS: tp.all_gather %arg1
// GATHERS: linalg.matmul
// GATHERS: scf.yield
// GATHERS-NOT: tp.all_gather
tp.mesh @mesh ["dp" = 4]
func.func @each_pass_in_a_loop(%x: tensor<64x8xf32> {tp.placement = #tp.placement<@mesh, [dp: S(0)]>},
                               %w: tensor<8x8xf32> {tp.name = "w", tp.param, tp.placement = #tp.placement<@mesh, [dp: S(0)]>})
    -> (tensor<64x8xf32> {tp.placement = #tp.placement<@mesh, [dp: S(0)]>}) {
  %used = tp.constrain %w to <@mesh, []> {tp.used} : tensor<8x8xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %empty = tensor.empty() : tensor<64x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x8xf32>) -> tensor<64x8xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<64x8xf32>) {
    %y = linalg.matmul ins(%a, %used : tensor<64x8xf32>, tensor<8x8xf32>) outs(%init : tensor<64x8xf32>) -> tensor<64x8xf32>
    %e = linalg.exp ins(%y : tensor<64x8xf32>) outs(%empty : tensor<64x8xf32>) -> tensor<64x8xf32>
    %dx = linalg.matmul {tp.phase = "backward"} ins(%e, %used : tensor<64x8xf32>, tensor<8x8xf32>) outs(%init : tensor<64x8xf32>) -> tensor<64x8xf32>
    scf.yield %dx : tensor<64x8xf32>
  }
  return %r : tensor<64x8xf32>
}

// -----

// What is computed from the parameter alone is computed again, or the gathered tensor would live on in it. A branch is no
// context of its own.
// CHECK-LABEL: func.func @a_cast_is_repeated
// CHECK: %[[NARROW:.*]] = linalg.generic {{.*}} ins(%arg0 :
// CHECK: linalg.exp ins(%[[NARROW]] :
// CHECK: %[[F:.*]] = tp.fresh %arg0 {tp.phase = "backward"}
// CHECK: %[[AGAIN:.*]] = linalg.generic {{.*}} ins(%[[F]] : {{.*}} attrs = {tp.phase = "backward"}
// CHECK-NOT: tp.fresh
// CHECK: scf.if
// CHECK: linalg.tanh {{.*}} ins(%[[AGAIN]] :
// CHECK: else
// CHECK: scf.yield {{.*}}%[[AGAIN]]
// Used in the forward pass alone, or no parameter: nothing to gather again.
// CHECK-LABEL: func.func @nothing_to_regather
// CHECK-NOT: tp.fresh
#map = affine_map<(d0) -> (d0)>
tp.mesh @mesh ["dp" = 4]
func.func @a_cast_is_repeated(%w: tensor<8xf32> {tp.param}, %c: tensor<i1>) -> (tensor<8xbf16>, tensor<8xbf16>) {
  %half = tensor.empty() : tensor<8xbf16>
  %n = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%w : tensor<8xf32>) outs(%half : tensor<8xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %0 = arith.truncf %in : f32 to bf16
    linalg.yield %0 : bf16
  } -> tensor<8xbf16>
  %e = linalg.exp ins(%n : tensor<8xbf16>) outs(%half : tensor<8xbf16>) -> tensor<8xbf16>
  %i = linalg.add ins(%e, %n : tensor<8xbf16>, tensor<8xbf16>) outs(%half : tensor<8xbf16>) -> tensor<8xbf16>
  %flag = tensor.extract %c[] : tensor<i1>
  %r = scf.if %flag -> (tensor<8xbf16>) {
    %t = linalg.tanh {tp.phase = "backward"} ins(%n : tensor<8xbf16>) outs(%half : tensor<8xbf16>) -> tensor<8xbf16>
    scf.yield %t : tensor<8xbf16>
  } else {
    scf.yield %n : tensor<8xbf16>
  } {tp.phase = "backward"}
  return %i, %r : tensor<8xbf16>, tensor<8xbf16>
}
func.func @nothing_to_regather(%w: tensor<8xf32> {tp.param}, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8xf32>
  %0 = linalg.add ins(%w, %x : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %1 = linalg.exp {tp.phase = "backward"} ins(%x : tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// A loop does not find the gather in front of it, though both belong to the forward pass; its own use behind it does.
// CHECK-LABEL: func.func @a_loop_has_its_own
// GATHERS-LABEL: func.func @a_loop_has_its_own
// GATHERS: %[[W:.*]] = tp.all_gather %arg1
// GATHERS: linalg.matmul ins(%{{.*}}, %[[W]] :
// GATHERS: scf.for
// GATHERS: %[[IN:.*]] = tp.all_gather %arg1
// GATHERS: linalg.matmul ins(%{{.*}}, %[[IN]] :
// GATHERS: scf.yield
// GATHERS-NOT: tp.all_gather
// GATHERS: linalg.matmul ins(%{{.*}}, %[[W]] :
tp.mesh @mesh ["dp" = 4]
func.func @a_loop_has_its_own(%x: tensor<64x8xf32> {tp.placement = #tp.placement<@mesh, [dp: S(0)]>},
                              %w: tensor<8x8xf32> {tp.name = "w", tp.param, tp.placement = #tp.placement<@mesh, [dp: S(0)]>})
    -> (tensor<64x8xf32> {tp.placement = #tp.placement<@mesh, [dp: S(0)]>}) {
  %used = tp.constrain %w to <@mesh, []> {tp.used} : tensor<8x8xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %empty = tensor.empty() : tensor<64x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x8xf32>) -> tensor<64x8xf32>
  %p = linalg.matmul ins(%x, %used : tensor<64x8xf32>, tensor<8x8xf32>) outs(%init : tensor<64x8xf32>) -> tensor<64x8xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %p) -> (tensor<64x8xf32>) {
    %y = linalg.matmul ins(%a, %used : tensor<64x8xf32>, tensor<8x8xf32>) outs(%init : tensor<64x8xf32>) -> tensor<64x8xf32>
    %e = linalg.exp ins(%y : tensor<64x8xf32>) outs(%empty : tensor<64x8xf32>) -> tensor<64x8xf32>
    scf.yield %e : tensor<64x8xf32>
  }
  %z = linalg.matmul ins(%r, %used : tensor<64x8xf32>, tensor<8x8xf32>) outs(%init : tensor<64x8xf32>) -> tensor<64x8xf32>
  return %z : tensor<64x8xf32>
}
