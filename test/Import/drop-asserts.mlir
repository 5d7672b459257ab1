// Assertions go, wherever they are, and with them what only they needed.
// RUN: tpc-opt %s --tp-drop-asserts --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @in_functions_and_bodies
// CHECK-NOT: assert
// CHECK-NOT: cmpi
// CHECK: return
func.func @in_functions_and_bodies(%x: tensor<4xi64>, %y: tensor<4xi64>, %n: i64) -> tensor<4xi64> {
  %c0 = arith.constant 0 : i64
  %0 = arith.cmpi sge, %n, %c0 : i64
  cf.assert %0, "negative"
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xi64>) outs(%y : tensor<4xi64>) {
  ^bb0(%p: i64, %out: i64):
    %2 = arith.cmpi sge, %p, %c0 : i64
    cf.assert %2, "index must not be negative"
    linalg.yield %p : i64
  } -> tensor<4xi64>
  return %1 : tensor<4xi64>
}
