// What looks like an activation or its derivative at many numbers, or nearly
// so, and is another thing: bounds, masks, infinite factors. Nothing is marked.
// RUN: tpc-opt %s --tp-fuse-epilogues --canonicalize | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#v = affine_map<(d0) -> (d0)>

// The derivative of min(max(x, 0), 6).
// CHECK-LABEL: func @gradient_of_relu6
// CHECK-NOT: tp.epilogue
// CHECK: return
func.func @gradient_of_relu6(%a: tensor<16x32xf32>, %b: tensor<32x128xf32>, %x: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x128xf32>) -> tensor<16x128xf32>
  %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<16x32xf32>, tensor<32x128xf32>) outs(%z : tensor<16x128xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %1 = arith.mulf %i, %j : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x128xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %x : tensor<16x128xf32>, tensor<16x128xf32>) outs(%e : tensor<16x128xf32>) {
  ^bb0(%g: f32, %v: f32, %o: f32):
    %c0 = arith.constant 0.0 : f32
    %c6 = arith.constant 6.0 : f32
    %1 = arith.cmpf ogt, %v, %c0 : f32
    %2 = arith.cmpf olt, %v, %c6 : f32
    %3 = arith.select %1, %g, %c0 : f32
    %4 = arith.select %2, %3, %c0 : f32
    linalg.yield %4 : f32
  } -> tensor<16x128xf32>
  return %r : tensor<16x128xf32>
}

// The derivative of a ReLU, at most 5.
// CHECK-LABEL: func @clipped_gradient
// CHECK-NOT: tp.epilogue
// CHECK: return
func.func @clipped_gradient(%a: tensor<16x32xf32>, %b: tensor<32x128xf32>, %x: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x128xf32>) -> tensor<16x128xf32>
  %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<16x32xf32>, tensor<32x128xf32>) outs(%z : tensor<16x128xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %1 = arith.mulf %i, %j : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x128xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %x : tensor<16x128xf32>, tensor<16x128xf32>) outs(%e : tensor<16x128xf32>) {
  ^bb0(%g: f32, %v: f32, %o: f32):
    %c0 = arith.constant 0.0 : f32
    %c5 = arith.constant 5.0 : f32
    %1 = arith.cmpf ogt, %v, %c0 : f32
    %3 = arith.select %1, %g, %c0 : f32
    %4 = arith.cmpf ogt, %3, %c5 : f32
    %5 = arith.select %4, %c5, %3 : f32
    linalg.yield %5 : f32
  } -> tensor<16x128xf32>
  return %r : tensor<16x128xf32>
}

// A GELU of at most 5.
// CHECK-LABEL: func @clipped_gelu
// CHECK-NOT: tp.epilogue
// CHECK: return
func.func @clipped_gelu(%a: tensor<16x32xf32>, %b: tensor<32x128xf32>, %x: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x128xf32>) -> tensor<16x128xf32>
  %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<16x32xf32>, tensor<32x128xf32>) outs(%z : tensor<16x128xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %1 = arith.mulf %i, %j : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x128xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<16x128xf32>) outs(%e : tensor<16x128xf32>) {
  ^bb0(%v: f32, %o: f32):
    %h = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %k = arith.constant 0.044715 : f32
    %s = arith.constant 0.7978845608 : f32
    %x2 = arith.mulf %v, %v : f32
    %x3 = arith.mulf %x2, %v : f32
    %kx = arith.mulf %k, %x3 : f32
    %in = arith.addf %v, %kx : f32
    %sc = arith.mulf %s, %in : f32
    %t = math.tanh %sc : f32
    %t1 = arith.addf %t, %one : f32
    %hx = arith.mulf %h, %v : f32
    %ge = arith.mulf %hx, %t1 : f32
    %c5 = arith.constant 5.0 : f32
    %q = arith.cmpf ogt, %ge, %c5 : f32
    %y = arith.select %q, %c5, %ge : f32
    linalg.yield %y : f32
  } -> tensor<16x128xf32>
  return %r : tensor<16x128xf32>
}

// A GELU where a constant is 1.
// CHECK-LABEL: func @masked_gelu
// CHECK-NOT: tp.epilogue
// CHECK: return
func.func @masked_gelu(%a: tensor<8x512xf32>, %b: tensor<512x8xf32>, %x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<8x512xf32>, tensor<512x8xf32>) outs(%z : tensor<8x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %1 = arith.mulf %i, %j : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<8x8xf32>
  %mask = arith.constant dense<[[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0],[1.0,1.0,1.0,0.0,1.0,1.0,1.0,1.0],[1.0,1.0,1.0,1.0,1.0,1.0,1.0,1.0]]> : tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %mask : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%v: f32, %mm: f32, %o: f32):
    %h = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %k = arith.constant 0.044715 : f32
    %s = arith.constant 0.7978845608 : f32
    %x2 = arith.mulf %v, %v : f32
    %x3 = arith.mulf %x2, %v : f32
    %kx = arith.mulf %k, %x3 : f32
    %in = arith.addf %v, %kx : f32
    %sc = arith.mulf %s, %in : f32
    %t = math.tanh %sc : f32
    %t1 = arith.addf %t, %one : f32
    %hx = arith.mulf %h, %v : f32
    %ge = arith.mulf %hx, %t1 : f32
    %y = arith.mulf %ge, %mm : f32
    linalg.yield %y : f32
  } -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// With an infinite gradient this is NaN, and the derivative of a ReLU is 0.
// CHECK-LABEL: func @factor_of_one_or_zero
// CHECK-NOT: tp.epilogue
// CHECK: return
func.func @factor_of_one_or_zero(%a: tensor<16x32xf32>, %b: tensor<32x128xf32>, %x: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x128xf32>) -> tensor<16x128xf32>
  %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<16x32xf32>, tensor<32x128xf32>) outs(%z : tensor<16x128xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %1 = arith.mulf %i, %j : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x128xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %x : tensor<16x128xf32>, tensor<16x128xf32>) outs(%e : tensor<16x128xf32>) {
  ^bb0(%g: f32, %v: f32, %o: f32):
    %c0 = arith.constant 0.0 : f32
    %c1 = arith.constant 1.0 : f32
    %1 = arith.cmpf ogt, %v, %c0 : f32
    %3 = arith.select %1, %c1, %c0 : f32
    %4 = arith.mulf %3, %g : f32
    linalg.yield %4 : f32
  } -> tensor<16x128xf32>
  return %r : tensor<16x128xf32>
}

// A product that starts from a bias whose type no call takes.
// CHECK-LABEL: func @wide_bias_of_narrow_product
// CHECK-NOT: tp.epilogue
// CHECK: return
func.func @wide_bias_of_narrow_product(%a: tensor<32x16xf32>, %b: tensor<16x64xf32>, %bias: tensor<64xbf16>) -> tensor<32x64xf32> {
  %eb = tensor.empty() : tensor<64xf32>
  %w = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%bias : tensor<64xbf16>) outs(%eb : tensor<64xf32>) {
  ^bb0(%p: bf16, %o: f32):
    %1 = arith.extf %p : bf16 to f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  %e = tensor.empty() : tensor<32x64xf32>
  %init = linalg.generic {indexing_maps = [affine_map<(m, n) -> (n)>, #id], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<64xf32>) outs(%e : tensor<32x64xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<32x64xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<32x16xf32>, tensor<16x64xf32>) outs(%init : tensor<32x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.mulf %p, %q : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}

// Nothing to look at.
// CHECK-LABEL: func @no_elements
// CHECK-NOT: tp.epilogue
// CHECK: return
func.func @no_elements(%a: tensor<0x32xf32>, %b: tensor<32x128xf32>, %x: tensor<0x128xf32>) -> tensor<0x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<0x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<0x128xf32>) -> tensor<0x128xf32>
  %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<0x32xf32>, tensor<32x128xf32>) outs(%z : tensor<0x128xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %1 = arith.mulf %i, %j : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<0x128xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%p : tensor<0x128xf32>) outs(%e : tensor<0x128xf32>) {
  ^bb0(%v: f32, %o: f32):
    %h = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %k = arith.constant 0.044715 : f32
    %s = arith.constant 0.7978845608 : f32
    %x2 = arith.mulf %v, %v : f32
    %x3 = arith.mulf %x2, %v : f32
    %kx = arith.mulf %k, %x3 : f32
    %in = arith.addf %v, %kx : f32
    %sc = arith.mulf %s, %in : f32
    %t = math.tanh %sc : f32
    %t1 = arith.addf %t, %one : f32
    %hx = arith.mulf %h, %v : f32
    %ge = arith.mulf %hx, %t1 : f32
    %c5 = arith.constant 5.0 : f32
    %q = arith.cmpf ogt, %ge, %c5 : f32
    %y = arith.select %q, %c5, %ge : f32
    linalg.yield %y : f32
  } -> tensor<0x128xf32>
  return %r : tensor<0x128xf32>
}

// A bias is a tensor.
// CHECK-LABEL: func @scalar_summand
// CHECK-NOT: tp.epilogue
// CHECK: return
func.func @scalar_summand(%a: tensor<16x32xf32>, %b: tensor<32x128xf32>, %x: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x128xf32>) -> tensor<16x128xf32>
  %p = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<16x32xf32>, tensor<32x128xf32>) outs(%z : tensor<16x128xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %1 = arith.mulf %i, %j : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<16x128xf32>
  %s = arith.constant 2.0 : f32
  %r = linalg.generic {indexing_maps = [#id, affine_map<(m, n) -> ()>, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %s : tensor<16x128xf32>, f32) outs(%e : tensor<16x128xf32>) {
  ^bb0(%g: f32, %s1: f32, %o: f32):
    %4 = arith.addf %s1, %g : f32
    linalg.yield %4 : f32
  } -> tensor<16x128xf32>
  return %r : tensor<16x128xf32>
}
