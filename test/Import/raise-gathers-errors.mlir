// A read whose place depends on what the body accumulates cannot be taken out.
// RUN: tpc-opt %s --tpc-import --verify-diagnostics

func.func @walk(%next: tensor<8xi64>, %start: tensor<i64>) -> tensor<i64> {
  %0 = linalg.generic {indexing_maps = [affine_map<(t) -> (t)>, affine_map<(t) -> ()>], iterator_types = ["reduction"]}
      ins(%next : tensor<8xi64>) outs(%start : tensor<i64>) {
  ^bb0(%in: i64, %out: i64):
    %1 = arith.index_cast %out : i64 to index
    // expected-error @+1 {{unsupported: no rule for 'tensor.extract' in the body of 'linalg.generic'}}
    %2 = tensor.extract %next[%1] : tensor<8xi64>
    linalg.yield %2 : i64
  } -> tensor<i64>
  return %0 : tensor<i64>
}
