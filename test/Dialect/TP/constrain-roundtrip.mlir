// RUN: tpc-opt %s | tpc-opt | FileCheck %s

#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["dp" = 2, "tp" = 4]

// CHECK-LABEL: func.func @pins
// CHECK: tp.constrain %{{.*}} to #S0_tp : tensor<8x4xf32>
// CHECK: tp.constrain %{{.*}} to #S0_tp cotangent #Psum_tp {note = "x"} : tensor<8x4xf32>
// CHECK: tp.constrain %{{.*}} to #R : tensor<8x4xf32, #S0_tp>
func.func @pins(%x: tensor<8x4xf32>, %y: tensor<8x4xf32, #rows>) {
  %0 = tp.constrain %x to <@mesh, [tp: S(0)]> : tensor<8x4xf32>
  %1 = tp.constrain %0 to #rows cotangent <@mesh, [tp: P(sum)]> {note = "x"} : tensor<8x4xf32>
  %2 = tp.constrain %y to <@mesh, []> : tensor<8x4xf32, #rows>
  return
}
