// The reducer keeps what the script looks for and drops the rest.
// RUN: tpc-reduce %s --reduction-tree='traversal-mode=0 test=%S/Inputs/still-redistributes.sh' | FileCheck %s

#rows = #tp.placement<@mesh, [tp: S(0)]>
#all = #tp.placement<@mesh, []>
// CHECK: tp.mesh @mesh
tp.mesh @mesh ["tp" = 2]

// CHECK: func.func @interesting
// CHECK: tp.redistribute
func.func @interesting(%x: tensor<8xf32, #rows>) -> tensor<8xf32, #all> {
  %0 = tp.redistribute %x : tensor<8xf32, #rows> -> tensor<8xf32, #all>
  return %0 : tensor<8xf32, #all>
}

// CHECK-NOT: func.func
func.func @unrelated(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

func.func @also_unrelated() {
  return
}
