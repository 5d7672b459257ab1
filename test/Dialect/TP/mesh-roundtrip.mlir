// RUN: tpc-opt %s | tpc-opt | FileCheck %s

// CHECK: tp.mesh @mesh ["dp" = 2, "tp" = 4]
tp.mesh @mesh ["dp" = 2, "tp" = 4]
// CHECK: tp.mesh @one ["tp" = 1]
tp.mesh @one ["tp" = 1]
// CHECK: tp.mesh @single_rank []
tp.mesh @single_rank []
// CHECK: tp.mesh @attributes ["pp stage" = 3] {note = "kept"}
tp.mesh @attributes ["pp stage" = 3] {note = "kept"}
