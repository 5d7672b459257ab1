// What the attention operations refuse.
// RUN: tpc-opt %s --split-input-file --verify-diagnostics

#heads = affine_map<(b, h, s, d) -> (b, s, h, d)>
func.func @count(%q: tensor<2x24x4x16xbf16>) -> tensor<2x24x4x16xbf16> {
  // expected-error@+1 {{expected 4 maps, got 3}}
  %o, %s = tp.attention %q, %q, %q maps [#heads, #heads, #heads] scale 1.0 : (tensor<2x24x4x16xbf16>, tensor<2x24x4x16xbf16>, tensor<2x24x4x16xbf16>) -> (tensor<2x24x4x16xbf16>, tensor<2x4x24xf32>)
  return %o : tensor<2x24x4x16xbf16>
}

// -----

#heads = affine_map<(b, h, s, d) -> (b, s, h, d)>
#short = affine_map<(b, h, s, d) -> (b, s, d)>
func.func @rank(%q: tensor<2x24x4x16xbf16>) -> tensor<2x24x4x16xbf16> {
  // expected-error@+1 {{expected a map of batch, head, row and feature to the dims of 'tensor<2x24x4x16xbf16>', got affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>}}
  %o, %s = tp.attention %q, %q, %q maps [#heads, #short, #heads, #heads] scale 1.0 : (tensor<2x24x4x16xbf16>, tensor<2x24x4x16xbf16>, tensor<2x24x4x16xbf16>) -> (tensor<2x24x4x16xbf16>, tensor<2x4x24xf32>)
  return %o : tensor<2x24x4x16xbf16>
}

// -----

#heads = affine_map<(b, h, s, d) -> (b, s, h, d)>
#zero = affine_map<(b, h, s, d) -> (b, s, 0, d)>
func.func @left_out(%q: tensor<2x24x4x16xbf16>) -> tensor<2x24x4x16xbf16> {
  // expected-error@+1 {{expected a map of all dims of 'tensor<2x24x4x16xbf16>', got affine_map<(d0, d1, d2, d3) -> (d0, d2, 0, d3)>}}
  %o, %s = tp.attention %q, %q, %q maps [#zero, #heads, #heads, #heads] scale 1.0 : (tensor<2x24x4x16xbf16>, tensor<2x24x4x16xbf16>, tensor<2x24x4x16xbf16>) -> (tensor<2x24x4x16xbf16>, tensor<2x4x24xf32>)
  return %o : tensor<2x24x4x16xbf16>
}

// -----

#heads = affine_map<(b, h, s, d) -> (b, s, h, d)>
func.func @extents(%q: tensor<2x24x4x16xbf16>, %k: tensor<2x24x8x16xbf16>) -> tensor<2x24x4x16xbf16> {
  // expected-error@+1 {{expected 4 along head of 'tensor<2x24x8x16xbf16>', got 8}}
  %o, %s = tp.attention %q, %k, %q maps [#heads, #heads, #heads, #heads] scale 1.0 : (tensor<2x24x4x16xbf16>, tensor<2x24x8x16xbf16>, tensor<2x24x4x16xbf16>) -> (tensor<2x24x4x16xbf16>, tensor<2x4x24xf32>)
  return %o : tensor<2x24x4x16xbf16>
}

// -----

#heads = affine_map<(b, h, s, d) -> (b, s, h, d)>
func.func @statistics(%q: tensor<2x24x4x16xbf16>) -> tensor<2x24x4x16xbf16> {
  // expected-error@+1 {{expected statistics of 2x4x24, got 'tensor<2x24x4xf32>'}}
  %o, %s = tp.attention %q, %q, %q maps [#heads, #heads, #heads, #heads] scale 1.0 : (tensor<2x24x4x16xbf16>, tensor<2x24x4x16xbf16>, tensor<2x24x4x16xbf16>) -> (tensor<2x24x4x16xbf16>, tensor<2x24x4xf32>)
  return %o : tensor<2x24x4x16xbf16>
}
