// Which steps cancel, which join, and which are left alone.
// RUN: tpc-opt %s --canonicalize | FileCheck %s

#all = #tp.placement<@mesh, []>
#part = #tp.placement<@mesh, [tp: P(sum)]>
#rows = #tp.placement<@mesh, [tp: S(0)]>
#cols = #tp.placement<@mesh, [tp: S(1)]>
#dp_rows = #tp.placement<@mesh, [dp: S(0)]>
#dp_rows_part = #tp.placement<@mesh, [dp: S(0), tp: P(sum)]>
#inner = #tp.placement<@mesh, [dp: S(0), tp: S(0)]>
tp.mesh @mesh ["dp" = 2, "tp" = 2]

// CHECK-LABEL: func.func @redistribute_to_the_same_placement
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: return %[[X]]
func.func @redistribute_to_the_same_placement(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows> {
  %0 = tp.redistribute %x : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #rows>
  return %0 : tensor<8x4xf32, #rows>
}

// CHECK-LABEL: func.func @redistribute_of_redistribute
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: %[[Y:.*]] = tp.redistribute %[[X]] {tp.why = "second"} : tensor<8x4xf32, #S0_tp> -> tensor<8x4xf32, #S1_tp>
// CHECK-NEXT: return %[[Y]]
func.func @redistribute_of_redistribute(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #cols> {
  %0 = tp.redistribute %x {tp.why = "first"} : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #all>
  %1 = tp.redistribute %0 {tp.why = "second"} : tensor<8x4xf32, #all> -> tensor<8x4xf32, #cols>
  return %1 : tensor<8x4xf32, #cols>
}

// CHECK-LABEL: func.func @redistribute_there_and_back
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: %[[Y:.*]] = tp.redistribute
// CHECK-NEXT: return %[[Y]], %[[X]]
func.func @redistribute_there_and_back(%x: tensor<8x4xf32, #rows>) -> (tensor<8x4xf32, #all>, tensor<8x4xf32, #rows>) {
  %0 = tp.redistribute %x : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #all>
  %1 = tp.redistribute %0 : tensor<8x4xf32, #all> -> tensor<8x4xf32, #rows>
  return %0, %1 : tensor<8x4xf32, #all>, tensor<8x4xf32, #rows>
}

// A plan derives the replicated value from the sharded one on purpose.
// CHECK-LABEL: func.func @shared_redistribute_stays
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: %[[Y:.*]] = tp.redistribute %[[X]]
// CHECK-NEXT: %[[Z:.*]] = tp.redistribute %[[Y]]
// CHECK-NEXT: return %[[Y]], %[[Z]]
func.func @shared_redistribute_stays(%x: tensor<8x4xf32, #part>) -> (tensor<8x4xf32, #rows>, tensor<8x4xf32, #all>) {
  %0 = tp.redistribute %x : tensor<8x4xf32, #part> -> tensor<8x4xf32, #rows>
  %1 = tp.redistribute %0 : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #all>
  return %0, %1 : tensor<8x4xf32, #rows>, tensor<8x4xf32, #all>
}

// CHECK-LABEL: func.func @slice_undoes_all_gather
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: return %[[X]]
func.func @slice_undoes_all_gather(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #rows> {
  %0 = tp.all_gather %x over ["tp"] : (tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #all>
  %1 = tp.slice %0 over ["tp"] : (tensor<8x4xf32, #all>) -> tensor<8x4xf32, #rows>
  return %1 : tensor<8x4xf32, #rows>
}

// CHECK-LABEL: func.func @slice_of_another_dim_stays
// CHECK: tp.all_gather
// CHECK: tp.slice
func.func @slice_of_another_dim_stays(%x: tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #cols> {
  %0 = tp.all_gather %x over ["tp"] : (tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #all>
  %1 = tp.slice %0 over ["tp"] : (tensor<8x4xf32, #all>) -> tensor<8x4xf32, #cols>
  return %1 : tensor<8x4xf32, #cols>
}

// After partition equal local types do not prove equal placements.
// CHECK-LABEL: func.func @slice_after_partition
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK: %[[G:.*]] = tp.all_gather %[[X]]
// CHECK: %[[S:.*]] = tp.slice %[[G]]
// CHECK: return %[[X]], %[[S]]
func.func @slice_after_partition(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<4x2xf32>) {
  %0 = tp.all_gather %x over ["tp"] parts [#tp.part<tensor<4x4xf32>, #rows, #all>] : (tensor<2x4xf32>) -> tensor<4x4xf32>
  %1 = tp.slice %0 over ["tp"] parts [#tp.part<tensor<4x4xf32>, #all, #rows>] : (tensor<4x4xf32>) -> tensor<2x4xf32>
  %2 = tp.slice %0 over ["tp"] parts [#tp.part<tensor<4x4xf32>, #all, #cols>] : (tensor<4x4xf32>) -> tensor<4x2xf32>
  return %1, %2 : tensor<2x4xf32>, tensor<4x2xf32>
}

// CHECK-LABEL: func.func @only_the_undone_part_of_a_bucket_goes
// CHECK-SAME: (%[[X:.*]]: tensor<8x4xf32, #S0_tp>, %[[Y:.*]]: tensor<6xf32, #R>)
// CHECK-NEXT: %[[Z:.*]] = tp.slice %[[Y]] over ["tp"] {tp.why = "kept"}
// CHECK-NEXT: return %[[X]], %[[Z]]
func.func @only_the_undone_part_of_a_bucket_goes(%x: tensor<8x4xf32, #rows>, %y: tensor<6xf32, #all>) -> (tensor<8x4xf32, #rows>, tensor<6xf32, #rows>) {
  %0 = tp.all_gather %x over ["tp"] : (tensor<8x4xf32, #rows>) -> tensor<8x4xf32, #all>
  %1:2 = tp.slice %0, %y over ["tp"] {tp.why = "kept"}
      : (tensor<8x4xf32, #all>, tensor<6xf32, #all>) -> (tensor<8x4xf32, #rows>, tensor<6xf32, #rows>)
  return %1#0, %1#1 : tensor<8x4xf32, #rows>, tensor<6xf32, #rows>
}

// CHECK-LABEL: func.func @all_reduce_undoes_to_partial
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: return %[[X]]
func.func @all_reduce_undoes_to_partial(%x: tensor<8x4xf32, #all>) -> tensor<8x4xf32, #all> {
  %0 = tp.to_partial %x over ["tp"] by "sum" : (tensor<8x4xf32, #all>) -> tensor<8x4xf32, #part>
  %1 = tp.all_reduce %0 over ["tp"] by "sum" : (tensor<8x4xf32, #part>) -> tensor<8x4xf32, #all>
  return %1 : tensor<8x4xf32, #all>
}

// CHECK-LABEL: func.func @all_reduce_then_slice_is_reduce_scatter
// CHECK-SAME: (%[[X:.*]]: tensor
// CHECK-NEXT: %[[Y:.*]] = tp.reduce_scatter %[[X]] over ["tp"] by "sum" {tp.phase = "backward", tp.value = "dw"} : (tensor<8x4xf32, #S0_dp_Psum_tp>) -> tensor<8x4xf32, #S0_dp_S0_tp>
// CHECK-NEXT: return %[[Y]]
func.func @all_reduce_then_slice_is_reduce_scatter(%x: tensor<8x4xf32, #dp_rows_part>) -> tensor<8x4xf32, #inner> {
  %0 = tp.all_reduce %x over ["tp"] by "sum" {tp.phase = "backward", tp.value = "dw"} : (tensor<8x4xf32, #dp_rows_part>) -> tensor<8x4xf32, #dp_rows>
  %1 = tp.slice %0 over ["tp"] : (tensor<8x4xf32, #dp_rows>) -> tensor<8x4xf32, #inner>
  return %1 : tensor<8x4xf32, #inner>
}

// CHECK-LABEL: func.func @reduce_scatter_of_a_partitioned_bucket
// CHECK: tp.reduce_scatter %{{.*}}, %{{.*}} over ["tp"] by "sum" parts [#tp.part<tensor<5x4xf32>, #Psum_tp, #S0_tp>, #tp.part<tensor<2xf32>, #Psum_tp, #S0_tp>] : (tensor<5x4xf32>, tensor<2xf32>) -> (tensor<3x4xf32>, tensor<1xf32>)
func.func @reduce_scatter_of_a_partitioned_bucket(%x: tensor<5x4xf32>, %y: tensor<2xf32>) -> (tensor<3x4xf32>, tensor<1xf32>) {
  %0:2 = tp.all_reduce %x, %y over ["tp"] by "sum"
      parts [#tp.part<tensor<5x4xf32>, #part, #all>, #tp.part<tensor<2xf32>, #part, #all>]
      : (tensor<5x4xf32>, tensor<2xf32>) -> (tensor<5x4xf32>, tensor<2xf32>)
  %1:2 = tp.slice %0#0, %0#1 over ["tp"]
      parts [#tp.part<tensor<5x4xf32>, #all, #rows>, #tp.part<tensor<2xf32>, #all, #rows>]
      : (tensor<5x4xf32>, tensor<2xf32>) -> (tensor<3x4xf32>, tensor<1xf32>)
  return %1#0, %1#1 : tensor<3x4xf32>, tensor<1xf32>
}

// CHECK-LABEL: func.func @all_reduce_with_another_user_stays
// CHECK: tp.all_reduce
// CHECK: tp.slice
func.func @all_reduce_with_another_user_stays(%x: tensor<8x4xf32, #part>) -> (tensor<8x4xf32, #all>, tensor<8x4xf32, #rows>) {
  %0 = tp.all_reduce %x over ["tp"] by "sum" : (tensor<8x4xf32, #part>) -> tensor<8x4xf32, #all>
  %1 = tp.slice %0 over ["tp"] : (tensor<8x4xf32, #all>) -> tensor<8x4xf32, #rows>
  return %0, %1 : tensor<8x4xf32, #all>, tensor<8x4xf32, #rows>
}

// CHECK-LABEL: func.func @slice_over_another_axis_stays
// CHECK: tp.all_reduce
// CHECK: tp.slice
func.func @slice_over_another_axis_stays(%x: tensor<8x4xf32, #part>) -> tensor<8x4xf32, #dp_rows> {
  %0 = tp.all_reduce %x over ["tp"] by "sum" : (tensor<8x4xf32, #part>) -> tensor<8x4xf32, #all>
  %1 = tp.slice %0 over ["dp"] : (tensor<8x4xf32, #all>) -> tensor<8x4xf32, #dp_rows>
  return %1 : tensor<8x4xf32, #dp_rows>
}
