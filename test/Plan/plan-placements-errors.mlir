// What cannot be planned: one error each, with notes at the pins that cannot be met together.
// RUN: tpc-opt %s --split-input-file --tp-plan-placements --verify-diagnostics -o /dev/null
// RUN: echo 'tp.mesh @mesh ["tp" = 2]' | not tpc-opt --tp-plan-placements="objective=speed" 2>&1 | FileCheck %s --check-prefix=OBJECTIVE
// OBJECTIVE: expected objective time, bytes or count, got "speed"
// RUN: echo 'tp.mesh @mesh ["tp" = 2]' | not tpc-opt --tp-plan-placements="target-spec=%t.none" 2>&1 | FileCheck %s --check-prefix=SPEC
// SPEC: expected a machine description, one of a100, cpu, h100, h200 or a JSON file, got "{{.*}}.none": No such file or directory

// The reader of a weight that must stay in columns is pinned to rows.
tp.mesh @mesh ["tp" = 2]
// expected-error @+1 {{no plan for '@use_pin_and_reader_disagree' meets all of its pins; drop or change one of those named below}}
func.func @use_pin_and_reader_disagree(%w: tensor<4x4xf32>) -> (tensor<4x4xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, []>}) {
  // expected-note @+1 {{is pinned to [tp: S(1)]}}
  %used = tp.constrain %w to <@mesh, [tp: S(1)]> {tp.used} : tensor<4x4xf32>
  // expected-note @+1 {{result 'y' is pinned to []}}
  return %used : tensor<4x4xf32>
}

// -----

// A region declares what it takes; three readers that could do are not named.
tp.mesh @mesh ["tp" = 2]
// expected-error @+1 {{no plan for '@use_pin_and_region_disagree' meets all of its pins}}
func.func @use_pin_and_region_disagree(%w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-note @+1 {{is pinned to [tp: S(1)]}}
  %used = tp.constrain %w to <@mesh, [tp: S(1)]> {tp.used} : tensor<4x4xf32>
  %empty = tensor.empty() : tensor<4x4xf32>
  %a = linalg.exp ins(%used : tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-note @+1 {{is pinned to []}}
  %y = tp.manual (%used) in [#tp.placement<@mesh, []>] out [#tp.placement<@mesh, []>] {
  ^bb0(%local: tensor<4x4xf32>):
    tp.yield %local : tensor<4x4xf32>
  } : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %z = linalg.add ins(%a, %y : tensor<4x4xf32>, tensor<4x4xf32>) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %z : tensor<4x4xf32>
}

// -----

tp.mesh @mesh ["tp" = 2]
// All operations without a rule at once.
func.func @no_rule(%x: tensor<4xf32>, %n: tensor<index>) -> (tensor<2x2xf32>) {
  %0 = arith.constant 0.0 : f32
  // expected-error @+1 {{unsupported: no sharding rule for 'tensor.from_elements'; write it as a linalg.generic}}
  %1 = tensor.from_elements %0, %0, %0, %0 : tensor<2x2xf32>
  // expected-error @+1 {{unsupported: no sharding rule for 'scf.while'; write it as a linalg.generic}}
  %2 = scf.while (%a = %1) : (tensor<2x2xf32>) -> tensor<2x2xf32> {
    %true = arith.constant true
    scf.condition(%true) %a : tensor<2x2xf32>
  } do {
  ^bb0(%b: tensor<2x2xf32>):
    scf.yield %b : tensor<2x2xf32>
  }
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %upper = tensor.extract %n[] : tensor<index>
  // expected-error @+1 {{unsupported: a trip count that is not a constant; give the loop constant bounds}}
  %3 = scf.for %i = %c0 to %upper step %c1 iter_args(%a = %1) -> (tensor<2x2xf32>) {
    scf.yield %a : tensor<2x2xf32>
  }
  // expected-error @+1 {{unsupported: 'scf.for' with a result of type 'f32'; make it a tensor}}
  %4 = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %0) -> (f32) {
    scf.yield %a : f32
  }
  %true = arith.constant true
  // expected-error @+1 {{unsupported: 'scf.if' without results; nothing it does is used}}
  scf.if %true {
  }
  // expected-error @+1 {{'tensor.extract' op unsupported: index of dim 0 is not a constant; use tensor.extract_slice}}
  %5 = tensor.extract %x[%upper] : tensor<4xf32>
  return %1 : tensor<2x2xf32>
}

// -----

tp.mesh @mesh ["tp" = 2]
// expected-error @+1 {{unsupported: argument 'i' of type 'index'; pass it as a tensor}}
func.func @argument_that_is_no_tensor(%i: index {tp.name = "i"}) {
  return
}

// -----

tp.mesh @mesh ["tp" = 2]
// expected-error @+1 {{unsupported: result #1 of type 'f32'; return it as a tensor}}
func.func @result_that_is_no_tensor(%x: tensor<4xf32>) -> (tensor<4xf32>, f32) {
  %zero = arith.constant 0.0 : f32
  return %x, %zero : tensor<4xf32>, f32
}

// -----

tp.mesh @mesh ["tp" = 2]
// expected-error @+1 {{unsupported: control flow between blocks; inline it or use structured operations}}
func.func @two_blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^next
^next:
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected one tp.mesh in the module; name the mesh with --mesh NAME=SIZE,...}}
module {
}
