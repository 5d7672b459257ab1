// How placements are written: canonical order, omitted axes, aliases.
// RUN: tpc-opt %s | tpc-opt | FileCheck %s

// CHECK-DAG: #R = #tp.placement<@mesh, []>
// CHECK-DAG: #S0_tp_on_other = #tp.placement<@other, [tp: S(0)]>
// CHECK-DAG: #S0_tp_S0_dp = #tp.placement<@mesh, [tp: S(0), dp: S(0)]>
// CHECK-DAG: #S0_dp_S0_tp = #tp.placement<@mesh, [dp: S(0), tp: S(0)]>
// CHECK-DAG: #Psum_dp_S1_tp = #tp.placement<@mesh, [dp: P(sum), tp: S(1)]>
tp.mesh @mesh ["dp" = 2, "tp" = 4]
tp.mesh @other ["tp" = 2, "two words" = 2]

// CHECK-LABEL: func.func private @replicated_axes_are_omitted
// CHECK-SAME: tensor<8x4xf32, #R>, tensor<8x4xf32, #R>
func.func private @replicated_axes_are_omitted(
    tensor<8x4xf32, #tp.placement<@mesh, []>>,
    tensor<8x4xf32, #tp.placement<@mesh, [tp: R, dp: R]>>)

// CHECK-LABEL: func.func private @order_without_nesting_has_no_meaning
// CHECK-SAME: tensor<8x4xf32, #Psum_dp_S1_tp>, tensor<8x4xf32, #Psum_dp_S1_tp>
func.func private @order_without_nesting_has_no_meaning(
    tensor<8x4xf32, #tp.placement<@mesh, [dp: P(sum), tp: S(1)]>>,
    tensor<8x4xf32, #tp.placement<@mesh, [tp: S(1), dp: P(sum)]>>)

// CHECK-LABEL: func.func private @nesting_is_kept
// CHECK-SAME: tensor<8x4xf32, #S0_dp_S0_tp>, tensor<8x4xf32, #S0_tp_S0_dp>
func.func private @nesting_is_kept(
    tensor<8x4xf32, #tp.placement<@mesh, [dp: S(0), tp: S(0)]>>,
    tensor<8x4xf32, #tp.placement<@mesh, [tp: S(0), dp: S(0)]>>)

// CHECK-LABEL: func.func private @partials_of_all_kinds
// CHECK-SAME: #Psum_dp>, {{.*}}#Pmax_dp>, {{.*}}#Pmin_dp>, {{.*}}#Pprod_dp>, {{.*}}#Pand_dp>, {{.*}}#Por_dp>
func.func private @partials_of_all_kinds(
    tensor<4xi32, #tp.placement<@mesh, [dp: P(sum)]>>,
    tensor<4xi32, #tp.placement<@mesh, [dp: P(max)]>>,
    tensor<4xi32, #tp.placement<@mesh, [dp: P(min)]>>,
    tensor<4xi32, #tp.placement<@mesh, [dp: P(prod)]>>,
    tensor<4xi32, #tp.placement<@mesh, [dp: P(and)]>>,
    tensor<4xi1, #tp.placement<@mesh, [dp: P(or)]>>)

// CHECK-LABEL: func.func private @another_mesh_is_named_in_the_alias
// CHECK-SAME: tensor<4xf32, #S0_tp_on_other>
func.func private @another_mesh_is_named_in_the_alias(
    tensor<4xf32, #tp.placement<@other, [tp: S(0)]>>)

// CHECK-LABEL: func.func @axis_names_may_be_quoted
// CHECK-SAME: tp.placement = #tp.placement<@other, ["two words": S(0)]>
func.func @axis_names_may_be_quoted(
    %x: tensor<4xf32> {tp.placement = #tp.placement<@other, ["two words": S(0), "tp": R]>}) {
  return
}
