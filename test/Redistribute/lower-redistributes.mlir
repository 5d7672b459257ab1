// Moves of a 64x64 tensor on a 2x4 mesh, each with the fewest bytes that any sequence of steps receives: one line per
// move of the table that compares with other systems, whose bytes minimal-bytes.mlir checks.
// RUN: tpc-opt %s --split-input-file --tp-lower-redistributes="objective=bytes" --tp-verify-placements | FileCheck %s

tp.mesh @mesh ["dp" = 2, "tp" = 4]
// CHECK-LABEL: func.func @dp_to_tp(
// CHECK: tp.send_recv %{{.*}} over ["dp", "tp"]
// CHECK-NEXT: return
func.func @dp_to_tp(%x: tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0)]>>) -> tensor<64x64xf32, #tp.placement<@mesh, [tp: S(0)]>> {
  %0 = tp.redistribute %x : tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0)]>> -> tensor<64x64xf32, #tp.placement<@mesh, [tp: S(0)]>>
  return %0 : tensor<64x64xf32, #tp.placement<@mesh, [tp: S(0)]>>
}
// CHECK-LABEL: func.func @dp_tp_to_tp(
// CHECK: tp.send_recv %{{.*}} over ["dp", "tp"]
// CHECK-NEXT: return
func.func @dp_tp_to_tp(%x: tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0), tp: S(0)]>>) -> tensor<64x64xf32, #tp.placement<@mesh, [tp: S(0)]>> {
  %0 = tp.redistribute %x : tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0), tp: S(0)]>> -> tensor<64x64xf32, #tp.placement<@mesh, [tp: S(0)]>>
  return %0 : tensor<64x64xf32, #tp.placement<@mesh, [tp: S(0)]>>
}
// CHECK-LABEL: func.func @dp_by_tp_to_tp_by_dp(
// CHECK: tp.send_recv %{{.*}} over ["dp", "tp"]
// CHECK-NEXT: return
func.func @dp_by_tp_to_tp_by_dp(%x: tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0), tp: S(1)]>>) -> tensor<64x64xf32, #tp.placement<@mesh, [tp: S(0), dp: S(1)]>> {
  %0 = tp.redistribute %x : tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0), tp: S(1)]>> -> tensor<64x64xf32, #tp.placement<@mesh, [tp: S(0), dp: S(1)]>>
  return %0 : tensor<64x64xf32, #tp.placement<@mesh, [tp: S(0), dp: S(1)]>>
}
// CHECK-LABEL: func.func @dp_tp_to_replicated(
// CHECK: tp.all_gather %{{.*}} over ["dp", "tp"]
// CHECK-NEXT: return
func.func @dp_tp_to_replicated(%x: tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0), tp: S(0)]>>) -> tensor<64x64xf32, #tp.placement<@mesh, []>> {
  %0 = tp.redistribute %x : tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0), tp: S(0)]>> -> tensor<64x64xf32, #tp.placement<@mesh, []>>
  return %0 : tensor<64x64xf32, #tp.placement<@mesh, []>>
}
// CHECK-LABEL: func.func @dp_tp_rows_to_dp_tp_columns(
// CHECK: tp.all_to_all %{{.*}} over ["dp", "tp"]
// CHECK-NEXT: return
func.func @dp_tp_rows_to_dp_tp_columns(%x: tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0), tp: S(0)]>>) -> tensor<64x64xf32, #tp.placement<@mesh, [dp: S(1), tp: S(1)]>> {
  %0 = tp.redistribute %x : tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0), tp: S(0)]>> -> tensor<64x64xf32, #tp.placement<@mesh, [dp: S(1), tp: S(1)]>>
  return %0 : tensor<64x64xf32, #tp.placement<@mesh, [dp: S(1), tp: S(1)]>>
}
// CHECK-LABEL: func.func @tp_dp_to_dp_tp(
// CHECK: tp.permute %{{.*}} over ["dp", "tp"]
// CHECK-NEXT: return
func.func @tp_dp_to_dp_tp(%x: tensor<64x64xf32, #tp.placement<@mesh, [tp: S(0), dp: S(0)]>>) -> tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0), tp: S(0)]>> {
  %0 = tp.redistribute %x : tensor<64x64xf32, #tp.placement<@mesh, [tp: S(0), dp: S(0)]>> -> tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0), tp: S(0)]>>
  return %0 : tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0), tp: S(0)]>>
}
// CHECK-LABEL: func.func @tp_rows_to_tp_columns(
// CHECK: tp.all_to_all %{{.*}} over ["tp"]
// CHECK-NEXT: return
func.func @tp_rows_to_tp_columns(%x: tensor<64x64xf32, #tp.placement<@mesh, [tp: S(0)]>>) -> tensor<64x64xf32, #tp.placement<@mesh, [tp: S(1)]>> {
  %0 = tp.redistribute %x : tensor<64x64xf32, #tp.placement<@mesh, [tp: S(0)]>> -> tensor<64x64xf32, #tp.placement<@mesh, [tp: S(1)]>>
  return %0 : tensor<64x64xf32, #tp.placement<@mesh, [tp: S(1)]>>
}
// CHECK-LABEL: func.func @dp_tp_to_dp(
// CHECK: tp.all_gather %{{.*}} over ["tp"]
// CHECK-NEXT: return
func.func @dp_tp_to_dp(%x: tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0), tp: S(0)]>>) -> tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0)]>> {
  %0 = tp.redistribute %x : tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0), tp: S(0)]>> -> tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0)]>>
  return %0 : tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0)]>>
}
// CHECK-LABEL: func.func @dp_tp_rows_to_tp_columns(
// CHECK: tp.all_to_all %{{.*}} over ["tp"]
// CHECK: tp.all_gather %{{.*}} over ["dp"]
// CHECK-NEXT: return
func.func @dp_tp_rows_to_tp_columns(%x: tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0), tp: S(0)]>>) -> tensor<64x64xf32, #tp.placement<@mesh, [tp: S(1)]>> {
  %0 = tp.redistribute %x : tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0), tp: S(0)]>> -> tensor<64x64xf32, #tp.placement<@mesh, [tp: S(1)]>>
  return %0 : tensor<64x64xf32, #tp.placement<@mesh, [tp: S(1)]>>
}
// CHECK-LABEL: func.func @dp_by_tp_to_dp_tp_rows(
// CHECK: tp.all_to_all %{{.*}} over ["tp"]
// CHECK-NEXT: return
func.func @dp_by_tp_to_dp_tp_rows(%x: tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0), tp: S(1)]>>) -> tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0), tp: S(0)]>> {
  %0 = tp.redistribute %x : tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0), tp: S(1)]>> -> tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0), tp: S(0)]>>
  return %0 : tensor<64x64xf32, #tp.placement<@mesh, [dp: S(0), tp: S(0)]>>
}

// -----

#rep = #tp.placement<@mesh, []>
#rows = #tp.placement<@mesh, [tp: S(0)]>
#sum = #tp.placement<@mesh, [tp: P(sum)]>
tp.mesh @mesh ["tp" = 4]
// A sum that ends up sharded is scattered while it is reduced, never replicated first.
// CHECK-LABEL: func.func @partial_to_shard
// CHECK: tp.reduce_scatter %{{.*}} over ["tp"] by "sum"
// CHECK-NEXT: return
func.func @partial_to_shard(%x: tensor<8xf32, #sum>) -> tensor<8xf32, #rows> {
  %0 = tp.redistribute %x : tensor<8xf32, #sum> -> tensor<8xf32, #rows>
  return %0 : tensor<8xf32, #rows>
}
// CHECK-LABEL: func.func @partial_to_replicated
// CHECK: tp.all_reduce %{{.*}} over ["tp"] by "sum"
// CHECK-NEXT: return
func.func @partial_to_replicated(%x: tensor<8xf32, #sum>) -> tensor<8xf32, #rep> {
  %0 = tp.redistribute %x : tensor<8xf32, #sum> -> tensor<8xf32, #rep>
  return %0 : tensor<8xf32, #rep>
}
// CHECK-LABEL: func.func @replicated_to_shard_is_free
// CHECK: tp.slice %{{.*}} over ["tp"]
// CHECK-NEXT: return
func.func @replicated_to_shard_is_free(%x: tensor<8xf32, #rep>) -> tensor<8xf32, #rows> {
  %0 = tp.redistribute %x : tensor<8xf32, #rep> -> tensor<8xf32, #rows>
  return %0 : tensor<8xf32, #rows>
}
// One rank keeps the value: not a no-op.
// CHECK-LABEL: func.func @replicated_to_partial_is_free
// CHECK: tp.to_partial %{{.*}} over ["tp"] by "sum"
// CHECK-NEXT: return
func.func @replicated_to_partial_is_free(%x: tensor<8xf32, #rep>) -> tensor<8xf32, #sum> {
  %0 = tp.redistribute %x : tensor<8xf32, #rep> -> tensor<8xf32, #sum>
  return %0 : tensor<8xf32, #sum>
}
// What the plan said of a move stays on its steps, phase and reason.
// CHECK-LABEL: func.func @attributes_stay
// CHECK: tp.all_gather %{{.*}} over ["tp"] {tp.phase = "backward", tp.value = "x", tp.why = "because"}
// CHECK-NEXT: return
func.func @attributes_stay(%x: tensor<8xf32, #rows>) -> tensor<8xf32, #rep> {
  %0 = tp.redistribute %x {tp.phase = "backward", tp.value = "x", tp.why = "because"} : tensor<8xf32, #rows> -> tensor<8xf32, #rep>
  return %0 : tensor<8xf32, #rep>
}
