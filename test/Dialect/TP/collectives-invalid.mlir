// [C1], [C2]: a collective is exactly the step its placements call for.
// RUN: tpc-opt %s --split-input-file --verify-diagnostics

tp.mesh @mesh ["tp" = 2]
func.func @no_operand() {
  // expected-error @below {{'tp.all_gather' op expected at least one operand}}
  "tp.all_gather"() {axes = ["tp"]} : () -> ()
  return
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
tp.mesh @mesh ["tp" = 2]
func.func @no_result(%x: tensor<4xf32, #rows>) {
  // expected-error @below {{'tp.all_gather' op expected one result per operand, got 0 for 1}}
  tp.all_gather %x over ["tp"] : (tensor<4xf32, #rows>) -> ()
  return
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @one_part_too_many(%x: tensor<2xf32>) {
  // expected-error @below {{'tp.all_gather' op expected one part per operand, got 2 for 1}}
  %0 = tp.all_gather %x over ["tp"] parts [#tp.part<tensor<4xf32>, #rows, #all>, #tp.part<tensor<4xf32>, #rows, #all>] : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

#part = #tp.placement<@mesh, [tp: P(sum)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @reduction_missing(%x: tensor<4xf32, #part>) {
  // expected-error @below {{'tp.all_reduce' op expected 'by' and a reduction}}
  %0 = tp.all_reduce %x over ["tp"] : (tensor<4xf32, #part>) -> tensor<4xf32, #all>
  return
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @reduction_without_partials(%x: tensor<4xf32, #rows>) {
  // expected-error @below {{'tp.all_gather' op expected no reduction in a step without partial tensors, got "sum"}}
  %0 = tp.all_gather %x over ["tp"] by "sum" : (tensor<4xf32, #rows>) -> tensor<4xf32, #all>
  return
}

// -----

#part = #tp.placement<@mesh, [tp: P(sum)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @reduction_of_another_kind(%x: tensor<4xf32, #part>) {
  // expected-error @below {{'tp.all_reduce' op expected the reduction "sum" of the placements, got "max"}}
  %0 = tp.all_reduce %x over ["tp"] by "max" : (tensor<4xf32, #part>) -> tensor<4xf32, #all>
  return
}

// -----

#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @not_placed(%x: tensor<4xf32>) {
  // expected-error @below {{'tp.slice' op expected a placement in both types or 'parts', got 'tensor<4xf32>' and 'tensor<4xf32, #tp.placement<@mesh, []>>'}}
  %0 = tp.slice %x over ["tp"] : (tensor<4xf32>) -> tensor<4xf32, #all>
  return
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @shape_changes_before_partition(%x: tensor<4xf32, #rows>) {
  // expected-error @below {{'tp.all_gather' op expected shape and element type to stay, got 'tensor<4xf32>' and 'tensor<8xf32>'}}
  %0 = tp.all_gather %x over ["tp"] : (tensor<4xf32, #rows>) -> tensor<8xf32, #all>
  return
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
#other = #tp.placement<@other, []>
tp.mesh @mesh ["tp" = 2]
tp.mesh @other ["tp" = 2]
func.func @two_meshes(%x: tensor<4xf32, #rows>) {
  // expected-error @below {{'tp.all_gather' op expected placements on one mesh, got '@mesh' and '@other'}}
  %0 = tp.all_gather %x over ["tp"] : (tensor<4xf32, #rows>) -> tensor<4xf32, #other>
  return
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @dynamic_dim(%x: tensor<?xf32, #rows>) {
  // expected-error @below {{'tp.all_gather' op unsupported: dynamic dim in 'tensor<?xf32>'}}
  %0 = tp.all_gather %x over ["tp"] : (tensor<?xf32, #rows>) -> tensor<?xf32, #all>
  return
}

// -----

#rows = #tp.placement<@mesh, [ep: S(0)]>
#all = #tp.placement<@mesh, []>
// expected-note @below {{mesh '@mesh' is declared here}}
tp.mesh @mesh ["tp" = 2]
func.func @placement_on_unknown_axis(%x: tensor<4xf32, #rows>) {
  // expected-error @below {{'tp.all_gather' op expected an axis of mesh '@mesh' (tp=2), got axis "ep"}}
  %0 = tp.all_gather %x over ["ep"] : (tensor<4xf32, #rows>) -> tensor<4xf32, #all>
  return
}

// -----

#rows = #tp.placement<@mash, [tp: S(0)]>
#all = #tp.placement<@mash, []>
tp.mesh @mesh ["tp" = 2]
func.func @unknown_mesh(%x: tensor<4xf32, #rows>) {
  // expected-error @below {{'tp.all_gather' op expected the name of a tp.mesh of the module, got '@mash'}}
  %0 = tp.all_gather %x over ["tp"] : (tensor<4xf32, #rows>) -> tensor<4xf32, #all>
  return
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["dp" = 2, "tp" = 2]
func.func @another_axis(%x: tensor<4xf32, #rows>) {
  // expected-error @below {{'tp.all_gather' op expected 'all_gather over ["dp"]', got [tp: S(0)] -> [], which is 'all_gather over ["tp"]'}}
  %0 = tp.all_gather %x over ["dp"] : (tensor<4xf32, #rows>) -> tensor<4xf32, #all>
  return
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
#cols = #tp.placement<@mesh, [tp: S(1)]>
tp.mesh @mesh ["tp" = 2]
func.func @another_kind(%x: tensor<4x4xf32, #rows>) {
  // expected-error @below {{'tp.permute' op expected 'permute over ["tp"]', got [tp: S(0)] -> [tp: S(1)], which is 'all_to_all over ["tp"]'}}
  %0 = tp.permute %x over ["tp"] : (tensor<4x4xf32, #rows>) -> tensor<4x4xf32, #cols>
  return
}

// -----

#part = #tp.placement<@mesh, [tp: P(sum)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @send_recv_does_not_reduce(%x: tensor<4xf32, #part>) {
  // expected-error @below {{'tp.send_recv' op expected 'send_recv over ["tp"]', got [tp: P(sum)] -> [], which is 'all_reduce over ["tp"]'}}
  %0 = tp.send_recv %x over ["tp"] : (tensor<4xf32, #part>) -> tensor<4xf32, #all>
  return
}

// -----

#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @nothing_changes(%x: tensor<4xf32, #all>) {
  // expected-error @below {{'tp.all_gather' op expected 'all_gather over ["tp"]', got [] -> [], which is no change}}
  %0 = tp.all_gather %x over ["tp"] : (tensor<4xf32, #all>) -> tensor<4xf32, #all>
  return
}

// -----

#from = #tp.placement<@mesh, [dp: P(sum), tp: S(0)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["dp" = 2, "tp" = 2]
func.func @two_steps_in_one(%x: tensor<4xf32, #from>) {
  // expected-error @below {{'tp.all_reduce' op expected 'all_reduce over ["dp"]', got [dp: P(sum), tp: S(0)] -> [], which is more than one step}}
  %0 = tp.all_reduce %x over ["dp"] by "sum" : (tensor<4xf32, #from>) -> tensor<4xf32, #all>
  return
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @operand_is_not_local(%x: tensor<5xf32>) {
  // expected-error @below {{'tp.all_gather' op expected an operand of the local type 'tensor<3xf32>', got 'tensor<5xf32>'}}
  %0 = tp.all_gather %x over ["tp"] parts [#tp.part<tensor<5xf32>, #rows, #all>] : (tensor<5xf32>) -> tensor<5xf32>
  return
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @result_is_not_local(%x: tensor<3xf32>) {
  // expected-error @below {{'tp.all_gather' op expected a result of the local type 'tensor<5xf32>', got 'tensor<6xf32>'}}
  %0 = tp.all_gather %x over ["tp"] parts [#tp.part<tensor<5xf32>, #rows, #all>] : (tensor<3xf32>) -> tensor<6xf32>
  return
}

// -----

#rows = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
tp.mesh @mesh ["tp" = 2]
func.func @second_of_a_bucket(%x: tensor<4xf32, #rows>, %y: tensor<4xf32, #all>) {
  // expected-error @below {{'tp.all_gather' op operand #1: expected 'all_gather over ["tp"]', got [] -> [tp: S(0)], which is 'slice over ["tp"]'}}
  %0:2 = tp.all_gather %x, %y over ["tp"] : (tensor<4xf32, #rows>, tensor<4xf32, #all>) -> (tensor<4xf32, #all>, tensor<4xf32, #rows>)
  return
}
