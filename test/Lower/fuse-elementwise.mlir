// Elementwise producers move into their consumers where that saves memory
// traffic and computes nothing expensive twice.
// RUN: tpc-opt %s --tp-fuse-elementwise --split-input-file | FileCheck %s
// RUN: tpc-opt %s --tp-fuse-elementwise=max-duplicated-cost=24 --split-input-file | FileCheck %s --check-prefix=GPU

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @producer_with_one_consumer
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
func.func @producer_with_one_consumer(%x: tensor<8x16xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = math.exp %p : f32
    linalg.yield %1 : f32
  } -> tensor<8x16xf32>
  %zero = arith.constant 0.0 : f32
  %r = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  %2 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%0 : tensor<8x16xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %3 = arith.addf %o, %p : f32
    linalg.yield %3 : f32
  } -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// A transcendental function with two consumers is computed once; on a GPU the
// exponential is computed twice sooner than kept.
// CHECK-LABEL: func.func @expensive_producer_with_two_consumers
// CHECK-COUNT-1: math.exp
// CHECK-NOT: math.exp
// GPU-LABEL: func.func @expensive_producer_with_two_consumers
// GPU-COUNT-2: math.exp
func.func @expensive_producer_with_two_consumers(%x: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %e = tensor.empty() : tensor<8x16xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = math.exp %p : f32
    linalg.yield %1 : f32
  } -> tensor<8x16xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %3 = arith.addf %p, %p : f32
    linalg.yield %3 : f32
  } -> tensor<8x16xf32>
  %4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %5 = arith.mulf %p, %p : f32
    linalg.yield %5 : f32
  } -> tensor<8x16xf32>
  return %2, %4 : tensor<8x16xf32>, tensor<8x16xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#vec = affine_map<(d0) -> (d0)>

// A root per row is not taken again for every element of the row.
// CHECK-LABEL: func.func @expensive_producer_of_a_broadcast
// CHECK: math.rsqrt
// CHECK: linalg.yield
// CHECK: linalg.generic
// CHECK: arith.mulf
func.func @expensive_producer_of_a_broadcast(%s: tensor<8xf32>, %x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %v = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%s : tensor<8xf32>) outs(%v : tensor<8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = math.rsqrt %p : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %e = tensor.empty() : tensor<8x16xf32>
  %2 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %0 : tensor<8x16xf32>, tensor<8xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %3 = arith.mulf %p, %q : f32
    linalg.yield %3 : f32
  } -> tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// A contraction stays a plain sum of products.
// CHECK-LABEL: func.func @nothing_fuses_into_a_contraction
// CHECK: arith.negf
// CHECK: linalg.yield
// CHECK: linalg.generic
// CHECK: arith.mulf
// CHECK-NEXT: arith.addf
func.func @nothing_fuses_into_a_contraction(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>, %init: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.negf %p : f32
    linalg.yield %1 : f32
  } -> tensor<8x16xf32>
  %2 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%0, %w : tensor<8x16xf32>, tensor<16x4xf32>) outs(%init : tensor<8x4xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %3 = arith.mulf %p, %q : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// -----

#vec = affine_map<(d0) -> (d0)>

// A producer that reads its init is not fused (upstream would lose the init).
// CHECK-LABEL: func.func @producer_that_reads_its_init
// CHECK-COUNT-2: linalg.generic
func.func @producer_that_reads_its_init(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.subf %p, %o : f32
    linalg.yield %1 : f32
  } -> tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %2 = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %3 = arith.mulf %p, %p : f32
    linalg.yield %3 : f32
  } -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// A hyperbolic tangent is kept there too.
// GPU-LABEL: func.func @dear_producer_with_two_consumers
// GPU-COUNT-1: math.tanh
// GPU-NOT: math.tanh
func.func @dear_producer_with_two_consumers(%x: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %e = tensor.empty() : tensor<8x16xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = math.tanh %p : f32
    linalg.yield %1 : f32
  } -> tensor<8x16xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %3 = arith.addf %p, %p : f32
    linalg.yield %3 : f32
  } -> tensor<8x16xf32>
  %4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%p: f32, %o: f32):
    %5 = arith.mulf %p, %p : f32
    linalg.yield %5 : f32
  } -> tensor<8x16xf32>
  return %2, %4 : tensor<8x16xf32>, tensor<8x16xf32>
}
