// Pins are checked against the mesh and the tensor, the cotangent's too.
// RUN: tpc-opt %s --split-input-file --verify-diagnostics

// expected-note @below {{mesh '@mesh' is declared here}}
tp.mesh @mesh ["tp" = 2]
func.func @unknown_axis(%x: tensor<4xf32>) {
  // expected-error @below {{'tp.constrain' op expected an axis of mesh '@mesh' (tp=2), got axis "dp"}}
  %0 = tp.constrain %x to <@mesh, [dp: S(0)]> : tensor<4xf32>
  return
}

// -----

func.func @no_mesh(%x: tensor<4xf32>) {
  // expected-error @below {{'tp.constrain' op expected the name of a tp.mesh of the module, got '@mesh'}}
  %0 = tp.constrain %x to <@mesh, [dp: S(0)]> : tensor<4xf32>
  return
}

// -----

tp.mesh @mesh ["tp" = 2]
func.func @shard_dim_out_of_range(%x: tensor<4xf32>) {
  // expected-error @below {{'tp.constrain' op expected a shard dim below 1 for axis "tp", got 1}}
  %0 = tp.constrain %x to <@mesh, [tp: S(1)]> : tensor<4xf32>
  return
}

// -----

tp.mesh @mesh ["tp" = 2]
func.func @cotangent_shard_dim_out_of_range(%x: tensor<4xf32>) {
  // expected-error @below {{'tp.constrain' op cotangent: expected a shard dim below 1 for axis "tp", got 2}}
  %0 = tp.constrain %x to <@mesh, []> cotangent <@mesh, [tp: S(2)]> : tensor<4xf32>
  return
}

// -----

tp.mesh @mesh ["tp" = 2]
func.func @placement_in_full_reads_the_type(%x: tensor<4xf32>) {
  %0 = tp.constrain %x to #tp.placement<@mesh, []> : tensor<4xf32>
  // expected-error @below {{expected ':' and a type behind the placement; write it as <@mesh, [...]> or as an alias, not as #tp.placement<...>}}
  return
}
