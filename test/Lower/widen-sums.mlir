// Sums and products of 16-bit floats are carried in f32 and rounded once; what joins without a rounding, and what
// the matrix library multiplies, stays as it is.
// RUN: tpc-opt %s --tp-widen-sums --split-input-file | FileCheck %s

#row = affine_map<(d0, d1) -> (d0, d1)>
#sum = affine_map<(d0, d1) -> (d0)>

// The square is one of bf16; its sum is not. A constant start is a constant.
// CHECK-LABEL: func @squares
// CHECK: %[[zero:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[init:.*]] = linalg.fill ins(%[[zero]] : f32) outs(%{{.*}} : tensor<8xf32>)
// CHECK: %[[wide:.*]] = linalg.generic {{.*}}"reduction"{{.*}} outs(%[[init]] : tensor<8xf32>)
// CHECK-NEXT: ^bb0(%[[x:.*]]: bf16, %[[o:.*]]: f32):
// CHECK-NEXT: %[[p:.*]] = arith.mulf %[[x]], %[[x]] : bf16
// CHECK-NEXT: %[[e:.*]] = arith.extf %[[p]] : bf16 to f32
// CHECK-NEXT: %[[s:.*]] = arith.addf %[[o]], %[[e]] fastmath<reassoc> : f32
// CHECK-NEXT: linalg.yield %[[s]] : f32
// CHECK: %[[narrow:.*]] = linalg.generic {{.*}} ins(%[[wide]] : tensor<8xf32>) outs(%{{.*}} : tensor<8xbf16>)
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: return %[[narrow]]
func.func @squares(%x: tensor<8x4096xbf16>) -> tensor<8xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<8xbf16>
  %init = linalg.fill ins(%zero : bf16) outs(%e : tensor<8xbf16>) -> tensor<8xbf16>
  %0 = linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x4096xbf16>) outs(%init : tensor<8xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %p = arith.mulf %a, %a : bf16
    %s = arith.addf %o, %p fastmath<reassoc> : bf16
    linalg.yield %s : bf16
  } -> tensor<8xbf16>
  return %0 : tensor<8xbf16>
}

// -----

#row = affine_map<(d0, d1) -> (d0, d1)>
#sum = affine_map<(d0, d1) -> (d0)>

// A product from a tensor, a maximum beside it, which stays, and a difference.
// CHECK-LABEL: func @both
// CHECK-SAME: %[[p:[a-z0-9]*]]: tensor<8xf16>, %[[m:[a-z0-9]*]]: tensor<8xf16>, %[[d:[a-z0-9]*]]: tensor<8xf16>) ->
// CHECK: %[[wp:.*]] = linalg.generic {{.*}} ins(%[[p]] : tensor<8xf16>) outs(%{{.*}} : tensor<8xf32>)
// CHECK: arith.extf
// CHECK: %[[wide:.*]]:3 = linalg.generic {{.*}} outs(%[[wp]], %[[m]], %{{.*}} : tensor<8xf32>, tensor<8xf16>, tensor<8xf32>)
// CHECK: arith.mulf {{.*}} : f32
// CHECK: arith.maximumf {{.*}} : f16
// CHECK: arith.subf {{.*}} : f32
// CHECK: %[[narrow:.*]] = linalg.generic {{.*}} ins(%[[wide]]#0 : tensor<8xf32>)
// CHECK: return %[[narrow]], %[[wide]]#1, %
func.func @both(%x: tensor<8x16xf16>, %p: tensor<8xf16>, %m: tensor<8xf16>, %d: tensor<8xf16>) -> (tensor<8xf16>, tensor<8xf16>, tensor<8xf16>) {
  %0:3 = linalg.generic {indexing_maps = [#row, #sum, #sum, #sum], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x16xf16>) outs(%p, %m, %d : tensor<8xf16>, tensor<8xf16>, tensor<8xf16>) {
  ^bb0(%a: f16, %o: f16, %q: f16, %r: f16):
    %s = arith.mulf %a, %o : f16
    %t = arith.maximumf %a, %q : f16
    %u = arith.subf %r, %a : f16
    linalg.yield %s, %t, %u : f16, f16, f16
  } -> (tensor<8xf16>, tensor<8xf16>, tensor<8xf16>)
  return %0#0, %0#1, %0#2 : tensor<8xf16>, tensor<8xf16>, tensor<8xf16>
}

// -----

// Of the products only the small one is a kernel; sums of f32 are what they are, and few elements are not worth it.
// CHECK-LABEL: func @products
// CHECK: linalg.generic {{.*}}"reduction"{{.*}} outs(%{{.*}} : tensor<64x64xbf16>)
// CHECK: linalg.generic {{.*}}"reduction"{{.*}} outs(%{{.*}} : tensor<2x4xf32>)
// CHECK: arith.truncf
// CHECK: linalg.generic {{.*}}"reduction"{{.*}} outs(%{{.*}} : tensor<f32>)
// CHECK: linalg.generic {{.*}}"reduction"{{.*}} outs(%{{.*}} : tensor<bf16>)
// CHECK-NOT: arith.truncf
func.func @products(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %c: tensor<64x64xbf16>, %d: tensor<2x16xbf16>, %e: tensor<16x4xbf16>, %f: tensor<2x4xbf16>, %g: tensor<99xf32>, %h: tensor<f32>, %i: tensor<15xbf16>, %j: tensor<bf16>) -> (tensor<64x64xbf16>, tensor<2x4xbf16>, tensor<f32>, tensor<bf16>) {
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%c : tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %1 = linalg.matmul ins(%d, %e : tensor<2x16xbf16>, tensor<16x4xbf16>) outs(%f : tensor<2x4xbf16>) -> tensor<2x4xbf16>
  %2 = linalg.dot ins(%g, %g : tensor<99xf32>, tensor<99xf32>) outs(%h : tensor<f32>) -> tensor<f32>
  %3 = linalg.dot ins(%i, %i : tensor<15xbf16>, tensor<15xbf16>) outs(%j : tensor<bf16>) -> tensor<bf16>
  return %0, %1, %2, %3 : tensor<64x64xbf16>, tensor<2x4xbf16>, tensor<f32>, tensor<bf16>
}
