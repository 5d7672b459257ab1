// Derivatives of activations and sums of gradients become part of the product
// whose result they are of, or that reads the gradient.
// RUN: tpc-opt %s --tp-fuse-epilogues --canonicalize | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#at = affine_map<(m, n, k) -> (k, m)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func @relu_gradient_ugt
// CHECK: %[[bits:.*]] = tensor.expand_shape
// CHECK: %[[mask:.*]] = linalg.generic {{.*}} ins(%[[bits]] : tensor<32x16x8xf32>) outs({{.*}} : tensor<32x16xi8>)
// CHECK: arith.cmpf ugt
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[mask]] : tensor<32x128xf32>, tensor<32x16xi8>) {{.*}} {tp.epilogue = 32 : i32}
func.func @relu_gradient_ugt(%g: tensor<32x16xf32>, %w: tensor<16x128xf32>, %h: tensor<32x128xf32>) -> tensor<32x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x128xf32>
  %e0 = tensor.empty() : tensor<32x128xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<32x128xf32>) -> tensor<32x128xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%g, %w : tensor<32x16xf32>, tensor<16x128xf32>) outs(%i0 : tensor<32x128xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x128xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %h : tensor<32x128xf32>, tensor<32x128xf32>) outs(%e : tensor<32x128xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %k = arith.cmpf ugt, %q, %zero : f32
    %s = arith.select %k, %p, %zero : f32
    linalg.yield %s : f32
  } -> tensor<32x128xf32>
  return %1 : tensor<32x128xf32>
}

// CHECK-LABEL: func @relu_gradient_oge
// CHECK: %[[bits:.*]] = tensor.expand_shape
// CHECK: %[[mask:.*]] = linalg.generic {{.*}} ins(%[[bits]] : tensor<32x16x8xf32>) outs({{.*}} : tensor<32x16xi8>)
// CHECK: arith.cmpf oge
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[mask]] : tensor<32x128xf32>, tensor<32x16xi8>) {{.*}} {tp.epilogue = 32 : i32}
func.func @relu_gradient_oge(%g: tensor<32x16xf32>, %w: tensor<16x128xf32>, %h: tensor<32x128xf32>) -> tensor<32x128xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x128xf32>
  %e0 = tensor.empty() : tensor<32x128xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<32x128xf32>) -> tensor<32x128xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%g, %w : tensor<32x16xf32>, tensor<16x128xf32>) outs(%i0 : tensor<32x128xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x128xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %h : tensor<32x128xf32>, tensor<32x128xf32>) outs(%e : tensor<32x128xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %k = arith.cmpf oge, %q, %zero : f32
    %s = arith.select %k, %p, %zero : f32
    linalg.yield %s : f32
  } -> tensor<32x128xf32>
  return %1 : tensor<32x128xf32>
}

// The product itself is needed too.
// CHECK-LABEL: func @gradient_that_others_read
// CHECK-NOT: tp.epilogue
// CHECK: return
func.func @gradient_that_others_read(%g: tensor<32x16xf32>, %w: tensor<16x128xf32>, %h: tensor<32x128xf32>) -> (tensor<32x128xf32>, tensor<32x128xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x128xf32>
  %e0 = tensor.empty() : tensor<32x128xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<32x128xf32>) -> tensor<32x128xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%g, %w : tensor<32x16xf32>, tensor<16x128xf32>) outs(%i0 : tensor<32x128xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x128xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %h : tensor<32x128xf32>, tensor<32x128xf32>) outs(%e : tensor<32x128xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %k = arith.cmpf ugt, %q, %zero : f32
    %s = arith.select %k, %p, %zero : f32
    linalg.yield %s : f32
  } -> tensor<32x128xf32>
  return %1, %0 : tensor<32x128xf32>, tensor<32x128xf32>
}

// Rows of bits are a multiple of 128 bits.
// CHECK-LABEL: func @mask_of_odd_rows
// CHECK-NOT: tp.epilogue
// CHECK: return
func.func @mask_of_odd_rows(%g: tensor<32x16xf32>, %w: tensor<16x120xf32>, %h: tensor<32x120xf32>) -> tensor<32x120xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x120xf32>
  %e0 = tensor.empty() : tensor<32x120xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<32x120xf32>) -> tensor<32x120xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%g, %w : tensor<32x16xf32>, tensor<16x120xf32>) outs(%i0 : tensor<32x120xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x120xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %h : tensor<32x120xf32>, tensor<32x120xf32>) outs(%e : tensor<32x120xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %k = arith.cmpf ugt, %q, %zero : f32
    %s = arith.select %k, %p, %zero : f32
    linalg.yield %s : f32
  } -> tensor<32x120xf32>
  return %1 : tensor<32x120xf32>
}

// Of the operand that has the outer dim of the result, once the product is there.
// CHECK-LABEL: func @sum_beside_a_product
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<40x32xf32>, tensor<40x64xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<40x32xf32>) {{.*}} {tp.epilogue = 256 : i32}
func.func @sum_beside_a_product(%g: tensor<40x32xf32>, %x: tensor<40x64xf32>) -> (tensor<32x64xf32>, tensor<32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<32xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<32xf32>) -> tensor<32xf32>
  %1 = linalg.generic {indexing_maps = [#t, #row], iterator_types = ["parallel", "reduction"]} ins(%g : tensor<40x32xf32>) outs(%i1 : tensor<32xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<32xf32>
  %e0 = tensor.empty() : tensor<32x64xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<32x64xf32>) -> tensor<32x64xf32>
  %0 = linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%g, %x : tensor<40x32xf32>, tensor<40x64xf32>) outs(%i0 : tensor<32x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x64xf32>
  return %0, %1 : tensor<32x64xf32>, tensor<32xf32>
}

// CHECK-LABEL: func @sum_of_the_inner_dim
// CHECK: tp.epilogue = 128
func.func @sum_of_the_inner_dim(%g: tensor<40x32xf32>, %x: tensor<40x64xf32>) -> (tensor<32x64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<32x64xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<32x64xf32>) -> tensor<32x64xf32>
  %0 = linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%g, %x : tensor<40x32xf32>, tensor<40x64xf32>) outs(%i0 : tensor<32x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x64xf32>
  %e1 = tensor.empty() : tensor<64xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %1 = linalg.generic {indexing_maps = [#t, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<40x64xf32>) outs(%i1 : tensor<64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  return %0, %1 : tensor<32x64xf32>, tensor<64xf32>
}

// The product needs the sum.
// CHECK-LABEL: func @sum_that_is_needed_before
// CHECK-NOT: tp.epilogue
// CHECK: return
func.func @sum_that_is_needed_before(%g: tensor<40x32xf32>, %x: tensor<40x64xf32>) -> tensor<32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<32xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<32xf32>) -> tensor<32xf32>
  %1 = linalg.generic {indexing_maps = [#t, #row], iterator_types = ["parallel", "reduction"]} ins(%g : tensor<40x32xf32>) outs(%i1 : tensor<32xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<32xf32>
  %p1 = tensor.pad %1 low[0] high[8] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<32xf32> to tensor<40xf32>
  %e2 = tensor.empty() : tensor<40x64xf32>
  %2 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %p1 : tensor<40x64xf32>, tensor<40xf32>) outs(%e2 : tensor<40x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<40x64xf32>
  %e0 = tensor.empty() : tensor<32x64xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<32x64xf32>) -> tensor<32x64xf32>
  %0 = linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%g, %2 : tensor<40x32xf32>, tensor<40x64xf32>) outs(%i0 : tensor<32x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}

// Along the dim that is not summed by the product.
// CHECK-LABEL: func @sum_over_columns
// CHECK-NOT: tp.epilogue
// CHECK: return
func.func @sum_over_columns(%g: tensor<40x40xf32>, %x: tensor<40x64xf32>) -> (tensor<40x64xf32>, tensor<40xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<40x64xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<40x64xf32>) -> tensor<40x64xf32>
  %0 = linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%g, %x : tensor<40x40xf32>, tensor<40x64xf32>) outs(%i0 : tensor<40x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<40x64xf32>
  %e1 = tensor.empty() : tensor<40xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<40xf32>) -> tensor<40xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%g : tensor<40x40xf32>) outs(%i1 : tensor<40xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<40xf32>
  return %0, %1 : tensor<40x64xf32>, tensor<40xf32>
}
