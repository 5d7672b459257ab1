// Sums of many 16-bit floats on 1 to 4 ranks are what one device gives, which is what their values say: carried in
// f32 they do not stop where an element is less than a rounding.
// RUN: tpc-run %s -n 1 --mesh tp=1 --seed 1 --check | FileCheck %s
// RUN: tpc-run %s -n 2 --mesh tp=2 --place 'x=tp:S(0)' --place 'h=tp:S(1)' --seed 2 --check | FileCheck %s
// RUN: tpc-run %s -n 4 --mesh tp=4 --place 'x=tp:S(1)' --place 'h=tp:S(0)' --seed 3 --check | FileCheck %s
// RUN: tpc-run %s -n 3 --mesh tp=3 --place 'x=tp:S(1)' --place 'h=R' --seed 4 --check | FileCheck %s
// CHECK: count: bf16 [8] {{.*}}: 4096 4096 4096 4096 4096 4096 ...
// CHECK: less: bf16 [8] {{.*}}: -4096 -4096 -4096 -4096 -4096 -4096 ...
// CHECK: column: f16 [6] {{.*}}: 4096 4096 4096 4096 4096 4096
// CHECK: total: bf16 [] {{.*}}: 32768

#row = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#columns = affine_map<(d0, d1) -> (d1)>
#all = affine_map<(d0, d1) -> ()>

func.func @sums(%x: tensor<8x4096xbf16> {tp.name = "x"}, %h: tensor<4096x6xf16> {tp.name = "h"})
    -> (tensor<8xbf16> {tp.name = "count"}, tensor<8xbf16> {tp.name = "less"}, tensor<8xbf16> {tp.name = "squares"}, tensor<6xf16> {tp.name = "column"},
        tensor<bf16> {tp.name = "total"}, tensor<8xbf16> {tp.name = "more"}) {
  %zero = arith.constant 0.0 : bf16
  %one = arith.constant 1.0 : bf16
  %half = arith.constant 0.0 : f16
  %whole = arith.constant 1.0 : f16
  %e = tensor.empty() : tensor<8xbf16>
  %zeros = linalg.fill ins(%zero : bf16) outs(%e : tensor<8xbf16>) -> tensor<8xbf16>
  %count = linalg.generic {indexing_maps = [#row, #rows], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x4096xbf16>) outs(%zeros : tensor<8xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %s = arith.addf %o, %one : bf16
    linalg.yield %s : bf16
  } -> tensor<8xbf16>
  %less = linalg.generic {indexing_maps = [#row, #rows], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x4096xbf16>) outs(%zeros : tensor<8xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %s = arith.subf %o, %one : bf16
    linalg.yield %s : bf16
  } -> tensor<8xbf16>
  %squares = linalg.generic {indexing_maps = [#row, #rows], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x4096xbf16>) outs(%zeros : tensor<8xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %p = arith.mulf %a, %a : bf16
    %s = arith.addf %p, %o : bf16
    linalg.yield %s : bf16
  } -> tensor<8xbf16>
  %f = tensor.empty() : tensor<6xf16>
  %starts = linalg.fill ins(%half : f16) outs(%f : tensor<6xf16>) -> tensor<6xf16>
  %column = linalg.generic {indexing_maps = [#row, #columns], iterator_types = ["reduction", "parallel"]} ins(%h : tensor<4096x6xf16>) outs(%starts : tensor<6xf16>) {
  ^bb0(%a: f16, %o: f16):
    %s = arith.addf %o, %whole : f16
    linalg.yield %s : f16
  } -> tensor<6xf16>
  %t = tensor.empty() : tensor<bf16>
  %start = linalg.fill ins(%zero : bf16) outs(%t : tensor<bf16>) -> tensor<bf16>
  %total = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<8x4096xbf16>) outs(%start : tensor<bf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %s = arith.addf %o, %one : bf16
    linalg.yield %s : bf16
  } -> tensor<bf16>
  // What it starts from is a tensor.
  %more = linalg.generic {indexing_maps = [#row, #rows], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x4096xbf16>) outs(%squares : tensor<8xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %p = math.absf %a : bf16
    %s = arith.addf %o, %p : bf16
    linalg.yield %s : bf16
  } -> tensor<8xbf16>
  return %count, %less, %squares, %column, %total, %more : tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<6xf16>, tensor<bf16>, tensor<8xbf16>
}
