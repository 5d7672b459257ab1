// [R1], [R2], [P2].
// RUN: tpc-opt %s --split-input-file --verify-diagnostics

#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @shape_changes(%x: tensor<4xf32, #all>) {
  // expected-error @below {{'tp.redistribute' op expected shape and element type to stay, got 'tensor<4xf32>' and 'tensor<5xf32>'}}
  %0 = tp.redistribute %x : tensor<4xf32, #all> -> tensor<5xf32, #all>
  return
}

// -----

#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @element_type_changes(%x: tensor<4xf32, #all>) {
  // expected-error @below {{'tp.redistribute' op expected shape and element type to stay, got 'tensor<4xf32>' and 'tensor<4xf64>'}}
  %0 = tp.redistribute %x : tensor<4xf32, #all> -> tensor<4xf64, #all>
  return
}

// -----

#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @operand_not_placed(%x: tensor<4xf32>) {
  // expected-error @below {{'tp.redistribute' op expected a placement in both types, got 'tensor<4xf32>' and 'tensor<4xf32, #tp.placement<@mesh, []>>'}}
  %0 = tp.redistribute %x : tensor<4xf32> -> tensor<4xf32, #all>
  return
}

// -----

#all = #tp.placement<@mesh, []>
#other = #tp.placement<@other, []>
tp.mesh @mesh ["tp" = 2]
tp.mesh @other ["tp" = 2]
func.func @two_meshes(%x: tensor<4xf32, #all>) {
  // expected-error @below {{'tp.redistribute' op expected placements on one mesh, got '@mesh' and '@other'}}
  %0 = tp.redistribute %x : tensor<4xf32, #all> -> tensor<4xf32, #other>
  return
}

// -----

#all = #tp.placement<@mesh, []>
#rows = #tp.placement<@mesh, [ep: S(0)]>
// expected-note @below {{mesh '@mesh' is declared here}}
tp.mesh @mesh ["dp" = 2, "tp" = 4]
func.func @unknown_axis(%x: tensor<4xf32, #all>) {
  // expected-error @below {{'tp.redistribute' op expected an axis of mesh '@mesh' (dp=2,tp=4), got axis "ep"}}
  %0 = tp.redistribute %x : tensor<4xf32, #all> -> tensor<4xf32, #rows>
  return
}

// -----

#all = #tp.placement<@mash, []>
#rows = #tp.placement<@mash, [tp: S(0)]>
tp.mesh @mesh ["dp" = 2, "tp" = 4]
func.func @unknown_mesh(%x: tensor<4xf32, #all>) {
  // expected-error @below {{'tp.redistribute' op expected the name of a tp.mesh of the module, got '@mash'}}
  %0 = tp.redistribute %x : tensor<4xf32, #all> -> tensor<4xf32, #rows>
  return
}
