// The attributes users write on arguments and results.
// RUN: tpc-opt %s | tpc-opt | FileCheck %s

tp.mesh @mesh ["dp" = 2, "tp" = 4]

// CHECK-LABEL: func.func @all_of_them
// CHECK-SAME: {tp.donate, tp.grad, tp.name = "layers.0.w1", tp.param, tp.placement = #tp.placement<@mesh, [tp: S(0), dp: S(0)]>, tp.use = #tp.placement<@mesh, [tp: S(0)]>}
// CHECK-SAME: {tp.placement = #tp.placement<@mesh, [tp: P(sum)]>}
// CHECK-SAME: -> (tensor<8x4xf32> {tp.name = "layers.0.w1", tp.placement = #R})
func.func @all_of_them(
    %w: tensor<8x4xf32> {tp.name = "layers.0.w1", tp.param, tp.grad, tp.donate,
                         tp.placement = #tp.placement<@mesh, [tp: S(0), dp: S(0)]>,
                         tp.use = #tp.placement<@mesh, [tp: S(0), dp: R]>},
    %partial_argument: tensor<4xf32> {tp.placement = #tp.placement<@mesh, [tp: P(sum)]>})
    -> (tensor<8x4xf32> {tp.name = "layers.0.w1", tp.placement = #tp.placement<@mesh, []>}) {
  return %w : tensor<8x4xf32>
}

// CHECK-LABEL: func.func private @on_a_declaration
// CHECK-SAME: tensor<4xf32> {tp.name = "x", tp.placement = #R}
func.func private @on_a_declaration(tensor<4xf32> {tp.name = "x", tp.placement = #tp.placement<@mesh, [tp: R]>})
