// How a row reduction is joined across ranks, by the combiner of its body.
// RUN: tpc-opt %s --test-print-sharding-rules -o /dev/null | FileCheck %s

#row = affine_map<(i, j) -> (i, j)>
#out = affine_map<(i, j) -> (i)>

// CHECK: linalg.generic (a,b), acc (a) -> (a); a=4, b=8 sum; linear {0,1}; flops 32
func.func @sum(%x: tensor<4x8xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [#row, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.addf %p, %o : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK: linalg.generic (a,b), acc (a) -> (a); a=4, b=8 sum; linear {0,1};
func.func @sum_of_integers(%x: tensor<4x8xi32>, %init: tensor<4xi32>) -> tensor<4xi32> {
  %0 = linalg.generic {indexing_maps = [#row, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xi32>) outs(%init : tensor<4xi32>) {
  ^bb0(%p: i32, %o: i32):
    %1 = arith.addi %p, %o : i32
    linalg.yield %1 : i32
  } -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK: linalg.generic (a,b), acc (a) -> (a); a=4, b=8 prod; flops 32
func.func @product(%x: tensor<4x8xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [#row, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.mulf %p, %o : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK: linalg.generic (a,b), acc (a) -> (a); a=4, b=8 max; flops 32
func.func @maximum(%x: tensor<4x8xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [#row, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.maximumf %p, %o : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK: linalg.generic (a,b), acc (a) -> (a); a=4, b=8 max;
func.func @maximum_without_nan(%x: tensor<4x8xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [#row, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.maxnumf %p, %o : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK: linalg.generic (a,b), acc (a) -> (a); a=4, b=8 min;
func.func @minimum(%x: tensor<4x8xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [#row, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.minimumf %p, %o : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK: linalg.generic (a,b), acc (a) -> (a); a=4, b=8 max;
func.func @maximum_of_integers(%x: tensor<4x8xi64>, %init: tensor<4xi64>) -> tensor<4xi64> {
  %0 = linalg.generic {indexing_maps = [#row, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xi64>) outs(%init : tensor<4xi64>) {
  ^bb0(%p: i64, %o: i64):
    %1 = arith.maxsi %p, %o : i64
    linalg.yield %1 : i64
  } -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// CHECK: linalg.generic (a,b), acc (a) -> (a); a=4, b=8 min;
func.func @minimum_of_integers(%x: tensor<4x8xi64>, %init: tensor<4xi64>) -> tensor<4xi64> {
  %0 = linalg.generic {indexing_maps = [#row, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xi64>) outs(%init : tensor<4xi64>) {
  ^bb0(%p: i64, %o: i64):
    %1 = arith.minsi %p, %o : i64
    linalg.yield %1 : i64
  } -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// CHECK: linalg.generic (a,b), acc (a) -> (a); a=4, b=8 and;
func.func @all(%x: tensor<4x8xi1>, %init: tensor<4xi1>) -> tensor<4xi1> {
  %0 = linalg.generic {indexing_maps = [#row, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xi1>) outs(%init : tensor<4xi1>) {
  ^bb0(%p: i1, %o: i1):
    %1 = arith.andi %p, %o : i1
    linalg.yield %1 : i1
  } -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// CHECK: linalg.generic (a,b), acc (a) -> (a); a=4, b=8 or;
func.func @any(%x: tensor<4x8xi1>, %init: tensor<4xi1>) -> tensor<4xi1> {
  %0 = linalg.generic {indexing_maps = [#row, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xi1>) outs(%init : tensor<4xi1>) {
  ^bb0(%p: i1, %o: i1):
    %1 = arith.ori %p, %o : i1
    linalg.yield %1 : i1
  } -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// Ranks compare integers as signed ones.
// CHECK: linalg.generic (a,b), acc (a) -> (a); a=4, b=8!; flops 32
func.func @unsigned_maximum(%x: tensor<4x8xi32>, %init: tensor<4xi32>) -> tensor<4xi32> {
  %0 = linalg.generic {indexing_maps = [#row, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xi32>) outs(%init : tensor<4xi32>) {
  ^bb0(%p: i32, %o: i32):
    %1 = arith.maxui %p, %o : i32
    linalg.yield %1 : i32
  } -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK: linalg.generic (a,b), acc (a) -> (a); a=4, b=8!; flops 32
func.func @exclusive_or(%x: tensor<4x8xi32>, %init: tensor<4xi32>) -> tensor<4xi32> {
  %0 = linalg.generic {indexing_maps = [#row, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xi32>) outs(%init : tensor<4xi32>) {
  ^bb0(%p: i32, %o: i32):
    %1 = arith.xori %p, %o : i32
    linalg.yield %1 : i32
  } -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// Reduces over ranks, but is not linear in its operand.
// CHECK: linalg.generic (a,b), acc (a) -> (a); a=4, b=8 sum; flops 544
func.func @sum_of_exponentials(%x: tensor<4x8xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [#row, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = math.exp %p : f32
    %2 = arith.addf %1, %o : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The contribution reads what was accumulated before.
// CHECK: linalg.generic (a,b), acc (a) -> (a); a=4, b=8!; flops 64
func.func @horner(%x: tensor<4x8xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [#row, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.mulf %o, %p : f32
    %2 = arith.addf %1, %p : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The last element wins: not a reduction.
// CHECK: linalg.generic (a,b), shape (a) -> (a); a=4, b=8!;
func.func @overwrite(%x: tensor<4x8xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [#row, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The largest element and its place are found together: the places of two ranks
// are joined by no reduction.
// CHECK: linalg.generic (a,b), acc (a), acc (a) -> (a), (a); a=4, b=8!;
func.func @argmax(%x: tensor<4x8xf32>, %v: tensor<4xf32>, %i: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xi64>) {
  %0:2 = linalg.generic {indexing_maps = [#row, #out, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%v, %i : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%p: f32, %o: f32, %oi: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %m = arith.maximumf %p, %o : f32
    %c = arith.cmpf ogt, %p, %o : f32
    %n = arith.select %c, %k, %oi : i64
    linalg.yield %m, %n : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xi64>
}

// Two sums of one reading of the rows.
// CHECK: linalg.generic (a,b), acc (a), acc (a) -> (a), (a); a=4, b=8 sum; flops 96
func.func @sum_and_sum_of_squares(%x: tensor<4x8xf32>, %v: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = linalg.generic {indexing_maps = [#row, #out, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%v, %v : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32, %q: f32):
    %1 = arith.addf %p, %o : f32
    %2 = arith.mulf %p, %p : f32
    %3 = arith.addf %2, %q : f32
    linalg.yield %1, %3 : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// A maximum and a sum together cannot be joined by one reduction.
// CHECK: linalg.generic (a,b), acc (a), acc (a) -> (a), (a); a=4, b=8!;
func.func @sum_and_maximum(%x: tensor<4x8xf32>, %v: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = linalg.generic {indexing_maps = [#row, #out, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x8xf32>) outs(%v, %v : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32, %q: f32):
    %1 = arith.addf %p, %o : f32
    %2 = arith.maximumf %p, %q : f32
    linalg.yield %1, %2 : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// One result keeps the loop along which the other is written again and again.
// CHECK: linalg.generic (a,b), shape (a,b), shape (a) -> (a,b), (a); a=4, b=8!;
func.func @result_without_a_parallel_loop(%x: tensor<4x8xf32>, %w: tensor<4x8xf32>, %v: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %0:2 = linalg.generic {indexing_maps = [#row, #row, #out], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%w, %v : tensor<4x8xf32>, tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32, %q: f32):
    linalg.yield %p, %p : f32, f32
  } -> (tensor<4x8xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4x8xf32>, tensor<4xf32>
}
