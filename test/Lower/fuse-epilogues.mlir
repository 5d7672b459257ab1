// Chains of elementwise operations behind a contraction become one, marked
// operation as far as one matmul call does them. Each function: what is marked.
// RUN: tpc-opt %s --tp-fuse-epilogues --canonicalize | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func @bias_and_relu
// CHECK: tp.epilogue
// CHECK: arith.addf
// CHECK-NEXT: arith.cmpf
// CHECK-NEXT: arith.select
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @bias_and_relu(%a: tensor<32x16xf32>, %b: tensor<16x64xf32>, %bias: tensor<64xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<32x16xf32>, tensor<16x64xf32>) outs(%init : tensor<32x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x64xf32>
  %1 = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %bias : tensor<32x64xf32>, tensor<64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%p0: f32, %p1: f32, %o: f32):
    %x = arith.addf %p0, %p1 : f32
    linalg.yield %x : f32
  } -> tensor<32x64xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%p0: f32, %o: f32):
    %c = arith.cmpf ugt, %p0, %zero : f32
    %x = arith.select %c, %p0, %zero : f32
    linalg.yield %x : f32
  } -> tensor<32x64xf32>
  return %2 : tensor<32x64xf32>
}

// CHECK-LABEL: func @tanh_gelu
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK-SAME: tp.epilogue
func.func @tanh_gelu(%a: tensor<32x16xf32>, %b: tensor<16x64xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<32x16xf32>, tensor<16x64xf32>) outs(%init : tensor<32x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x64xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%p0: f32, %o: f32):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %three = arith.constant 3.0 : f32
    %cube = arith.constant 4.471500e-02 : f32
    %root = arith.constant 0.797884583 : f32
    %g0 = math.powf %p0, %three : f32
    %g1 = arith.mulf %g0, %cube : f32
    %g2 = arith.addf %p0, %g1 : f32
    %g3 = arith.mulf %g2, %root : f32
    %g4 = math.tanh %g3 : f32
    %g5 = arith.addf %g4, %one : f32
    %g6 = arith.mulf %p0, %half : f32
    %g7 = arith.mulf %g6, %g5 : f32
    linalg.yield %g7 : f32
  } -> tensor<32x64xf32>
  return %1 : tensor<32x64xf32>
}

// CHECK-LABEL: func @bias_and_tanh_gelu
// CHECK: tp.epilogue
// CHECK: math.tanh
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @bias_and_tanh_gelu(%a: tensor<32x16xf32>, %b: tensor<16x64xf32>, %bias: tensor<64xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<32x16xf32>, tensor<16x64xf32>) outs(%init : tensor<32x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x64xf32>
  %1 = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %bias : tensor<32x64xf32>, tensor<64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%p0: f32, %p1: f32, %o: f32):
    %x = arith.addf %p0, %p1 : f32
    linalg.yield %x : f32
  } -> tensor<32x64xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%p0: f32, %o: f32):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %three = arith.constant 3.0 : f32
    %cube = arith.constant 4.471500e-02 : f32
    %root = arith.constant 0.797884583 : f32
    %g0 = math.powf %p0, %three : f32
    %g1 = arith.mulf %g0, %cube : f32
    %g2 = arith.addf %p0, %g1 : f32
    %g3 = arith.mulf %g2, %root : f32
    %g4 = math.tanh %g3 : f32
    %g5 = arith.addf %g4, %one : f32
    %g6 = arith.mulf %p0, %half : f32
    %g7 = arith.mulf %g6, %g5 : f32
    linalg.yield %g7 : f32
  } -> tensor<32x64xf32>
  return %2 : tensor<32x64xf32>
}

// The bias alone is.
// CHECK-LABEL: func @erf_gelu_is_no_epilogue
// CHECK: tp.epilogue
// CHECK-NEXT: bb0
// CHECK-NEXT: arith.addf
// CHECK-NEXT: linalg.yield
// CHECK: linalg.generic
// CHECK-NOT: tp.epilogue
// CHECK: math.erf
func.func @erf_gelu_is_no_epilogue(%a: tensor<32x16xf32>, %b: tensor<16x64xf32>, %bias: tensor<64xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<32x16xf32>, tensor<16x64xf32>) outs(%init : tensor<32x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x64xf32>
  %1 = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %bias : tensor<32x64xf32>, tensor<64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%p0: f32, %p1: f32, %o: f32):
    %x = arith.addf %p0, %p1 : f32
    linalg.yield %x : f32
  } -> tensor<32x64xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%p0: f32, %o: f32):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %root = arith.constant 0.707106769 : f32
    %g0 = arith.mulf %p0, %root : f32
    %g1 = math.erf %g0 : f32
    %g2 = arith.addf %g1, %one : f32
    %g3 = arith.mulf %p0, %half : f32
    %g4 = arith.mulf %g3, %g2 : f32
    linalg.yield %g4 : f32
  } -> tensor<32x64xf32>
  return %2 : tensor<32x64xf32>
}

// CHECK-LABEL: func @relu_up_to_six_is_no_epilogue
// CHECK-NOT: tp.epilogue
// CHECK: return
func.func @relu_up_to_six_is_no_epilogue(%a: tensor<32x16xf32>, %b: tensor<16x64xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<32x16xf32>, tensor<16x64xf32>) outs(%init : tensor<32x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x64xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%p0: f32, %o: f32):
    %six = arith.constant 6.0 : f32
    %x = arith.maximumf %p0, %zero : f32
    %y = arith.minimumf %x, %six : f32
    linalg.yield %y : f32
  } -> tensor<32x64xf32>
  return %1 : tensor<32x64xf32>
}

// CHECK-LABEL: func @relu_that_drops_nan_is_no_epilogue
// CHECK-NOT: tp.epilogue
// CHECK: return
func.func @relu_that_drops_nan_is_no_epilogue(%a: tensor<32x16xf32>, %b: tensor<16x64xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<32x16xf32>, tensor<16x64xf32>) outs(%init : tensor<32x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x64xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%p0: f32, %o: f32):
    %c = arith.cmpf ogt, %p0, %zero : f32
    %x = arith.select %c, %p0, %zero : f32
    linalg.yield %x : f32
  } -> tensor<32x64xf32>
  return %1 : tensor<32x64xf32>
}

// CHECK-LABEL: func @bias_per_row_is_no_epilogue
// CHECK-NOT: tp.epilogue
// CHECK: return
func.func @bias_per_row_is_no_epilogue(%a: tensor<32x16xf32>, %b: tensor<16x64xf32>, %bias: tensor<32xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<32x16xf32>, tensor<16x64xf32>) outs(%init : tensor<32x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x64xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %bias : tensor<32x64xf32>, tensor<32xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%p0: f32, %p1: f32, %o: f32):
    %x = arith.addf %p0, %p1 : f32
    linalg.yield %x : f32
  } -> tensor<32x64xf32>
  return %1 : tensor<32x64xf32>
}

// Written column by column, rows are the inner dim.
// CHECK-LABEL: func @bias_per_row_of_a_transposed_result
// CHECK: tp.epilogue
func.func @bias_per_row_of_a_transposed_result(%a: tensor<32x16xf32>, %b: tensor<16x64xf32>, %bias: tensor<32xf32>, %et: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<32x16xf32>, tensor<16x64xf32>) outs(%init : tensor<32x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x64xf32>
  %1 = linalg.generic {indexing_maps = [#col, #t, #id], iterator_types = ["parallel", "parallel"]} ins(%bias, %0 : tensor<32xf32>, tensor<32x64xf32>) outs(%et : tensor<64x32xf32>) {
  ^bb0(%p0: f32, %p1: f32, %o: f32):
    %x = arith.addf %p0, %p1 : f32
    linalg.yield %x : f32
  } -> tensor<64x32xf32>
  return %1 : tensor<64x32xf32>
}

// CHECK-LABEL: func @sum_that_others_read
// CHECK-NOT: tp.epilogue
// CHECK: return
func.func @sum_that_others_read(%a: tensor<32x16xf32>, %b: tensor<16x64xf32>, %bias: tensor<64xf32>) -> (tensor<32x64xf32>, tensor<32x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<32x16xf32>, tensor<16x64xf32>) outs(%init : tensor<32x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x64xf32>
  %1 = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %bias : tensor<32x64xf32>, tensor<64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%p0: f32, %p1: f32, %o: f32):
    %x = arith.addf %p0, %p1 : f32
    linalg.yield %x : f32
  } -> tensor<32x64xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%p0: f32, %o: f32):
    %c = arith.cmpf ugt, %p0, %zero : f32
    %x = arith.select %c, %p0, %zero : f32
    linalg.yield %x : f32
  } -> tensor<32x64xf32>
  return %1, %2 : tensor<32x64xf32>, tensor<32x64xf32>
}

// The derivative asks for the sign of the result.
// CHECK-LABEL: func @relu_and_its_derivative
// CHECK: %[[y:.*]] = linalg.generic {{.*}}tp.epilogue
// CHECK: arith.select
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[y]] : tensor<32x64xf32>, tensor<32x64xf32>)
func.func @relu_and_its_derivative(%a: tensor<32x16xf32>, %b: tensor<16x64xf32>, %bias: tensor<64xf32>, %g: tensor<32x64xf32>) -> (tensor<32x64xf32>, tensor<32x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<32x16xf32>, tensor<16x64xf32>) outs(%init : tensor<32x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x64xf32>
  %1 = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %bias : tensor<32x64xf32>, tensor<64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%p0: f32, %p1: f32, %o: f32):
    %x = arith.addf %p0, %p1 : f32
    linalg.yield %x : f32
  } -> tensor<32x64xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%p0: f32, %o: f32):
    %c = arith.cmpf ugt, %p0, %zero : f32
    %x = arith.select %c, %p0, %zero : f32
    linalg.yield %x : f32
  } -> tensor<32x64xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%g, %1 : tensor<32x64xf32>, tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%p0: f32, %p1: f32, %o: f32):
    %c = arith.cmpf ugt, %p1, %zero : f32
    %x = arith.select %c, %p0, %zero : f32
    linalg.yield %x : f32
  } -> tensor<32x64xf32>
  return %2, %3 : tensor<32x64xf32>, tensor<32x64xf32>
}

// CHECK-LABEL: func @added_to_something
// CHECK-NOT: tp.epilogue
// CHECK: return
func.func @added_to_something(%a: tensor<32x16xf32>, %b: tensor<16x64xf32>, %bias: tensor<64xf32>, %start: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<32x16xf32>, tensor<16x64xf32>) outs(%start : tensor<32x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x64xf32>
  %1 = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %bias : tensor<32x64xf32>, tensor<64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%p0: f32, %p1: f32, %o: f32):
    %x = arith.addf %p0, %p1 : f32
    linalg.yield %x : f32
  } -> tensor<32x64xf32>
  return %1 : tensor<32x64xf32>
}

// An f32 sum of bf16 products, a bf16 bias that was widened, and a result that
// is rounded, through a reshape: only all of it together is an epilogue.
// CHECK-LABEL: func @rounded
// CHECK-SAME: %[[bias:[a-z0-9]*]]: tensor<64xbf16>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[bias]] : tensor<32x64xf32>, tensor<64xbf16>) outs(%{{.*}} : tensor<32x64xbf16>) attrs = {tp.epilogue = 2 : i32}
// CHECK: arith.extf
// CHECK: arith.addf
// CHECK: arith.truncf
// CHECK: tensor.expand_shape %{{.*}} : tensor<32x64xbf16> into tensor<4x8x64xbf16>
// CHECK-NEXT: return
func.func @rounded(%a: tensor<32x16xbf16>, %b: tensor<16x64xbf16>, %bias: tensor<64xbf16>) -> tensor<4x8x64xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<32x16xbf16>, tensor<16x64xbf16>) outs(%init : tensor<32x64xf32>) {
  ^bb0(%p: bf16, %q: bf16, %o: f32):
    %x = arith.extf %p : bf16 to f32
    %y = arith.extf %q : bf16 to f32
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x64xf32>
  %eb = tensor.empty() : tensor<64xf32>
  %wide = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%bias : tensor<64xbf16>) outs(%eb : tensor<64xf32>) {
  ^bb0(%p: bf16, %o: f32):
    %x = arith.extf %p : bf16 to f32
    linalg.yield %x : f32
  } -> tensor<64xf32>
  %1 = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %wide : tensor<32x64xf32>, tensor<64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %x = arith.addf %p, %q : f32
    linalg.yield %x : f32
  } -> tensor<32x64xf32>
  %2 = tensor.expand_shape %1 [[0, 1], [2]] output_shape [4, 8, 64] : tensor<32x64xf32> into tensor<4x8x64xf32>
  %en = tensor.empty() : tensor<4x8x64xbf16>
  %3 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2 : tensor<4x8x64xf32>) outs(%en : tensor<4x8x64xbf16>) {
  ^bb0(%p: f32, %o: bf16):
    %x = arith.truncf %p : f32 to bf16
    linalg.yield %x : bf16
  } -> tensor<4x8x64xbf16>
  return %3 : tensor<4x8x64xbf16>
}

// The bias is what the product starts from.
// CHECK-LABEL: func @starts_from_a_bias
// CHECK: linalg.fill
// CHECK: tp.epilogue = 2
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @starts_from_a_bias(%a: tensor<32x16xf32>, %b: tensor<16x64xf32>, %bias: tensor<64xf32>) -> tensor<32x64xf32> {
  %e = tensor.empty() : tensor<32x64xf32>
  %init = linalg.generic {indexing_maps = [#col, #id], iterator_types = ["parallel", "parallel"]} ins(%bias : tensor<64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%p0: f32, %o: f32):
    linalg.yield %p0 : f32
  } -> tensor<32x64xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<32x16xf32>, tensor<16x64xf32>) outs(%init : tensor<32x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}

// Along the rows no epilogue adds it.
// CHECK-LABEL: func @starts_from_a_bias_per_row
// CHECK-NOT: tp.epilogue
// CHECK: return
func.func @starts_from_a_bias_per_row(%a: tensor<32x16xf32>, %b: tensor<16x64xf32>, %bias: tensor<32xf32>) -> tensor<32x64xf32> {
  %e = tensor.empty() : tensor<32x64xf32>
  %init = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%bias : tensor<32xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%p0: f32, %o: f32):
    linalg.yield %p0 : f32
  } -> tensor<32x64xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<32x16xf32>, tensor<16x64xf32>) outs(%init : tensor<32x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}
