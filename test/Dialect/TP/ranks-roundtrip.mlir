// Coordinates and chunks of a rank.
// RUN: tpc-opt %s | tpc-opt | FileCheck %s

#strided = #tp.placement<@mesh, [tp: S(0), dp: S(0)]>
tp.mesh @mesh ["dp" = 2, "tp" = 4]

// CHECK-LABEL: func.func @of_a_rank
// CHECK: tp.coordinate "tp" of @mesh
// CHECK: tp.chunk_size 5 dim 0 of #S0_tp_S0_dp
// CHECK: tp.chunk_offset 5 dim 1 of #S0_tp_S0_dp
func.func @of_a_rank() -> (index, index, index) {
  %0 = tp.coordinate "tp" of @mesh
  %1 = tp.chunk_size 5 dim 0 of #strided
  %2 = tp.chunk_offset 5 dim 1 of #strided
  return %0, %1, %2 : index, index, index
}
