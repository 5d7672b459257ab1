// RUN: tpc-opt %s | tpc-opt | FileCheck %s

#rows = #tp.placement<@mesh, [tp: S(0)]>
#strided = #tp.placement<@mesh, [tp: S(0), dp: S(0)]>
#part = #tp.placement<@mesh, [dp: P(sum)]>
tp.mesh @mesh ["dp" = 2, "tp" = 4]

// CHECK-LABEL: func.func @chain
// CHECK: %[[A:.*]] = tp.redistribute %{{.*}} : tensor<8x4xf32, #S0_tp> -> tensor<8x4xf32, #S0_tp_S0_dp>
// CHECK: tp.redistribute %[[A]] {tp.phase = "backward", tp.value = "x", tp.why = "because"} : tensor<8x4xf32, #S0_tp_S0_dp> -> tensor<8x4xf32, #Psum_dp>
func.func @chain(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #part> {
  %0 = tp.redistribute %x : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #strided>
  %1 = tp.redistribute %0 {tp.phase = "backward", tp.why = "because", tp.value = "x"} : tensor<8x4xf32, #strided> -> tensor<8x4xf32, #part>
  return %1 : tensor<8x4xf32, #part>
}
