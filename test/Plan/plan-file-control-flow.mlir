// A plan file has an entry for every tensor that a loop carries and for every result of a branch, and is followed there.
// RUN: tpc-opt %s --tp-plan-placements="objective=bytes plan-out=%t.json" -o %t.chosen.mlir
// RUN: FileCheck %s --check-prefix=FILE < %t.json
// RUN: tpc-opt %s --tp-plan-placements="objective=bytes plan-in=%t.json" | sed 's/method = "plan file"/method = "elimination"/' > %t.followed.mlir
// RUN: diff %t.chosen.mlir %t.followed.mlir
// RUN: sed 's/"kind": "scf.for"/"kind": "scf.if"/' %t.json > %t.other.json
// RUN: not tpc-opt %s --tp-plan-placements="plan-in=%t.other.json" 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: expected the plan's entry for the value carried by a loop at plan-file-control-flow.mlir:26 to be of kind scf.for; the program has changed since the plan was made

// FILE: "kind": "scf.for"
// FILE: "operands": [
// FILE-NEXT: "[dp: S(0)]"
// FILE: "results": [
// FILE-NEXT: "[dp: S(0)]"
// FILE: "what": "value carried by a loop
// FILE: "kind": "scf.if"
// FILE: "what": "result of a branch
tp.mesh @mesh ["dp" = 2]
func.func @loop_and_branch(%x: tensor<8x4xf32> {tp.placement = #tp.placement<@mesh, [dp: S(0)]>}, %flag: tensor<i1>)
    -> (tensor<8x4xf32> {tp.placement = #tp.placement<@mesh, [dp: S(0)]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %empty = tensor.empty() : tensor<8x4xf32>
  %c = tensor.extract %flag[] : tensor<i1>
  %y = scf.for %i = %c0 to %c7 step %c1 iter_args(%a = %x) -> (tensor<8x4xf32>) {
    %z = scf.if %c -> (tensor<8x4xf32>) {
      %e = linalg.exp ins(%a : tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
      scf.yield %e : tensor<8x4xf32>
    } else {
      scf.yield %a : tensor<8x4xf32>
    }
    scf.yield %z : tensor<8x4xf32>
  }
  return %y : tensor<8x4xf32>
}
