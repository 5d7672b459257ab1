// Integer division where some ranks hold padding, and by zero: the ranks give what one device gives, and none traps.
// RUN: tpc-run %s -n 3 --mesh tp=3 --place 'a=tp:S(0)' --seed 1 --check
// RUN: tpc-run %s -n 4 --mesh tp=4 --place 'b=tp:S(0)' --place 'q=tp:S(1)' --seed 2 --check

func.func @divide(%a: tensor<5x3xi32> {tp.name = "a"}, %b: tensor<5x3xi32> {tp.name = "b"})
    -> (tensor<5x3xi32> {tp.name = "q"}, tensor<5x3xi32> {tp.name = "r"}, tensor<5x3xi32> {tp.name = "f"}) {
  %zero = arith.subi %b, %b : tensor<5x3xi32>
  %0 = arith.divsi %a, %b : tensor<5x3xi32>
  %1 = arith.remui %a, %zero : tensor<5x3xi32>
  %2 = arith.floordivsi %a, %b : tensor<5x3xi32>
  return %0, %1, %2 : tensor<5x3xi32>, tensor<5x3xi32>, tensor<5x3xi32>
}
