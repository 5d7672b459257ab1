// [P1] to [P5], and what the parser refuses.
// RUN: tpc-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected every axis once, got axis "tp" twice}}
func.func private @axis_twice(tensor<4xf32, #tp.placement<@mesh, [tp: S(0), tp: P(sum)]>>)

// -----

// expected-error @below {{expected every axis once, got axis "tp" twice}}
func.func private @axis_twice_once_replicated(tensor<4xf32, #tp.placement<@mesh, [tp: R, tp: S(0)]>>)

// -----

// expected-error @below {{expected a shard dim below 1 for axis "tp", got 1}}
func.func private @shard_dim_out_of_range(tensor<4xf32, #tp.placement<@mesh, [tp: S(1)]>>)

// -----

// expected-error @below {{expected a shard dim below 0 for axis "tp", got 0}}
func.func private @a_scalar_has_no_dim_to_shard(tensor<f32, #tp.placement<@mesh, [tp: S(0)]>>)

// -----

// expected-error @below {{expected one kind of partial, got sum and max}}
func.func private @partials_of_two_kinds(tensor<4xf32, #tp.placement<@mesh, [tp: P(max), dp: P(sum)]>>)

// -----

// expected-error @below {{expected an integer element type for P(or), got 'f32'}}
func.func private @bitwise_partial_of_floats(tensor<4xf32, #tp.placement<@mesh, [tp: P(or)]>>)

// -----

// expected-error @below {{expected S(dim), P(sum|max|min|prod|and|or) or R for axis "tp"}}
func.func private @unknown_state(tensor<4xf32, #tp.placement<@mesh, [tp: X]>>)

// -----

// expected-error @below {{expected S(dim), P(sum|max|min|prod|and|or) or R for axis "tp"}}
func.func private @state_is_no_word(tensor<4xf32, #tp.placement<@mesh, [tp: 3]>>)

// -----

// expected-error @below {{expected S(dim), P(sum|max|min|prod|and|or) or R for axis "tp"}}
func.func private @unknown_reduction(tensor<4xf32, #tp.placement<@mesh, [tp: P(avg)]>>)

// -----

// expected-error @below {{expected S(dim), P(sum|max|min|prod|and|or) or R for axis "tp"}}
func.func private @reduction_is_no_word(tensor<4xf32, #tp.placement<@mesh, [tp: P(1)]>>)

// -----

// expected-error @below {{invalid kind of attribute specified}}
func.func private @mesh_is_no_symbol(tensor<4xf32, #tp.placement<"mesh", [tp: S(0)]>>)

// -----

// expected-error @below {{expected a global type without encoding, got 'tensor<4xf32, #tp.placement<@mesh, []>>'}}
func.func private @part_of_a_placed_type() attributes {a = #tp.part<tensor<4xf32, #tp.placement<@mesh, []>>, <@mesh, []>, <@mesh, []>>}

// -----

// expected-error @below {{expected placements on one mesh, got '@mesh' and '@other'}}
func.func private @part_on_two_meshes() attributes {a = #tp.part<tensor<4xf32>, <@mesh, []>, <@other, []>>}

// -----

// expected-error @below {{expected a shard dim below 1 for axis "tp", got 2}}
func.func private @part_shard_dim_out_of_range() attributes {a = #tp.part<tensor<4xf32>, <@mesh, []>, <@mesh, [tp: S(2)]>>}
