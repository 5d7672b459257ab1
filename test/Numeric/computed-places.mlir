// Gathers, scatters, cumulative sums and maxima in one program, some indices out of range: gradients against finite
// differences, values against one device, on 1 to 4 ranks, uneven shards and two axes, and in other types.
// RUN: %python %numeric/random_inputs.py %t.inputs.safetensors e=F64:6x4 init=F64:6x4 dy=F64:6x4 dm=F64:6
// DEFINE: %{n} = 1
// DEFINE: %{options} = --mesh tp=1
// DEFINE: %{test} = tpc-compile %s %{options} -o %t.so && tpc-run %t.so -n %{n} --inputs %t.inputs.safetensors --check && \
// DEFINE:   %python %numeric/finite_differences.py %t.so -n %{n} --inputs %t.inputs.safetensors --work %t.dir
// DEFINE: %{type} = bf16
// DEFINE: %{typed} = sed 's/f64/%{type}/g' %s > %t.mlir && tpc-run %t.mlir %{options} -n %{n} --seed 3 --check

// RUN: %{test}
// REDEFINE: %{n} = 2
// REDEFINE: %{options} = --mesh tp=2 --place e=R --place 'init=tp:S(0)' --place 'y=tp:S(1)'
// RUN: %{test}
// RUN: %{typed}
// REDEFINE: %{type} = f16
// RUN: %{typed}
// REDEFINE: %{n} = 4
// REDEFINE: %{options} = --mesh dp=2,tp=2 --place 'e=dp:S(0),tp:S(1)' --place 'init=tp:S(0),dp:S(0)'
// RUN: %{test}
// REDEFINE: %{type} = f32
// RUN: %{typed}
// REDEFINE: %{options} = --mesh tp=4 --place 'e=tp:S(0)'
// RUN: %{test}
// REDEFINE: %{n} = 3
// REDEFINE: %{options} = --mesh tp=3 --place 'e=tp:S(0)' --place 'init=tp:S(1)' --place 'y=tp:S(0)'
// RUN: %{test}
// RUN: %{typed}

#rows = affine_map<(t, j)[i] -> (i, j)>
#t = affine_map<(t, j) -> (t)>
#point = affine_map<(i, j)[k] -> (i, k)>
#both = affine_map<(i, j) -> (i, j)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @places(%e: tensor<6x4xf64> {tp.name = "e", tp.grad}, %init: tensor<6x4xf64> {tp.name = "init", tp.grad})
    -> (tensor<6x4xf64> {tp.name = "y"}, tensor<6xf64> {tp.name = "m"}) {
  %ids = arith.constant dense<[5, 0, 2, 5, -1, 3, 6, 1]> : tensor<8xi32>
  %own = arith.constant dense<[[0, 1, 3, 3], [1, 0, 4, 2], [2, 2, 2, 2], [3, 2, 1, 0], [0, -1, 1, 2], [3, 1, 1, 0]]> : tensor<6x4xi64>
  %read = tp.gather %e[%ids] maps [#rows, #t] : (tensor<6x4xf64>, tensor<8xi32>) -> tensor<8x4xf64>
  %empty = tensor.empty() : tensor<8x4xf64>
  %square = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%read : tensor<8x4xf64>) outs(%empty : tensor<8x4xf64>) {
  ^bb0(%in: f64, %out: f64):
    %0 = arith.mulf %in, %in : f64
    linalg.yield %0 : f64
  } -> tensor<8x4xf64>
  %sums = tp.scatter %square into %init[%ids] maps [#rows, #t]
      : (tensor<8x4xf64>, tensor<6x4xf64>, tensor<8xi32>) -> tensor<6x4xf64>
  %shuffled = tp.gather %sums[%own] maps [#point, #both] : (tensor<6x4xf64>, tensor<6x4xi64>) -> tensor<6x4xf64>
  %scan = tp.cumsum %shuffled dim 0 : tensor<6x4xf64>
  %y = tp.cumsum %scan dim 1 reverse exclusive : tensor<6x4xf64>
  %m, %at = tp.argmax %scan dim 1 : tensor<6x4xf64> -> tensor<6xf64>, tensor<6xi64>
  return %y, %m : tensor<6x4xf64>, tensor<6xf64>
}
