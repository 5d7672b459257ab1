// What tp-regather-parameters and tp.fresh refuse.
// RUN: not tpc-opt %s --tp-regather-parameters="gather-reuse=sometimes" 2>&1 | FileCheck %s --check-prefix=MODE
// MODE: error: expected gather reuse keep, regather or auto, got "sometimes"
// RUN: not tpc-opt %s --tp-regather-parameters="gather-reuse=auto memory-budget=100" 2>&1 | FileCheck %s --check-prefix=BUDGET
// BUDGET: [[#@LINE+3]]:1: error: expected a plan of at most 100 bytes per rank, got 192 at the least, with parameters gathered again where that helps; the largest tensors are 'w' (64 bytes), 'x' (64 bytes), 'y' at regather-parameters-errors.mlir:12 (64 bytes)
// RUN: not tpc-opt %s --tp-plan-placements 2>&1 | FileCheck %s --check-prefix=FRESH
tp.mesh @mesh ["dp" = 2]
func.func @over_budget(%w: tensor<4x8xf32> {tp.name = "w", tp.param, tp.placement = #tp.placement<@mesh, [dp: S(0)]>},
                       %x: tensor<4x8xf32> {tp.name = "x", tp.placement = #tp.placement<@mesh, [dp: S(0)]>})
    -> (tensor<4x8xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [dp: S(0)]>}) {
  %empty = tensor.empty() : tensor<4x8xf32>
  %y = linalg.add ins(%w, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%empty : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
func.func @fresh_constant() -> tensor<4xf32> {
  %one = arith.constant dense<1.0> : tensor<4xf32>
  // FRESH: [[#@LINE+1]]:8: error: expected a parameter, got a constant
  %0 = tp.fresh %one : tensor<4xf32>
  return %0 : tensor<4xf32>
}
