// No rank divides integers by what padding may hold: processors trap on it.
// RUN: tpc-opt %s --tp-partition --canonicalize | FileCheck %s

#rows = #tp.placement<@mesh, [tp: S(0)]>
#id = affine_map<(d0) -> (d0)>
tp.mesh @mesh ["tp" = 2]

// By zero, and the least number by minus one.
// CHECK-LABEL: func.func @signed
// CHECK: ^bb0(%[[X:.*]]: i32, %[[Y:.*]]: i32, %{{.*}}: i32):
// CHECK-DAG: %[[ZERO:.*]] = arith.cmpi eq, %[[Y]], %c0_i32
// CHECK-DAG: %[[MINUS:.*]] = arith.cmpi eq, %[[Y]], %c-1_i32
// CHECK-DAG: %[[LEAST:.*]] = arith.cmpi eq, %[[X]], %c-2147483648_i32
// CHECK: %[[OVERFLOWS:.*]] = arith.andi %[[MINUS]], %[[LEAST]]
// CHECK: %[[TRAPS:.*]] = arith.ori %[[ZERO]], %[[OVERFLOWS]]
// CHECK: %[[DIVISOR:.*]] = arith.select %[[TRAPS]], %c1_i32, %[[Y]]
// CHECK: arith.floordivsi %[[X]], %[[DIVISOR]]
func.func @signed(%x: tensor<5xi32, #rows>, %y: tensor<5xi32, #rows>) -> tensor<5xi32, #rows> {
  %empty = tensor.empty() : tensor<5xi32, #rows>
  %z = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %y : tensor<5xi32, #rows>, tensor<5xi32, #rows>) outs(%empty : tensor<5xi32, #rows>) {
  ^bb0(%p: i32, %q: i32, %o: i32):
    %0 = arith.floordivsi %p, %q : i32
    linalg.yield %0 : i32
  } -> tensor<5xi32, #rows>
  return %z : tensor<5xi32, #rows>
}

// CHECK-LABEL: func.func @unsigned
// CHECK: ^bb0(%[[X:.*]]: i8, %[[Y:.*]]: i8, %{{.*}}: i8):
// CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[Y]], %c0_i8
// CHECK: %[[DIVISOR:.*]] = arith.select %[[ZERO]], %c1_i8, %[[Y]]
// CHECK: arith.remui %[[X]], %[[DIVISOR]]
func.func @unsigned(%x: tensor<5xi8, #rows>, %y: tensor<5xi8, #rows>) -> tensor<5xi8, #rows> {
  %empty = tensor.empty() : tensor<5xi8, #rows>
  %z = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %y : tensor<5xi8, #rows>, tensor<5xi8, #rows>) outs(%empty : tensor<5xi8, #rows>) {
  ^bb0(%p: i8, %q: i8, %o: i8):
    %0 = arith.remui %p, %q : i8
    linalg.yield %0 : i8
  } -> tensor<5xi8, #rows>
  return %z : tensor<5xi8, #rows>
}

// A constant divisor is what it is.
// CHECK-LABEL: func.func @by_constant
// CHECK-NOT: arith.select
// CHECK: arith.divsi %{{.*}}, %c3_i32
func.func @by_constant(%x: tensor<5xi32, #rows>) -> tensor<5xi32, #rows> {
  %three = arith.constant 3 : i32
  %empty = tensor.empty() : tensor<5xi32, #rows>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<5xi32, #rows>) outs(%empty : tensor<5xi32, #rows>) {
  ^bb0(%p: i32, %o: i32):
    %0 = arith.divsi %p, %three : i32
    linalg.yield %0 : i32
  } -> tensor<5xi32, #rows>
  return %z : tensor<5xi32, #rows>
}
