// Coordinates and chunks name axes of a mesh.
// RUN: tpc-opt %s --split-input-file --verify-diagnostics

// expected-note @below {{mesh '@mesh' is declared here}}
tp.mesh @mesh ["dp" = 2, "tp" = 4]
func.func @coordinate_of_unknown_axis() {
  // expected-error @below {{'tp.coordinate' op expected an axis of mesh '@mesh' (dp=2,tp=4), got axis "ep"}}
  %0 = tp.coordinate "ep" of @mesh
  return
}

// -----

func.func @coordinate_of_unknown_mesh() {
  // expected-error @below {{'tp.coordinate' op expected the name of a tp.mesh of the module, got '@mesh'}}
  %0 = tp.coordinate "tp" of @mesh
  return
}

// -----

func.func private @mesh()
func.func @coordinate_of_something_else() {
  // expected-error @below {{'tp.coordinate' op expected the name of a tp.mesh of the module, got '@mesh'}}
  %0 = tp.coordinate "tp" of @mesh
  return
}

// -----

// expected-note @below {{mesh '@mesh' is declared here}}
tp.mesh @mesh ["dp" = 2, "tp" = 4]
func.func @chunk_on_unknown_axis() {
  // expected-error @below {{'tp.chunk_size' op expected an axis of mesh '@mesh' (dp=2,tp=4), got axis "ep"}}
  %0 = tp.chunk_size 5 dim 0 of #tp.placement<@mesh, [ep: S(0)]>
  return
}

// -----

tp.mesh @mesh ["dp" = 2, "tp" = 4]
func.func @negative_length() {
  // expected-error @below {{'tp.chunk_offset' op expected a length of at least 0, got -1}}
  %0 = tp.chunk_offset -1 dim 0 of #tp.placement<@mesh, [tp: S(0)]>
  return
}

// -----

tp.mesh @mesh ["dp" = 2, "tp" = 4]
func.func @negative_dim() {
  // expected-error @below {{'tp.chunk_size' op expected a dim of at least 0, got -1}}
  %0 = tp.chunk_size 4 dim -1 of #tp.placement<@mesh, [tp: S(0)]>
  return
}
