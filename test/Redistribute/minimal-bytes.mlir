// The moves of lower-redistributes.mlir receive exactly the bytes that the worst rank lacks (4 bytes per element).
// RUN: tpc-compile %s --objective=bytes --report | FileCheck %s

// CHECK: cost 42752 bytes received, lower bound 42752 (proven least
// CHECK: send_recv [dp,tp] {{.*}} (4096 B received, bound 4096 B) {{.*}} 'dp_to_tp'
// CHECK: send_recv [dp,tp] {{.*}} (4096 B received, bound 4096 B) {{.*}} 'dp_tp_to_tp'
// CHECK: send_recv [dp,tp] {{.*}} (2048 B received, bound 2048 B) {{.*}} 'dp_by_tp_to_tp_by_dp'
// CHECK: all_gather [dp,tp] {{.*}} (14336 B received, bound 14336 B) {{.*}} 'dp_tp_to_replicated'
// CHECK: all_to_all [dp,tp] {{.*}} (1792 B received, bound 1792 B) {{.*}} 'dp_tp_rows_to_dp_tp_columns'
// CHECK: permute [dp,tp] {{.*}} (2048 B received, bound 2048 B) {{.*}} 'tp_dp_to_dp_tp'
// CHECK: all_to_all [tp] {{.*}} (3072 B received, bound 3072 B) {{.*}} 'tp_rows_to_tp_columns'
// CHECK: all_gather [tp] {{.*}} (6144 B received, bound 6144 B) {{.*}} 'dp_tp_to_dp'
// No single step is the least here: 1536 + 2048.
// CHECK: all_to_all [tp] {{.*}} (1536 B received, bound 1536 B; step 1 of 2, bound 3584 B) {{.*}} 'dp_tp_rows_to_tp_columns'
// CHECK: all_gather [dp] {{.*}} (2048 B received, bound 2048 B; step 2 of 2, bound 3584 B) {{.*}} 'dp_tp_rows_to_tp_columns'
// CHECK: all_to_all [tp] {{.*}} (1536 B received, bound 1536 B) {{.*}} 'dp_by_tp_to_dp_tp_rows'
// CHECK: total: 11 collectives, 42752 B received per rank
tp.mesh @mesh ["dp" = 2, "tp" = 4]
func.func @moves(
    %dp_to_tp: tensor<64x64xf32> {tp.name = "dp_to_tp", tp.placement = #tp.placement<@mesh, [dp: S(0)]>},
    %dp_tp_to_tp: tensor<64x64xf32> {tp.name = "dp_tp_to_tp", tp.placement = #tp.placement<@mesh, [dp: S(0), tp: S(0)]>},
    %dp_by_tp_to_tp_by_dp: tensor<64x64xf32> {tp.name = "dp_by_tp_to_tp_by_dp", tp.placement = #tp.placement<@mesh, [dp: S(0), tp: S(1)]>},
    %dp_tp_to_replicated: tensor<64x64xf32> {tp.name = "dp_tp_to_replicated", tp.placement = #tp.placement<@mesh, [dp: S(0), tp: S(0)]>},
    %dp_tp_rows_to_dp_tp_columns: tensor<64x64xf32> {tp.name = "dp_tp_rows_to_dp_tp_columns", tp.placement = #tp.placement<@mesh, [dp: S(0), tp: S(0)]>},
    %tp_dp_to_dp_tp: tensor<64x64xf32> {tp.name = "tp_dp_to_dp_tp", tp.placement = #tp.placement<@mesh, [tp: S(0), dp: S(0)]>},
    %tp_rows_to_tp_columns: tensor<64x64xf32> {tp.name = "tp_rows_to_tp_columns", tp.placement = #tp.placement<@mesh, [tp: S(0)]>},
    %dp_tp_to_dp: tensor<64x64xf32> {tp.name = "dp_tp_to_dp", tp.placement = #tp.placement<@mesh, [dp: S(0), tp: S(0)]>},
    %dp_tp_rows_to_tp_columns: tensor<64x64xf32> {tp.name = "dp_tp_rows_to_tp_columns", tp.placement = #tp.placement<@mesh, [dp: S(0), tp: S(0)]>},
    %dp_by_tp_to_dp_tp_rows: tensor<64x64xf32> {tp.name = "dp_by_tp_to_dp_tp_rows", tp.placement = #tp.placement<@mesh, [dp: S(0), tp: S(1)]>})
    -> (tensor<64x64xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>},
        tensor<64x64xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0)]>},
        tensor<64x64xf32> {tp.placement = #tp.placement<@mesh, [tp: S(0), dp: S(1)]>},
        tensor<64x64xf32> {tp.placement = #tp.placement<@mesh, []>},
        tensor<64x64xf32> {tp.placement = #tp.placement<@mesh, [dp: S(1), tp: S(1)]>},
        tensor<64x64xf32> {tp.placement = #tp.placement<@mesh, [dp: S(0), tp: S(0)]>},
        tensor<64x64xf32> {tp.placement = #tp.placement<@mesh, [tp: S(1)]>},
        tensor<64x64xf32> {tp.placement = #tp.placement<@mesh, [dp: S(0)]>},
        tensor<64x64xf32> {tp.placement = #tp.placement<@mesh, [tp: S(1)]>},
        tensor<64x64xf32> {tp.placement = #tp.placement<@mesh, [dp: S(0), tp: S(0)]>}) {
  return %dp_to_tp,
      %dp_tp_to_tp,
      %dp_by_tp_to_tp_by_dp,
      %dp_tp_to_replicated,
      %dp_tp_rows_to_dp_tp_columns,
      %tp_dp_to_dp_tp,
      %tp_rows_to_tp_columns,
      %dp_tp_to_dp,
      %dp_tp_rows_to_tp_columns,
      %dp_by_tp_to_dp_tp_rows
      : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}
