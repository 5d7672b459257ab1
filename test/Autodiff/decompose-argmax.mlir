// tp.argmax becomes two reductions that may be partial: a maximum, and the minimum of the indices where it is.
// RUN: tpc-opt %s --tp-decompose-argmax | FileCheck %s
// RUN: tpc-opt %s --tp-decompose-argmax --test-print-sharding-rules -o %t | FileCheck %s --check-prefix=RULE

// RULE: linalg.generic (a,b), acc (a) -> (a); a=4, b=6 max;
// RULE: linalg.generic (a,b), (a), acc (a) -> (a); a=4, b=6 min;

// CHECK-LABEL: @greatest
// CHECK: %[[V:.*]] = linalg.generic
// CHECK: arith.maximumf
// CHECK: linalg.fill ins(%{{.*}} : i64)
// CHECK: %[[I:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[V]] : tensor<4x6xf32>, tensor<4xf32>)
// CHECK-DAG: arith.cmpf oeq
// CHECK-DAG: linalg.index 1
// CHECK: arith.minsi
// CHECK: return %[[V]], %[[I]]
func.func @greatest(%x: tensor<4x6xf32>) -> (tensor<4xf32>, tensor<4xi64>) {
  %0, %1 = tp.argmax %x dim 1 : tensor<4x6xf32> -> tensor<4xf32>, tensor<4xi64>
  return %0, %1 : tensor<4xf32>, tensor<4xi64>
}

// CHECK-LABEL: @least_integer
// CHECK: arith.constant 127 : i8
// CHECK: arith.minsi
// CHECK: arith.cmpi eq
// CHECK: linalg.index 0
func.func @least_integer(%x: tensor<4x6xi8>) -> (tensor<6xi8>, tensor<6xi32>) {
  %0, %1 = tp.argmax %x dim 0 minimum : tensor<4x6xi8> -> tensor<6xi8>, tensor<6xi32>
  return %0, %1 : tensor<6xi8>, tensor<6xi32>
}
