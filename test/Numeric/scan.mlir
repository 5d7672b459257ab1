// A recurrence over stacked weights that keeps every state: on 1 to 4 ranks what one device gives, with collectives inside of the loop and rows that do not divide.
// RUN: tpc-run %s -n 1 --mesh tp=1 --seed 1 --check
// RUN: tpc-run %s -n 2 --mesh tp=2 --place 'w=tp:S(1)' --place 'h=tp:S(1)' --seed 2 --check
// RUN: tpc-run %s -n 3 --mesh tp=3 --place 'w=tp:S(2)' --place 'h=tp:S(0)' --place 'all=tp:S(1)' --seed 3 --check
// RUN: tpc-run %s -n 4 --mesh tp=4 --place 'w=tp:S(1)' --place 'h=tp:S(0)' --seed 4 --check
// RUN: tpc-run %s -n 4 --mesh tp=2,dp=2 --place 'w=tp:S(1)' --place 'h=dp:S(0)' --seed 5 --check

// The report says how often a collective runs, and its totals count every run. A profile has a line for each.
// RUN: tpc-compile %s --mesh tp=2 --place 'w=tp:S(1)' --place 'h=R' --place 'y=R' --objective=bytes --report -o %t.so | FileCheck %s --check-prefix=REPORT
// REPORT: reduce_scatter [tp] sum 280 B (140 B received, bound 140 B) x6 f32 7x10
// REPORT: all_gather [tp] 280 B (140 B received, bound 140 B) f32 7x10
// REPORT: total: 7 collectives, 980 B received per rank
// RUN: tpc-compile %s --mesh tp=2 --place 'w=tp:S(1)' --place 'h=R' --place 'y=R' --objective=bytes --report=json --trace -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'reduce_scatter[tp]:280*6 all_gather[tp]:280' --max 980
// RUN: FileCheck %s --check-prefix=TRACE < %t.json
// TRACE-DAG: "op":{{ ?}}"scf.for"
// TRACE-DAG: "op":{{ ?}}"scf.yield"
// RUN: tpc-run %t.so -n 2 --seed 1 --profile %t.trace
// RUN: FileCheck %s --check-prefix=PROFILE < %t.trace
// PROFILE-COUNT-6: reduce_scatter

#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @scan(%w: tensor<6x10x10xf32> {tp.name = "w"}, %h: tensor<7x10xf32> {tp.name = "h"})
    -> (tensor<7x10xf32> {tp.name = "y"}, tensor<6x7x10xf32> {tp.name = "all"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %zero = arith.constant 0.0 : f32
  %row = tensor.empty() : tensor<7x10xf32>
  %start = linalg.fill ins(%zero : f32) outs(%row : tensor<7x10xf32>) -> tensor<7x10xf32>
  %stack = tensor.empty() : tensor<6x7x10xf32>
  %y:2 = scf.for %i = %c0 to %c6 step %c1 iter_args(%state = %h, %all = %stack) -> (tensor<7x10xf32>, tensor<6x7x10xf32>) {
    %layer = tensor.extract_slice %w[%i, 0, 0] [1, 10, 10] [1, 1, 1] : tensor<6x10x10xf32> to tensor<10x10xf32>
    %product = linalg.matmul ins(%state, %layer : tensor<7x10xf32>, tensor<10x10xf32>) outs(%start : tensor<7x10xf32>) -> tensor<7x10xf32>
    %next = linalg.tanh ins(%product : tensor<7x10xf32>) outs(%row : tensor<7x10xf32>) -> tensor<7x10xf32>
    // In reverse order.
    %j = arith.subi %c5, %i : index
    %kept = tensor.insert_slice %next into %all[%j, 0, 0] [1, 7, 10] [1, 1, 1] : tensor<7x10xf32> into tensor<6x7x10xf32>
    scf.yield %next, %kept : tensor<7x10xf32>, tensor<6x7x10xf32>
  }
  return %y#0, %y#1 : tensor<7x10xf32>, tensor<6x7x10xf32>
}
