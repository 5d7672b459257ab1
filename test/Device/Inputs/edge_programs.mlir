// What is at the edges of kernels: nothing to do, one element, no dims, many of
// them, types of odd sizes, and values that are no numbers.

#v = affine_map<(d0) -> (d0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#scalar = affine_map<() -> ()>

func.func @scalars(%x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<i1>) {
  %e = tensor.empty() : tensor<f32>
  %f = tensor.empty() : tensor<i1>
  %0 = linalg.generic {indexing_maps = [#scalar, #scalar, #scalar], iterator_types = []} ins(%x, %y : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %2 = arith.mulf %p, %q : f32
    linalg.yield %2 : f32
  } -> tensor<f32>
  %1 = linalg.generic {indexing_maps = [#scalar, #scalar, #scalar], iterator_types = []} ins(%x, %y : tensor<f32>, tensor<f32>) outs(%f : tensor<i1>) {
  ^bb0(%p: f32, %q: f32, %o: i1):
    %2 = arith.cmpf olt, %p, %q : f32
    linalg.yield %2 : i1
  } -> tensor<i1>
  return %0, %1 : tensor<f32>, tensor<i1>
}

// Sums of nothing are what they start from.
func.func @sums_of_nothing(%x: tensor<7x0xf32>, %y: tensor<0x7xf32>, %s: tensor<7xf32>) -> (tensor<7xf32>, tensor<7xf32>) {
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<7x0xf32>) outs(%s : tensor<7xf32>) {
  ^bb0(%p: f32, %o: f32):
    %2 = arith.addf %o, %p : f32
    linalg.yield %2 : f32
  } -> tensor<7xf32>
  %1 = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%y : tensor<0x7xf32>) outs(%s : tensor<7xf32>) {
  ^bb0(%p: f32, %o: f32):
    %2 = arith.maximumf %o, %p : f32
    linalg.yield %2 : f32
  } -> tensor<7xf32>
  return %0, %1 : tensor<7xf32>, tensor<7xf32>
}

func.func @sums_of_one(%x: tensor<1x1xf32>, %y: tensor<40x1xf32>, %s: tensor<40xf32>) -> (tensor<f32>, tensor<40xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %0 = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<1x1xf32>) outs(%f : tensor<f32>) {
  ^bb0(%p: f32, %o: f32):
    %2 = arith.addf %o, %p : f32
    linalg.yield %2 : f32
  } -> tensor<f32>
  %1 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<40x1xf32>) outs(%s : tensor<40xf32>) {
  ^bb0(%p: f32, %o: f32):
    %2 = arith.addf %o, %p : f32
    linalg.yield %2 : f32
  } -> tensor<40xf32>
  return %0, %1 : tensor<f32>, tensor<40xf32>
}

func.func @six_dims(%x: tensor<3x5x2x9x4x33xi8>, %y: tensor<3x5x2x9x4x33xi16>) -> (tensor<33x4x9x2x5x3xi8>, tensor<5x3x2x33x4x9xi16>) {
  %e = tensor.empty() : tensor<33x4x9x2x5x3xi8>
  %f = tensor.empty() : tensor<5x3x2x33x4x9xi16>
  %0 = linalg.transpose ins(%x : tensor<3x5x2x9x4x33xi8>) outs(%e : tensor<33x4x9x2x5x3xi8>) permutation = [5, 4, 3, 2, 1, 0]
  %1 = linalg.transpose ins(%y : tensor<3x5x2x9x4x33xi16>) outs(%f : tensor<5x3x2x33x4x9xi16>) permutation = [1, 0, 2, 5, 4, 3]
  return %0, %1 : tensor<33x4x9x2x5x3xi8>, tensor<5x3x2x33x4x9xi16>
}

// A sum over four of six dims, with rows and columns among them.
func.func @six_dim_sums(%x: tensor<3x5x2x9x4x33xf32>, %s: tensor<5x9xf32>) -> tensor<5x9xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d, e, f) -> (a, b, c, d, e, f)>, affine_map<(a, b, c, d, e, f) -> (b, d)>], iterator_types = ["reduction", "parallel", "reduction", "parallel", "reduction", "reduction"]} ins(%x : tensor<3x5x2x9x4x33xf32>) outs(%s : tensor<5x9xf32>) {
  ^bb0(%p: f32, %o: f32):
    %1 = arith.addf %o, %p : f32
    linalg.yield %1 : f32
  } -> tensor<5x9xf32>
  return %0 : tensor<5x9xf32>
}

func.func @masks(%m: tensor<33x65xi1>, %x: tensor<33x65xf16>, %y: tensor<65x33xi1>) -> (tensor<33x65xf16>, tensor<33x65xi1>, tensor<33xi1>) {
  %zero = arith.constant 0.0 : f16
  %yes = arith.constant true
  %e = tensor.empty() : tensor<33x65xf16>
  %f = tensor.empty() : tensor<33x65xi1>
  %g = tensor.empty() : tensor<33xi1>
  %h = linalg.fill ins(%yes : i1) outs(%g : tensor<33xi1>) -> tensor<33xi1>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%m, %x : tensor<33x65xi1>, tensor<33x65xf16>) outs(%e : tensor<33x65xf16>) {
  ^bb0(%p: i1, %q: f16, %o: f16):
    %3 = arith.select %p, %q, %zero : f16
    linalg.yield %3 : f16
  } -> tensor<33x65xf16>
  %1 = linalg.transpose ins(%y : tensor<65x33xi1>) outs(%f : tensor<33x65xi1>) permutation = [1, 0]
  %2 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%m : tensor<33x65xi1>) outs(%h : tensor<33xi1>) {
  ^bb0(%p: i1, %o: i1):
    %3 = arith.andi %o, %p : i1
    linalg.yield %3 : i1
  } -> tensor<33xi1>
  return %0, %1, %2 : tensor<33x65xf16>, tensor<33x65xi1>, tensor<33xi1>
}

// Maxima and minima over rows of bf16 with a NaN, an infinity, zeros of both
// signs; sums of f16 that leave its range.
func.func @no_numbers(%x: tensor<4x40xbf16>, %y: tensor<4x40xf16>) -> (tensor<4xbf16>, tensor<4xbf16>, tensor<4xf16>, tensor<4x40xbf16>) {
  %special = arith.constant dense<[[0x7FC0], [0x7F80], [0xFF80], [0x8000]]> : tensor<4x1xbf16>
  %large = arith.constant 6.0e+04 : f16
  %low = arith.constant 0xFF80 : bf16
  %high = arith.constant 0x7F80 : bf16
  %none = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<4xbf16>
  %f = tensor.empty() : tensor<4xf16>
  %g = tensor.empty() : tensor<4x40xbf16>
  %h = tensor.empty() : tensor<4x40xf16>
  %lows = linalg.fill ins(%low : bf16) outs(%e : tensor<4xbf16>) -> tensor<4xbf16>
  %highs = linalg.fill ins(%high : bf16) outs(%e : tensor<4xbf16>) -> tensor<4xbf16>
  %nones = linalg.fill ins(%none : f16) outs(%f : tensor<4xf16>) -> tensor<4xf16>
  %mixed = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0, 0)>, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %special : tensor<4x40xbf16>, tensor<4x1xbf16>) outs(%g : tensor<4x40xbf16>) {
  ^bb0(%p: bf16, %q: bf16, %o: bf16):
    %j = linalg.index 1 : index
    %17 = arith.constant 17 : index
    %c = arith.cmpi eq, %j, %17 : index
    %r = arith.select %c, %q, %p : bf16
    linalg.yield %r : bf16
  } -> tensor<4x40xbf16>
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%mixed : tensor<4x40xbf16>) outs(%lows : tensor<4xbf16>) {
  ^bb0(%p: bf16, %o: bf16):
    %r = arith.maximumf %o, %p : bf16
    linalg.yield %r : bf16
  } -> tensor<4xbf16>
  %1 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%mixed : tensor<4x40xbf16>) outs(%highs : tensor<4xbf16>) {
  ^bb0(%p: bf16, %o: bf16):
    %r = arith.minimumf %o, %p : bf16
    linalg.yield %r : bf16
  } -> tensor<4xbf16>
  %2 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<4x40xf16>) outs(%nones : tensor<4xf16>) {
  ^bb0(%p: f16, %o: f16):
    %z = arith.mulf %p, %none : f16
    %l = arith.addf %z, %large : f16
    %r = arith.addf %o, %l : f16
    linalg.yield %r : f16
  } -> tensor<4xf16>
  return %0, %1, %2, %mixed : tensor<4xbf16>, tensor<4xbf16>, tensor<4xf16>, tensor<4x40xbf16>
}

// The first NaN of a row, by a body that takes it for the greatest.
func.func @first_nan(%x: tensor<3x100xf32>) -> tensor<3xi64> {
  %special = arith.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000]> : tensor<3xf32>
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %g = tensor.empty() : tensor<3x100xf32>
  %e = tensor.empty() : tensor<3xf32>
  %f = tensor.empty() : tensor<3xi64>
  %mixed = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %special : tensor<3x100xf32>, tensor<3xf32>) outs(%g : tensor<3x100xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %j = linalg.index 1 : index
    %n = arith.constant 29 : index
    %m = arith.remui %j, %n : index
    %k = arith.constant 7 : index
    %c = arith.cmpi eq, %m, %k : index
    %r = arith.select %c, %q, %p : f32
    linalg.yield %r : f32
  } -> tensor<3x100xf32>
  %a = linalg.fill ins(%low : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %b = linalg.fill ins(%zero : i64) outs(%f : tensor<3xi64>) -> tensor<3xi64>
  %0:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%mixed : tensor<3x100xf32>) outs(%a, %b : tensor<3xf32>, tensor<3xi64>) {
  ^bb0(%p: f32, %o: f32, %q: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %more = arith.cmpf ogt, %o, %p : f32
    %none = arith.cmpf une, %o, %o : f32
    %keep = arith.ori %more, %none : i1
    %same = arith.cmpf oeq, %o, %p : f32
    %first = arith.cmpi slt, %q, %j : i64
    %tie = arith.andi %same, %first : i1
    %keeps = arith.ori %keep, %tie : i1
    %v = arith.select %keep, %o, %p : f32
    %w = arith.select %keeps, %q, %j : i64
    linalg.yield %v, %w : f32, i64
  } -> (tensor<3xf32>, tensor<3xi64>)
  return %0#1 : tensor<3xi64>
}

// A sum that another one reads as it grows.
func.func @sum_of_sums(%x: tensor<4x100xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x100xf32>) outs(%f,%f : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %s: f32, %t: f32):
    %s1 = arith.addf %s, %a : f32
    %t1 = arith.addf %t, %s1 : f32
    linalg.yield %s1, %t1 : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// The same, down columns.
func.func @column_sum_of_sums(%x: tensor<100x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #column, #column], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<100x4xf32>) outs(%f,%f : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %s: f32, %t: f32):
    %s1 = arith.addf %s, %a : f32
    %t1 = arith.addf %t, %s1 : f32
    linalg.yield %s1, %t1 : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// A largest sum so far, of 16-bit numbers.
func.func @largest_sum_so_far(%x: tensor<4x100xf16>) -> (tensor<4xf16>, tensor<4xf32>) {
  %z = arith.constant 0.0 : f16
  %z32 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf16>
  %g = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%z : f16) outs(%e : tensor<4xf16>) -> tensor<4xf16>
  %f2 = linalg.fill ins(%z32 : f32) outs(%g : tensor<4xf32>) -> tensor<4xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x100xf16>) outs(%f,%f2 : tensor<4xf16>, tensor<4xf32>) {
  ^bb0(%a: f16, %s: f16, %t: f32):
    %s1 = arith.addf %s, %a : f16
    %w = arith.extf %s1 : f16 to f32
    %t1 = arith.maximumf %t, %w : f32
    linalg.yield %s1, %t1 : f16, f32
  } -> (tensor<4xf16>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<4xf16>, tensor<4xf32>
}

// Recurrences over one long row each, several of which would fill more than
// the shared memory of a block.
func.func @recurrences(%x: tensor<64x5000xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x5000xf32>) outs(%f : tensor<64xf32>) {
  ^bb0(%a: f32, %s: f32):
    %h = arith.constant 0.5 : f32
    %m = arith.mulf %s, %h : f32
    %s1 = arith.addf %m, %a : f32
    linalg.yield %s1 : f32
  } -> tensor<64xf32>
  %q = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %r : tensor<64x5000xf32>, tensor<64xf32>) outs(%f : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %h = arith.constant 0.25 : f32
    %m = arith.mulf %s, %h : f32
    %p = arith.mulf %a, %b : f32
    %s1 = arith.addf %m, %p : f32
    linalg.yield %s1 : f32
  } -> tensor<64xf32>
  return %r, %q : tensor<64xf32>, tensor<64xf32>
}

// What lies across is turned in shared memory, diagonals are not.
func.func @diagonals(%x: tensor<65x65xf64>, %y: tensor<65x65xf64>) -> tensor<65x65xf64> {
  %e = tensor.empty() : tensor<65x65xf64>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1, d1)>, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<65x65xf64>, tensor<65x65xf64>) outs(%e : tensor<65x65xf64>) {
  ^bb0(%p: f64, %q: f64, %o: f64):
    %1 = arith.subf %p, %q : f64
    linalg.yield %1 : f64
  } -> tensor<65x65xf64>
  return %0 : tensor<65x65xf64>
}
