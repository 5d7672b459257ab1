// What is nearly an attention, or one that no call computes, stays as it is,
// with the reason.
// RUN: tpc-opt %s --tp-fuse-attention --split-input-file | FileCheck %s --implicit-check-not='= tp.attention %'

// CHECK-LABEL: func.func @scores_start_from_bias(
// CHECK-SAME: reason = "a product of it starts from another tensor"
#id = affine_map<(b, m, n) -> (b, m, n)>
#row = affine_map<(b, m, n) -> (b, m)>
#qk_q = affine_map<(b, m, n, k) -> (b, m, k)>
#qk_k = affine_map<(b, m, n, k) -> (b, n, k)>
#qk_s = affine_map<(b, m, n, k) -> (b, m, n)>
#pv_p = affine_map<(b, m, n, k) -> (b, m, k)>
#pv_v = affine_map<(b, m, n, k) -> (b, k, n)>

func.func @scores_start_from_bias(%bias: tensor<2x8x8xf32>, %q: tensor<2x8x16xbf16>, %k: tensor<2x8x16xbf16>, %v: tensor<2x8x16xbf16>) -> tensor<2x8x16xbf16> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x8xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %s = linalg.generic {indexing_maps = [#qk_q, #qk_k, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x8x16xbf16>, tensor<2x8x16xbf16>) outs(%bias : tensor<2x8x8xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x8x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<2x8x8xf32>
  %er = tensor.empty() : tensor<2x8xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x8xf32>) -> tensor<2x8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x8x8xf32>) outs(%zr : tensor<2x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<2x8xf32>
  %ep = tensor.empty() : tensor<2x8x8xbf16>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x8x8xf32>, tensor<2x8xf32>) outs(%ep : tensor<2x8x8xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %1 = arith.divf %a, %b : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  } -> tensor<2x8x8xbf16>
  %eo = tensor.empty() : tensor<2x8x16xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %w = linalg.generic {indexing_maps = [#pv_p, #pv_v, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x8x8xbf16>, tensor<2x8x16xbf16>) outs(%zo : tensor<2x8x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x8x16xf32>
  %en = tensor.empty() : tensor<2x8x16xbf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<2x8x16xf32>) outs(%en : tensor<2x8x16xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %1 = arith.truncf %a : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<2x8x16xbf16>
  return %r : tensor<2x8x16xbf16>
}

// -----

// CHECK-LABEL: func.func @output_starts_from_residual(
// CHECK-SAME: reason = "a product of it starts from another tensor"
#id = affine_map<(b, m, n) -> (b, m, n)>
#row = affine_map<(b, m, n) -> (b, m)>
#qk_q = affine_map<(b, m, n, k) -> (b, m, k)>
#qk_k = affine_map<(b, m, n, k) -> (b, n, k)>
#qk_s = affine_map<(b, m, n, k) -> (b, m, n)>
#pv_p = affine_map<(b, m, n, k) -> (b, m, k)>
#pv_v = affine_map<(b, m, n, k) -> (b, k, n)>

func.func @output_starts_from_residual(%x: tensor<2x8x16xf32>, %q: tensor<2x8x16xbf16>, %k: tensor<2x8x16xbf16>, %v: tensor<2x8x16xbf16>) -> tensor<2x8x16xbf16> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x8xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %s = linalg.generic {indexing_maps = [#qk_q, #qk_k, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x8x16xbf16>, tensor<2x8x16xbf16>) outs(%zs : tensor<2x8x8xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x8x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<2x8x8xf32>
  %er = tensor.empty() : tensor<2x8xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x8xf32>) -> tensor<2x8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x8x8xf32>) outs(%zr : tensor<2x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<2x8xf32>
  %ep = tensor.empty() : tensor<2x8x8xbf16>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x8x8xf32>, tensor<2x8xf32>) outs(%ep : tensor<2x8x8xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %1 = arith.divf %a, %b : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  } -> tensor<2x8x8xbf16>
  %eo = tensor.empty() : tensor<2x8x16xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %w = linalg.generic {indexing_maps = [#pv_p, #pv_v, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x8x8xbf16>, tensor<2x8x16xbf16>) outs(%x : tensor<2x8x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x8x16xf32>
  %en = tensor.empty() : tensor<2x8x16xbf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<2x8x16xf32>) outs(%en : tensor<2x8x16xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %1 = arith.truncf %a : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<2x8x16xbf16>
  return %r : tensor<2x8x16xbf16>
}

// -----

// CHECK-LABEL: func.func @constant_mask(
// CHECK-SAME: reason = "its mask is a constant tensor"
#id = affine_map<(b, m, n) -> (b, m, n)>
#row = affine_map<(b, m, n) -> (b, m)>
#qk_q = affine_map<(b, m, n, k) -> (b, m, k)>
#qk_k = affine_map<(b, m, n, k) -> (b, n, k)>
#qk_s = affine_map<(b, m, n, k) -> (b, m, n)>
#pv_p = affine_map<(b, m, n, k) -> (b, m, k)>
#pv_v = affine_map<(b, m, n, k) -> (b, k, n)>

func.func @constant_mask(%q: tensor<4x8x16xbf16>, %k: tensor<4x8x16xbf16>, %v: tensor<4x8x16xbf16>) -> tensor<4x8x16xbf16> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x8x8xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %s = linalg.generic {indexing_maps = [#qk_q, #qk_k, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<4x8x16xbf16>, tensor<4x8x16xbf16>) outs(%zs : tensor<4x8x8xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<4x8x8xf32>
  %mask = arith.constant dense<[[[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0]],[[0.0,0.0,0.0,0.0,-1.0e4,-1.0e4,-1.0e4,-1.0e4],[0.0,0.0,0.0,0.0,-1.0e4,-1.0e4,-1.0e4,-1.0e4],[0.0,0.0,0.0,0.0,-1.0e4,-1.0e4,-1.0e4,-1.0e4],[0.0,0.0,0.0,0.0,-1.0e4,-1.0e4,-1.0e4,-1.0e4],[0.0,0.0,0.0,0.0,-1.0e4,-1.0e4,-1.0e4,-1.0e4],[0.0,0.0,0.0,0.0,-1.0e4,-1.0e4,-1.0e4,-1.0e4],[0.0,0.0,0.0,0.0,-1.0e4,-1.0e4,-1.0e4,-1.0e4],[0.0,0.0,0.0,0.0,-1.0e4,-1.0e4,-1.0e4,-1.0e4]],[[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0]],[[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0]]]> : tensor<4x8x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %mask : tensor<4x8x8xf32>, tensor<4x8x8xf32>) outs(%es : tensor<4x8x8xf32>) {
  ^bb0(%a0: f32, %mm: f32, %o: f32):
    %a = arith.addf %a0, %mm : f32
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<4x8x8xf32>
  %er = tensor.empty() : tensor<4x8xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<4x8xf32>) -> tensor<4x8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<4x8x8xf32>) outs(%zr : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<4x8xf32>
  %ep = tensor.empty() : tensor<4x8x8xbf16>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<4x8x8xf32>, tensor<4x8xf32>) outs(%ep : tensor<4x8x8xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %1 = arith.divf %a, %b : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  } -> tensor<4x8x8xbf16>
  %eo = tensor.empty() : tensor<4x8x16xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %w = linalg.generic {indexing_maps = [#pv_p, #pv_v, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<4x8x8xbf16>, tensor<4x8x16xbf16>) outs(%zo : tensor<4x8x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<4x8x16xf32>
  %en = tensor.empty() : tensor<4x8x16xbf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<4x8x16xf32>) outs(%en : tensor<4x8x16xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %1 = arith.truncf %a : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<4x8x16xbf16>
  return %r : tensor<4x8x16xbf16>
}

// -----

// CHECK-LABEL: func.func @clamped_scores(
// CHECK-SAME: reason = "its scores are also changed by 'arith.minimumf'"
#id = affine_map<(b, m, n) -> (b, m, n)>
#row = affine_map<(b, m, n) -> (b, m)>
#qk_q = affine_map<(b, m, n, k) -> (b, m, k)>
#qk_k = affine_map<(b, m, n, k) -> (b, n, k)>
#qk_s = affine_map<(b, m, n, k) -> (b, m, n)>
#pv_p = affine_map<(b, m, n, k) -> (b, m, k)>
#pv_v = affine_map<(b, m, n, k) -> (b, k, n)>

func.func @clamped_scores(%q: tensor<2x8x16xbf16>, %k: tensor<2x8x16xbf16>, %v: tensor<2x8x16xbf16>) -> tensor<2x8x16xbf16> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x8xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %s = linalg.generic {indexing_maps = [#qk_q, #qk_k, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x8x16xbf16>, tensor<2x8x16xbf16>) outs(%zs : tensor<2x8x8xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x8x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %lim = arith.constant 2.0 : f32
    %m = arith.minimumf %a, %lim : f32
    %1 = math.exp %m : f32
    linalg.yield %1 : f32
  } -> tensor<2x8x8xf32>
  %er = tensor.empty() : tensor<2x8xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x8xf32>) -> tensor<2x8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x8x8xf32>) outs(%zr : tensor<2x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<2x8xf32>
  %ep = tensor.empty() : tensor<2x8x8xbf16>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x8x8xf32>, tensor<2x8xf32>) outs(%ep : tensor<2x8x8xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %1 = arith.divf %a, %b : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  } -> tensor<2x8x8xbf16>
  %eo = tensor.empty() : tensor<2x8x16xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %w = linalg.generic {indexing_maps = [#pv_p, #pv_v, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x8x8xbf16>, tensor<2x8x16xbf16>) outs(%zo : tensor<2x8x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x8x16xf32>
  %en = tensor.empty() : tensor<2x8x16xbf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<2x8x16xf32>) outs(%en : tensor<2x8x16xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %1 = arith.truncf %a : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<2x8x16xbf16>
  return %r : tensor<2x8x16xbf16>
}

// -----

// CHECK-LABEL: func.func @mask_of_one_head(
// CHECK-SAME: reason = "its mask depends on the batch or the head"
func.func @mask_of_one_head(%q: tensor<1x6x64x8xbf16> {tp.name = "q"}, %k: tensor<1x6x64x8xbf16> {tp.name = "k"}, %v: tensor<1x6x64x8xbf16> {tp.name = "v"}) -> (tensor<1x6x64x8xbf16> {tp.name = "r0"}) {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.empty() : tensor<1x6x64x64xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<1x6x64x64xf32>) -> tensor<1x6x64x64xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<1x6x64x8xbf16>, tensor<1x6x64x8xbf16>) outs(%v3 : tensor<1x6x64x64xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<1x6x64x64xf32>
  %v5 = tensor.empty() : tensor<1x6x64x64xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v4 : tensor<1x6x64x64xf32>) outs(%v5 : tensor<1x6x64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.35355338 : f32
    %m = arith.mulf %a, %c : f32
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %b0 = linalg.index 1 : index
    %c9 = arith.constant 3 : index
    %e = arith.cmpi ne, %b0, %c9 : index
    %c1 = arith.constant 30 : index
    %e1 = arith.cmpi slt, %j, %c1 : index
    %keep = arith.ori %e, %e1 : i1
    %low = arith.constant 0xFF800000 : f32
    %r = arith.select %keep, %m, %low : f32
    linalg.yield %r : f32
  } -> tensor<1x6x64x64xf32>
  %v7 = arith.constant 0xFF800000 : f32
  %v8 = tensor.empty() : tensor<1x6x64xf32>
  %v9 = linalg.fill ins(%v7 : f32) outs(%v8 : tensor<1x6x64xf32>) -> tensor<1x6x64xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v6 : tensor<1x6x64x64xf32>) outs(%v9 : tensor<1x6x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<1x6x64xf32>
  %v11 = tensor.empty() : tensor<1x6x64x64xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v6, %v10 : tensor<1x6x64x64xf32>, tensor<1x6x64xf32>) outs(%v11 : tensor<1x6x64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<1x6x64x64xf32>
  %v13 = arith.constant 0.0 : f32
  %v14 = tensor.empty() : tensor<1x6x64xf32>
  %v15 = linalg.fill ins(%v13 : f32) outs(%v14 : tensor<1x6x64xf32>) -> tensor<1x6x64xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v12 : tensor<1x6x64x64xf32>) outs(%v15 : tensor<1x6x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<1x6x64xf32>
  %v17 = tensor.empty() : tensor<1x6x64x64xbf16>
  %v18 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v12, %v16 : tensor<1x6x64x64xf32>, tensor<1x6x64xf32>) outs(%v17 : tensor<1x6x64x64xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %d = arith.divf %a, %b : f32
    %r = arith.truncf %d : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<1x6x64x64xbf16>
  %v19 = arith.constant 0.0 : f32
  %v20 = tensor.empty() : tensor<1x6x64x8xf32>
  %v21 = linalg.fill ins(%v19 : f32) outs(%v20 : tensor<1x6x64x8xf32>) -> tensor<1x6x64x8xf32>
  %v22 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v18, %v : tensor<1x6x64x64xbf16>, tensor<1x6x64x8xbf16>) outs(%v21 : tensor<1x6x64x8xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<1x6x64x8xf32>
  %v23 = tensor.empty() : tensor<1x6x64x8xbf16>
  %v24 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v22 : tensor<1x6x64x8xf32>) outs(%v23 : tensor<1x6x64x8xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<1x6x64x8xbf16>
  return %v24 : tensor<1x6x64x8xbf16>
}

// -----

// CHECK-LABEL: func.func @mask_of_one_row(
// CHECK-SAME: reason = "its mask is neither none nor causal"
func.func @mask_of_one_row(%q: tensor<2x2x128x8xbf16> {tp.name = "q"}, %k: tensor<2x2x128x8xbf16> {tp.name = "k"}, %v: tensor<2x2x128x8xbf16> {tp.name = "v"}) -> (tensor<2x2x128x8xbf16> {tp.name = "r0"}) {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.empty() : tensor<2x2x128x128xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<2x2x128x128xf32>) -> tensor<2x2x128x128xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x2x128x8xbf16>, tensor<2x2x128x8xbf16>) outs(%v3 : tensor<2x2x128x128xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x2x128x128xf32>
  %v5 = tensor.empty() : tensor<2x2x128x128xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v4 : tensor<2x2x128x128xf32>) outs(%v5 : tensor<2x2x128x128xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.35355338 : f32
    %m = arith.mulf %a, %c : f32
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %c9 = arith.constant 40 : index
    %e = arith.cmpi ne, %i, %c9 : index
    %c1 = arith.constant 7 : index
    %e1 = arith.cmpi eq, %j, %c1 : index
    %keep = arith.ori %e, %e1 : i1
    %low = arith.constant 0xFF800000 : f32
    %r = arith.select %keep, %m, %low : f32
    linalg.yield %r : f32
  } -> tensor<2x2x128x128xf32>
  %v7 = arith.constant 0xFF800000 : f32
  %v8 = tensor.empty() : tensor<2x2x128xf32>
  %v9 = linalg.fill ins(%v7 : f32) outs(%v8 : tensor<2x2x128xf32>) -> tensor<2x2x128xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v6 : tensor<2x2x128x128xf32>) outs(%v9 : tensor<2x2x128xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<2x2x128xf32>
  %v11 = tensor.empty() : tensor<2x2x128x128xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v6, %v10 : tensor<2x2x128x128xf32>, tensor<2x2x128xf32>) outs(%v11 : tensor<2x2x128x128xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<2x2x128x128xf32>
  %v13 = arith.constant 0.0 : f32
  %v14 = tensor.empty() : tensor<2x2x128xf32>
  %v15 = linalg.fill ins(%v13 : f32) outs(%v14 : tensor<2x2x128xf32>) -> tensor<2x2x128xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v12 : tensor<2x2x128x128xf32>) outs(%v15 : tensor<2x2x128xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<2x2x128xf32>
  %v17 = tensor.empty() : tensor<2x2x128x128xbf16>
  %v18 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v12, %v16 : tensor<2x2x128x128xf32>, tensor<2x2x128xf32>) outs(%v17 : tensor<2x2x128x128xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %d = arith.divf %a, %b : f32
    %r = arith.truncf %d : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x2x128x128xbf16>
  %v19 = arith.constant 0.0 : f32
  %v20 = tensor.empty() : tensor<2x2x128x8xf32>
  %v21 = linalg.fill ins(%v19 : f32) outs(%v20 : tensor<2x2x128x8xf32>) -> tensor<2x2x128x8xf32>
  %v22 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v18, %v : tensor<2x2x128x128xbf16>, tensor<2x2x128x8xbf16>) outs(%v21 : tensor<2x2x128x8xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x2x128x8xf32>
  %v23 = tensor.empty() : tensor<2x2x128x8xbf16>
  %v24 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v22 : tensor<2x2x128x8xf32>) outs(%v23 : tensor<2x2x128x8xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x2x128x8xbf16>
  return %v24 : tensor<2x2x128x8xbf16>
}

// -----

// CHECK-LABEL: func.func @strictly_causal(
// CHECK-SAME: reason = "it is not softmax(scale * scores) with no mask or a causal one"
func.func @strictly_causal(%q: tensor<2x2x16x8xbf16> {tp.name = "q"}, %k: tensor<2x2x16x8xbf16> {tp.name = "k"}, %v: tensor<2x2x16x8xbf16> {tp.name = "v"}) -> (tensor<2x2x16x8xbf16> {tp.name = "r0"}) {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.empty() : tensor<2x2x16x16xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<2x2x16x16xf32>) -> tensor<2x2x16x16xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x2x16x8xbf16>, tensor<2x2x16x8xbf16>) outs(%v3 : tensor<2x2x16x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x2x16x16xf32>
  %v5 = tensor.empty() : tensor<2x2x16x16xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v4 : tensor<2x2x16x16xf32>) outs(%v5 : tensor<2x2x16x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.constant 0.35355338 : f32
    %m = arith.mulf %a, %c : f32
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %keep = arith.cmpi slt, %j, %i : index
    %low = arith.constant 0xFF800000 : f32
    %r = arith.select %keep, %m, %low : f32
    linalg.yield %r : f32
  } -> tensor<2x2x16x16xf32>
  %v7 = arith.constant 0xFF800000 : f32
  %v8 = tensor.empty() : tensor<2x2x16xf32>
  %v9 = linalg.fill ins(%v7 : f32) outs(%v8 : tensor<2x2x16xf32>) -> tensor<2x2x16xf32>
  %v10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v6 : tensor<2x2x16x16xf32>) outs(%v9 : tensor<2x2x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<2x2x16xf32>
  %v11 = tensor.empty() : tensor<2x2x16x16xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v6, %v10 : tensor<2x2x16x16xf32>, tensor<2x2x16xf32>) outs(%v11 : tensor<2x2x16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    linalg.yield %r : f32
  } -> tensor<2x2x16x16xf32>
  %v13 = arith.constant 0.0 : f32
  %v14 = tensor.empty() : tensor<2x2x16xf32>
  %v15 = linalg.fill ins(%v13 : f32) outs(%v14 : tensor<2x2x16xf32>) -> tensor<2x2x16xf32>
  %v16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%v12 : tensor<2x2x16x16xf32>) outs(%v15 : tensor<2x2x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  } -> tensor<2x2x16xf32>
  %v17 = tensor.empty() : tensor<2x2x16x16xbf16>
  %v18 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v12, %v16 : tensor<2x2x16x16xf32>, tensor<2x2x16xf32>) outs(%v17 : tensor<2x2x16x16xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %d = arith.divf %a, %b : f32
    %r = arith.truncf %d : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x2x16x16xbf16>
  %v19 = arith.constant 0.0 : f32
  %v20 = tensor.empty() : tensor<2x2x16x8xf32>
  %v21 = linalg.fill ins(%v19 : f32) outs(%v20 : tensor<2x2x16x8xf32>) -> tensor<2x2x16x8xf32>
  %v22 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v18, %v : tensor<2x2x16x16xbf16>, tensor<2x2x16x8xbf16>) outs(%v21 : tensor<2x2x16x8xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %b : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<2x2x16x8xf32>
  %v23 = tensor.empty() : tensor<2x2x16x8xbf16>
  %v24 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v22 : tensor<2x2x16x8xf32>) outs(%v23 : tensor<2x2x16x8xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x2x16x8xbf16>
  return %v24 : tensor<2x2x16x8xbf16>
}

// -----

// CHECK-LABEL: func.func @wide_values(
// CHECK-SAME: reason = "queries, keys and values have different numbers of features"
#id = affine_map<(b, m, n) -> (b, m, n)>
#row = affine_map<(b, m, n) -> (b, m)>
#qk_q = affine_map<(b, m, n, k) -> (b, m, k)>
#qk_k = affine_map<(b, m, n, k) -> (b, n, k)>
#qk_s = affine_map<(b, m, n, k) -> (b, m, n)>
#pv_p = affine_map<(b, m, n, k) -> (b, m, k)>
#pv_v = affine_map<(b, m, n, k) -> (b, k, n)>

func.func @wide_values(%q: tensor<2x8x16xbf16>, %k: tensor<2x8x16xbf16>, %v: tensor<2x8x24xbf16>) -> tensor<2x8x24xbf16> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x8xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %s = linalg.generic {indexing_maps = [#qk_q, #qk_k, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x8x16xbf16>, tensor<2x8x16xbf16>) outs(%zs : tensor<2x8x8xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x8x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<2x8x8xf32>
  %er = tensor.empty() : tensor<2x8xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x8xf32>) -> tensor<2x8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x8x8xf32>) outs(%zr : tensor<2x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<2x8xf32>
  %ep = tensor.empty() : tensor<2x8x8xbf16>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x8x8xf32>, tensor<2x8xf32>) outs(%ep : tensor<2x8x8xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %1 = arith.divf %a, %b : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  } -> tensor<2x8x8xbf16>
  %eo = tensor.empty() : tensor<2x8x24xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x8x24xf32>) -> tensor<2x8x24xf32>
  %w = linalg.generic {indexing_maps = [#pv_p, #pv_v, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x8x8xbf16>, tensor<2x8x24xbf16>) outs(%zo : tensor<2x8x24xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x8x24xf32>
  %en = tensor.empty() : tensor<2x8x24xbf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<2x8x24xf32>) outs(%en : tensor<2x8x24xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %1 = arith.truncf %a : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<2x8x24xbf16>
  return %r : tensor<2x8x24xbf16>
}

// -----

// CHECK-LABEL: func.func @values_of_all_heads(
// CHECK-SAME: reason = "queries, keys and values have different numbers of heads"
#id = affine_map<(b, m, n) -> (b, m, n)>
#row = affine_map<(b, m, n) -> (b, m)>
#qk_q = affine_map<(b, m, n, k) -> (b, m, k)>
#qk_k = affine_map<(b, m, n, k) -> (b, n, k)>
#qk_s = affine_map<(b, m, n, k) -> (b, m, n)>
#pv_p = affine_map<(b, m, n, k) -> (b, m, k)>
#pv_v = affine_map<(b, m, n, k) -> (b, k, n)>

func.func @values_of_all_heads(%q: tensor<2x8x16xbf16>, %k: tensor<2x8x16xbf16>, %v: tensor<8x16xbf16>) -> tensor<2x8x16xbf16> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x8xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %s = linalg.generic {indexing_maps = [#qk_q, #qk_k, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x8x16xbf16>, tensor<2x8x16xbf16>) outs(%zs : tensor<2x8x8xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x8x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<2x8x8xf32>
  %er = tensor.empty() : tensor<2x8xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x8xf32>) -> tensor<2x8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x8x8xf32>) outs(%zr : tensor<2x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<2x8xf32>
  %ep = tensor.empty() : tensor<2x8x8xbf16>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x8x8xf32>, tensor<2x8xf32>) outs(%ep : tensor<2x8x8xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %1 = arith.divf %a, %b : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  } -> tensor<2x8x8xbf16>
  %eo = tensor.empty() : tensor<2x8x16xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %w = linalg.generic {indexing_maps = [#pv_p, affine_map<(b, m, n, k) -> (k, n)>, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x8x8xbf16>, tensor<8x16xbf16>) outs(%zo : tensor<2x8x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x8x16xf32>
  %en = tensor.empty() : tensor<2x8x16xbf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<2x8x16xf32>) outs(%en : tensor<2x8x16xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %1 = arith.truncf %a : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<2x8x16xbf16>
  return %r : tensor<2x8x16xbf16>
}

// -----

// CHECK-LABEL: func.func @turned_output(
// CHECK-SAME: reason = "the features of a result do not lie side by side"
#id = affine_map<(b, m, n) -> (b, m, n)>
#row = affine_map<(b, m, n) -> (b, m)>
#qk_q = affine_map<(b, m, n, k) -> (b, m, k)>
#qk_k = affine_map<(b, m, n, k) -> (b, n, k)>
#qk_s = affine_map<(b, m, n, k) -> (b, m, n)>
#pv_p = affine_map<(b, m, n, k) -> (b, m, k)>
#pv_v = affine_map<(b, m, n, k) -> (b, k, n)>

func.func @turned_output(%q: tensor<2x8x16xbf16>, %k: tensor<2x8x16xbf16>, %v: tensor<2x8x16xbf16>) -> tensor<2x16x8xbf16> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x8xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %s = linalg.generic {indexing_maps = [#qk_q, #qk_k, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x8x16xbf16>, tensor<2x8x16xbf16>) outs(%zs : tensor<2x8x8xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x8x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<2x8x8xf32>
  %er = tensor.empty() : tensor<2x8xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x8xf32>) -> tensor<2x8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x8x8xf32>) outs(%zr : tensor<2x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<2x8xf32>
  %ep = tensor.empty() : tensor<2x8x8xbf16>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x8x8xf32>, tensor<2x8xf32>) outs(%ep : tensor<2x8x8xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %1 = arith.divf %a, %b : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  } -> tensor<2x8x8xbf16>
  %eo = tensor.empty() : tensor<2x16x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
  %w = linalg.generic {indexing_maps = [#pv_p, #pv_v, affine_map<(b, m, n, k) -> (b, n, m)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x8x8xbf16>, tensor<2x8x16xbf16>) outs(%zo : tensor<2x16x8xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x16x8xf32>
  %en = tensor.empty() : tensor<2x16x8xbf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<2x16x8xf32>) outs(%en : tensor<2x16x8xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %1 = arith.truncf %a : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<2x16x8xbf16>
  return %r : tensor<2x16x8xbf16>
}

// -----

// CHECK-LABEL: func.func @one_query(
// CHECK-SAME: reason = "it has fewer than two rows or columns"
#id = affine_map<(b, m, n) -> (b, m, n)>
#row = affine_map<(b, m, n) -> (b, m)>
#qk_q = affine_map<(b, m, n, k) -> (b, m, k)>
#qk_k = affine_map<(b, m, n, k) -> (b, n, k)>
#qk_s = affine_map<(b, m, n, k) -> (b, m, n)>
#pv_p = affine_map<(b, m, n, k) -> (b, m, k)>
#pv_v = affine_map<(b, m, n, k) -> (b, k, n)>

func.func @one_query(%q: tensor<2x1x16xbf16>, %k: tensor<2x8x16xbf16>, %v: tensor<2x8x16xbf16>) -> tensor<2x1x16xbf16> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x1x8xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %s = linalg.generic {indexing_maps = [#qk_q, #qk_k, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x1x16xbf16>, tensor<2x8x16xbf16>) outs(%zs : tensor<2x1x8xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x1x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x1x8xf32>) outs(%es : tensor<2x1x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<2x1x8xf32>
  %er = tensor.empty() : tensor<2x1xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x1xf32>) -> tensor<2x1xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x1x8xf32>) outs(%zr : tensor<2x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<2x1xf32>
  %ep = tensor.empty() : tensor<2x1x8xbf16>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x1x8xf32>, tensor<2x1xf32>) outs(%ep : tensor<2x1x8xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %1 = arith.divf %a, %b : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  } -> tensor<2x1x8xbf16>
  %eo = tensor.empty() : tensor<2x1x16xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x1x16xf32>) -> tensor<2x1x16xf32>
  %w = linalg.generic {indexing_maps = [#pv_p, #pv_v, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x1x8xbf16>, tensor<2x8x16xbf16>) outs(%zo : tensor<2x1x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x1x16xf32>
  %en = tensor.empty() : tensor<2x1x16xbf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<2x1x16xf32>) outs(%en : tensor<2x1x16xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %1 = arith.truncf %a : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<2x1x16xbf16>
  return %r : tensor<2x1x16xbf16>
}

// -----

// CHECK-LABEL: func.func @no_elements(
// CHECK-NOT: reason
#id = affine_map<(b, m, n) -> (b, m, n)>
#row = affine_map<(b, m, n) -> (b, m)>
#qk_q = affine_map<(b, m, n, k) -> (b, m, k)>
#qk_k = affine_map<(b, m, n, k) -> (b, n, k)>
#qk_s = affine_map<(b, m, n, k) -> (b, m, n)>
#pv_p = affine_map<(b, m, n, k) -> (b, m, k)>
#pv_v = affine_map<(b, m, n, k) -> (b, k, n)>

func.func @no_elements(%q: tensor<0x8x16xbf16>, %k: tensor<0x8x16xbf16>, %v: tensor<0x8x16xbf16>) -> tensor<0x8x16xbf16> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<0x8x8xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<0x8x8xf32>) -> tensor<0x8x8xf32>
  %s = linalg.generic {indexing_maps = [#qk_q, #qk_k, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<0x8x16xbf16>, tensor<0x8x16xbf16>) outs(%zs : tensor<0x8x8xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<0x8x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<0x8x8xf32>) outs(%es : tensor<0x8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<0x8x8xf32>
  %er = tensor.empty() : tensor<0x8xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<0x8xf32>) -> tensor<0x8xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<0x8x8xf32>) outs(%zr : tensor<0x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  } -> tensor<0x8xf32>
  %ep = tensor.empty() : tensor<0x8x8xbf16>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<0x8x8xf32>, tensor<0x8xf32>) outs(%ep : tensor<0x8x8xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %1 = arith.divf %a, %b : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  } -> tensor<0x8x8xbf16>
  %eo = tensor.empty() : tensor<0x8x16xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<0x8x16xf32>) -> tensor<0x8x16xf32>
  %w = linalg.generic {indexing_maps = [#pv_p, #pv_v, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<0x8x8xbf16>, tensor<0x8x16xbf16>) outs(%zo : tensor<0x8x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<0x8x16xf32>
  %en = tensor.empty() : tensor<0x8x16xbf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<0x8x16xf32>) outs(%en : tensor<0x8x16xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %1 = arith.truncf %a : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<0x8x16xbf16>
  return %r : tensor<0x8x16xbf16>
}
