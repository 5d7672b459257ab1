// Attention is recognised by the values that its products get; what keeps it from
// being one call is said.
// RUN: tpc-opt %s --tp-fuse-attention --canonicalize | FileCheck %s
// RUN: not tpc-opt %s --tp-fuse-attention=required=true -o /dev/null 2>&1 | FileCheck %s --check-prefix=REQUIRED

// REQUIRED-DAG: error: unsupported: attention in one call, since the scores or probabilities are also used by 'func.return'; --attention=unfused compiles it without
// REQUIRED-DAG: error: unsupported: attention in one call, since the probabilities depend on argument 3; --attention=unfused compiles it without
// REQUIRED-DAG: error: unsupported: attention in one call, since heads have 12 features, not a multiple of 8 up to 128; --attention=unfused compiles it without
// REQUIRED-DAG: error: unsupported: attention in one call, since its elements are f32; --attention=unfused compiles it without
// REQUIRED-DAG: error: unsupported: attention in one call, since a result is not rounded to the type of the operands; --attention=unfused compiles it without

#id = affine_map<(b, m, n) -> (b, m, n)>
#row = affine_map<(b, m, n) -> (b, m)>
#qk_q = affine_map<(b, m, n, k) -> (b, m, k)>
#qk_k = affine_map<(b, m, n, k) -> (b, n, k)>
#qk_s = affine_map<(b, m, n, k) -> (b, m, n)>
#pv_p = affine_map<(b, m, n, k) -> (b, m, k)>
#pv_v = affine_map<(b, m, n, k) -> (b, k, n)>

// CHECK-DAG: #[[$heads:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>
// CHECK-LABEL: func @plain
// CHECK-SAME: tp.attentions = [{gradient = false, loc = "fuse-attention.mlir:{{[0-9]+}}", reason = ""}]
// CHECK: %[[o:.*]], %{{.*}} = tp.attention %{{.*}}, %{{.*}}, %{{.*}} maps [#[[$heads]], #[[$heads]], #[[$heads]], #[[$heads]]] scale 1.000000e+00 : {{.*}} -> (tensor<2x8x16xbf16>, tensor<1x2x8xf32>)
// CHECK-NEXT: return %[[o]]
func.func @plain(%q: tensor<2x8x16xbf16>, %k: tensor<2x8x16xbf16>, %v: tensor<2x8x16xbf16>) -> tensor<2x8x16xbf16> {
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

// CHECK-LABEL: func @scaled_and_causal
// CHECK: tp.attention {{.*}} scale 2.5{{[0-9e+-]*}} causal
func.func @scaled_and_causal(%q: tensor<2x8x16xbf16>, %k: tensor<2x8x16xbf16>, %v: tensor<2x8x16xbf16>) -> tensor<2x8x16xbf16> {
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
  %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %low = arith.constant -1.0e+04 : f32
    %c = arith.constant 2.5e-01 : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %1 = arith.mulf %a, %c : f32
    %2 = arith.cmpi ule, %j, %i : index
    %3 = arith.select %2, %1, %low : f32
    linalg.yield %3 : f32
  } -> tensor<2x8x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%m : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) {
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

// No mask that the library has.
// CHECK-LABEL: func @sliding_window
// CHECK-NOT: tp.attention %
// CHECK: math.exp
func.func @sliding_window(%q: tensor<2x8x16xbf16>, %k: tensor<2x8x16xbf16>, %v: tensor<2x8x16xbf16>) -> tensor<2x8x16xbf16> {
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
  %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %low = arith.constant -1.0e+04 : f32
    %c = arith.constant 2.5e-01 : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %1 = arith.mulf %a, %c : f32
    %2 = arith.cmpi ule, %j, %i : index
    %d = arith.subi %i, %j : index
    %four = arith.constant 4 : index
    %near = arith.cmpi slt, %d, %four : index
    %both = arith.andi %2, %near : i1
    %3 = arith.select %both, %1, %low : f32
    linalg.yield %3 : f32
  } -> tensor<2x8x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%m : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) {
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

// CHECK-LABEL: func @mask_argument
// CHECK-SAME: reason = "the probabilities depend on argument 3"
// CHECK-NOT: tp.attention %
// CHECK: math.exp
func.func @mask_argument(%q: tensor<2x8x16xbf16>, %k: tensor<2x8x16xbf16>, %v: tensor<2x8x16xbf16>, %mask: tensor<2x8x8xf32>) -> tensor<2x8x16xbf16> {
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
  %m = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s, %mask : tensor<2x8x8xf32>, tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<2x8x8xf32>
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%m : tensor<2x8x8xf32>) outs(%es : tensor<2x8x8xf32>) {
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

// CHECK-LABEL: func @two_products
// CHECK-SAME: reason = "its products are not those of one attention"
func.func @two_products(%q: tensor<2x8x16xbf16>, %k: tensor<2x8x16xbf16>, %v: tensor<2x8x16xbf16>, %u: tensor<2x8x16xbf16>) -> (tensor<2x8x16xbf16>, tensor<2x8x16xf32>) {
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
  %w = linalg.generic {indexing_maps = [#pv_p, #pv_v, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x8x8xbf16>, tensor<2x8x16xbf16>) outs(%zo : tensor<2x8x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x8x16xf32>
  %w2 = linalg.generic {indexing_maps = [#pv_p, #pv_v, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %u : tensor<2x8x8xbf16>, tensor<2x8x16xbf16>) outs(%zo : tensor<2x8x16xf32>) {
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
  return %r, %w2 : tensor<2x8x16xbf16>, tensor<2x8x16xf32>
}

// CHECK-LABEL: func @exponentials_too
// CHECK-SAME: reason = "something else is computed from the scores"
func.func @exponentials_too(%q: tensor<2x8x16xbf16>, %k: tensor<2x8x16xbf16>, %v: tensor<2x8x16xbf16>, %u: tensor<2x8x16xbf16>) -> (tensor<2x8x16xbf16>, tensor<2x8x16xf32>) {
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
  %ee = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e : tensor<2x8x8xf32>) outs(%ep : tensor<2x8x8xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %1 = arith.truncf %a : f32 to bf16
    linalg.yield %1 : bf16
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
  %w2 = linalg.generic {indexing_maps = [#pv_p, #pv_v, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%ee, %u : tensor<2x8x8xbf16>, tensor<2x8x16xbf16>) outs(%zo : tensor<2x8x16xf32>) {
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
  return %r, %w2 : tensor<2x8x16xbf16>, tensor<2x8x16xf32>
}

// CHECK-LABEL: func @product_with_dropout
// CHECK-SAME: reason = "the probabilities depend on argument 4"
func.func @product_with_dropout(%q: tensor<2x8x16xbf16>, %k: tensor<2x8x16xbf16>, %v: tensor<2x8x16xbf16>, %u: tensor<2x8x16xbf16>, %keep: tensor<2x8x8xbf16>) -> (tensor<2x8x16xbf16>, tensor<2x8x16xf32>) {
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
  %ee = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %keep : tensor<2x8x8xbf16>, tensor<2x8x8xbf16>) outs(%ep : tensor<2x8x8xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %o: bf16):
    %1 = arith.mulf %a, %b : bf16
    linalg.yield %1 : bf16
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
  %w2 = linalg.generic {indexing_maps = [#pv_p, #pv_v, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%ee, %u : tensor<2x8x8xbf16>, tensor<2x8x16xbf16>) outs(%zo : tensor<2x8x16xf32>) {
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
  return %r, %w2 : tensor<2x8x16xbf16>, tensor<2x8x16xf32>
}

// CHECK-LABEL: func @probabilities_returned
// CHECK-SAME: reason = "the scores or probabilities are also used by 'func.return'"
func.func @probabilities_returned(%q: tensor<2x8x16xbf16>, %k: tensor<2x8x16xbf16>, %v: tensor<2x8x16xbf16>) -> (tensor<2x8x16xbf16>, tensor<2x8x8xbf16>) {
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
  return %r, %p : tensor<2x8x16xbf16>, tensor<2x8x8xbf16>
}

// CHECK-LABEL: func @odd_heads
// CHECK-SAME: reason = "heads have 12 features, not a multiple of 8 up to 128"
func.func @odd_heads(%q: tensor<2x8x12xbf16>, %k: tensor<2x8x12xbf16>, %v: tensor<2x8x12xbf16>) -> tensor<2x8x12xbf16> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x8xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %s = linalg.generic {indexing_maps = [#qk_q, #qk_k, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x8x12xbf16>, tensor<2x8x12xbf16>) outs(%zs : tensor<2x8x8xf32>) {
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
  %eo = tensor.empty() : tensor<2x8x12xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x8x12xf32>) -> tensor<2x8x12xf32>
  %w = linalg.generic {indexing_maps = [#pv_p, #pv_v, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x8x8xbf16>, tensor<2x8x12xbf16>) outs(%zo : tensor<2x8x12xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x8x12xf32>
  %en = tensor.empty() : tensor<2x8x12xbf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%w : tensor<2x8x12xf32>) outs(%en : tensor<2x8x12xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %1 = arith.truncf %a : f32 to bf16
    linalg.yield %1 : bf16
  } -> tensor<2x8x12xbf16>
  return %r : tensor<2x8x12xbf16>
}

// CHECK-LABEL: func @wide
// CHECK-SAME: reason = "its elements are f32"
func.func @wide(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x8x8xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %s = linalg.generic {indexing_maps = [#qk_q, #qk_k, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%q, %k : tensor<2x8x16xf32>, tensor<2x8x16xf32>) outs(%zs : tensor<2x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %3 = arith.mulf %a, %b : f32
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
  %ep = tensor.empty() : tensor<2x8x8xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %sum : tensor<2x8x8xf32>, tensor<2x8xf32>) outs(%ep : tensor<2x8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.divf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<2x8x8xf32>
  %eo = tensor.empty() : tensor<2x8x16xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  %w = linalg.generic {indexing_maps = [#pv_p, #pv_v, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x8x8xf32>, tensor<2x8x16xf32>) outs(%zo : tensor<2x8x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %3 = arith.mulf %a, %b : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x8x16xf32>
  return %w : tensor<2x8x16xf32>
}

// CHECK-LABEL: func @unrounded
// CHECK-SAME: reason = "a result is not rounded to the type of the operands"
func.func @unrounded(%q: tensor<2x8x16xbf16>, %k: tensor<2x8x16xbf16>, %v: tensor<2x8x16xbf16>) -> tensor<2x8x16xf32> {
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
  %w = linalg.generic {indexing_maps = [#pv_p, #pv_v, #qk_s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %v : tensor<2x8x8xbf16>, tensor<2x8x16xbf16>) outs(%zo : tensor<2x8x16xf32>) {
  ^bb0(%a: bf16, %b: bf16, %o: f32):
    %1 = arith.extf %a : bf16 to f32
    %2 = arith.extf %b : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<2x8x16xf32>
  return %w : tensor<2x8x16xf32>
}

