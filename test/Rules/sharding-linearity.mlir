// In which operands an elementwise body is linear: partial sums pass there.
// RUN: tpc-opt %s --test-print-sharding-rules -o /dev/null | FileCheck %s

#id = affine_map<(i) -> (i)>

// CHECK: linalg.add {{.*}}; linear {0,1};
// CHECK: linalg.sub {{.*}}; linear {0,1};
// CHECK: linalg.mul {{.*}}; linear {0} {1};
// CHECK: linalg.div {{.*}}; linear {0}; flops 16
// CHECK: linalg.negf {{.*}}; linear {0};
// CHECK: linalg.exp (a), shape (a) -> (a); a=4; flops 64
// CHECK: linalg.max (a), (a), shape (a) -> (a); a=4; flops 4
func.func @named(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.add ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.sub ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.mul ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %3 = linalg.div ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %4 = linalg.negf ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %5 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %6 = linalg.max ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return
}

// x + 1 is affine: every rank would add the 1.
// CHECK: linalg.generic (a), shape (a) -> (a); a=4; flops 4
func.func @constant_added_is_not_linear(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: f32, %out: f32):
    %1 = arith.addf %p, %one : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK: linalg.generic {{.*}} a=4; linear {0};
func.func @scaling_by_a_constant_is_linear(%x: tensor<4xf32>) -> tensor<4xf32> {
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: f32, %out: f32):
    %1 = arith.mulf %p, %half : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The condition depends on what would have to vary.
// CHECK: linalg.generic (a), shape (a) -> (a); a=4; flops 8
func.func @relu_is_not_linear(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: f32, %out: f32):
    %1 = arith.cmpf ugt, %p, %zero : f32
    %2 = arith.select %1, %p, %zero : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The backward of relu: linear in the cotangent, which decides nothing.
// CHECK: linalg.generic (a), (a), shape (a) -> (a); a=4; linear {1};
func.func @relu_backward_is_linear_in_the_cotangent(%x: tensor<4xf32>, %dy: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %dy : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %1 = arith.cmpf ugt, %p, %zero : f32
    %2 = arith.select %1, %q, %zero : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK: linalg.generic {{.*}} a=4; linear {0,2} {1,2};
func.func @fused_multiply_add(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]} ins(%x, %y, %z : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %out: f32):
    %1 = math.fma %p, %q, %r : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// (x + y) * x has x on both sides.
// CHECK: linalg.generic (a), (a), shape (a) -> (a); a=4; flops 8
func.func @product_of_dependent_values(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %1 = arith.addf %p, %q : f32
    %2 = arith.mulf %1, %p : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Widening a partial sum is exact, narrowing it rounds each part.
// CHECK: linalg.generic {{.*}} a=4; linear {0};
// CHECK: linalg.generic (a), shape (a) -> (a); a=4; flops 0
func.func @widening_is_linear_narrowing_is_not(%x: tensor<4xbf16>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xbf16>) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xbf16>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: bf16, %out: f32):
    %2 = arith.extf %p : bf16 to f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  %f = tensor.empty() : tensor<4xbf16>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : tensor<4xf32>) outs(%f : tensor<4xbf16>) {
  ^bb0(%p: f32, %out: bf16):
    %2 = arith.truncf %p : f32 to bf16
    linalg.yield %2 : bf16
  } -> tensor<4xbf16>
  return %0, %1 : tensor<4xf32>, tensor<4xbf16>
}

// Two results: linear where both are.
// CHECK: linalg.generic (a), (a), shape (a), shape (a) -> (a), (a); a=4; linear {0,1};
func.func @two_results(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %0:2 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]} ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e, %e : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32, %o0: f32, %o1: f32):
    %1 = arith.addf %p, %q : f32
    linalg.yield %1, %q : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// Integers wrap, which addition and multiplication respect.
// CHECK: linalg.generic {{.*}} a=4; linear {0,1};
// On i1 addition is an exclusive or.
// CHECK: linalg.generic (a), (a), shape (a) -> (a); a=4; flops 4
func.func @integers(%x: tensor<4xi32>, %y: tensor<4xi32>, %p: tensor<4xi1>, %q: tensor<4xi1>) -> (tensor<4xi32>, tensor<4xi1>) {
  %e = tensor.empty() : tensor<4xi32>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %y : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) {
  ^bb0(%a: i32, %b: i32, %out: i32):
    %2 = arith.addi %a, %b : i32
    linalg.yield %2 : i32
  } -> tensor<4xi32>
  %f = tensor.empty() : tensor<4xi1>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%p, %q : tensor<4xi1>, tensor<4xi1>) outs(%f : tensor<4xi1>) {
  ^bb0(%a: i1, %b: i1, %out: i1):
    %2 = arith.addi %a, %b : i1
    linalg.yield %2 : i1
  } -> tensor<4xi1>
  return %0, %1 : tensor<4xi32>, tensor<4xi1>
}

// A zero is a zero wherever it is placed.
// CHECK: linalg.generic (a,c), (c,b), acc (a,b) -> (a,b); a=4, b=4, c=4 sum; linear {0} {1};
tp.mesh @mesh ["tp" = 2]
#all = #tp.placement<@mesh, []>
#partial = #tp.placement<@mesh, [tp: P(sum)]>
func.func @placed_zero(%x: tensor<4x4xf32, #all>, %y: tensor<4x4xf32, #all>, %e: tensor<4x4xf32, #all>) -> tensor<4x4xf32, #partial> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32, #all>) -> tensor<4x4xf32, #all>
  %p = tp.to_partial %f over ["tp"] by "sum" : (tensor<4x4xf32, #all>) -> tensor<4x4xf32, #partial>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<4x4xf32, #all>, tensor<4x4xf32, #all>) outs(%p : tensor<4x4xf32, #partial>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x4xf32, #partial>
  return %0 : tensor<4x4xf32, #partial>
}
