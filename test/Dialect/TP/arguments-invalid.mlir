// What verification says about `tp.` attributes of arguments, results and
// operations.
// RUN: tpc-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'tp.placement' of argument 'x': expected the name of a tp.mesh of the module, got '@mesh'}}
func.func @unknown_mesh(%x: tensor<4xf32> {tp.name = "x", tp.placement = #tp.placement<@mesh, [tp: S(0)]>}) {
  return
}

// -----

// expected-note @below {{mesh '@mesh' is declared here}}
tp.mesh @mesh ["dp" = 2, "tp" = 4]
// expected-error @below {{'tp.placement' of argument '%arg1': expected an axis of mesh '@mesh' (dp=2,tp=4), got axis "ep"}}
func.func @unknown_axis(%x: tensor<4xf32>, %y: tensor<4xf32> {tp.placement = #tp.placement<@mesh, [ep: S(0)]>}) {
  return
}

// -----

tp.mesh @mesh ["dp" = 2, "tp" = 4]
// expected-error @below {{'tp.use' of argument 'w': expected a shard dim below 2 for axis "tp", got 2}}
func.func @shard_dim_out_of_range(%x: tensor<4x8xf32> {tp.name = "w", tp.use = #tp.placement<@mesh, [tp: S(2)]>}) {
  return
}

// -----

tp.mesh @mesh ["tp" = 4]
// expected-error @below {{'tp.placement' of argument '%arg0': expected a ranked tensor, got 'f32'}}
func.func @not_a_tensor(%x: f32 {tp.placement = #tp.placement<@mesh, []>}) {
  return
}

// -----

// expected-error @below {{'tp.placement' of argument '%arg0': expected a #tp.placement, got "tp:S(0)"}}
func.func @not_a_placement(%x: tensor<4xf32> {tp.placement = "tp:S(0)"}) {
  return
}

// -----

// expected-error @below {{'tp.name' of argument '%arg0': expected a string that is not empty, got 3 : i64}}
func.func @name_is_no_string(%x: tensor<4xf32> {tp.name = 3}) {
  return
}

// -----

// expected-error @below {{'tp.name' of argument '': expected a string that is not empty, got ""}}
func.func @name_is_empty(%x: tensor<4xf32> {tp.name = ""}) {
  return
}

// -----

func.func @arguments_of_one_name(
    %before: tensor<4xf32>,
    // expected-note @below {{argument #1 has the same name}}
    %x: tensor<4xf32> {tp.name = "x"},
    %y: tensor<4xf32> {tp.name = "y"},
    // expected-error @below {{'tp.name' of argument 'x': expected different names, got "x" twice}}
    %z: tensor<4xf32> {tp.name = "x"}) {
  return
}

// -----

// expected-error @below {{'tp.name' of result 'y': expected different names, got "y" twice}}
// expected-note @below {{result #0 has the same name}}
func.func private @results_of_one_name() -> (tensor<4xf32> {tp.name = "y"}, tensor<4xf32> {tp.name = "y"})

// -----

// expected-error @below {{'tp.grad' of argument 'ids': expected a tensor of floats to differentiate with respect to, got 'tensor<4xi64>'}}
func.func @gradient_of_integers(%x: tensor<4xi64> {tp.name = "ids", tp.grad}) {
  return
}

// -----

// expected-error @below {{'tp.grad' of argument '%arg0': expected a tensor of floats to differentiate with respect to, got 'f32'}}
func.func @gradient_of_a_scalar(%x: f32 {tp.grad}) {
  return
}

// -----

// expected-error @below {{'tp.param' of argument '%arg0': expected no value, got true}}
func.func @mark_with_a_value(%x: tensor<4xf32> {tp.param = true}) {
  return
}

// -----

// expected-error @below {{'tp.grads' of argument '%arg0': expected tp.name, tp.placement, tp.use, tp.param, tp.grad or tp.donate}}
func.func @unknown_attribute(%x: tensor<4xf32> {tp.grads}) {
  return
}

// -----

// expected-error @below {{'tp.grad' of result #0: expected on an argument, got it on a result}}
func.func private @gradient_of_a_result() -> (tensor<4xf32> {tp.grad})

// -----

// expected-note @below {{mesh '@mesh' is declared here}}
tp.mesh @mesh ["tp" = 4]
// expected-error @below {{'tp.placement' of result 'y': expected an axis of mesh '@mesh' (tp=4), got axis "dp"}}
func.func private @unknown_axis_on_a_result() -> (tensor<4xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [dp: S(0)]>})

// -----

func.func @phase_is_unknown() {
  // expected-error @below {{'func.return' op expected "forward", "backward" or "update" for 'tp.phase', got "sideways"}}
  return {tp.phase = "sideways"}
}

// -----

func.func @reason_is_no_string() {
  // expected-error @below {{'func.return' op expected a string for 'tp.why', got 1 : i64}}
  return {tp.why = 1}
}

// -----

func.func @value_is_no_string() {
  // expected-error @below {{'func.return' op expected a string for 'tp.value', got unit}}
  return {tp.value}
}

// -----

// expected-error @below {{'tp.global' of argument '%arg0': expected the type of the global tensor, got f32}}
func.func @global_is_no_tensor(%x: tensor<2xf32> {tp.global = f32}) {
  return
}
