// RUN: tpc-compile %s --use 'w1=tp:S(1)' --use 'w2=tp:S(0)' --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_reduce[tp]:128' --backward 'all_reduce[tp]:128'
// RUN: tpc-run %t.so -n 2 --inputs %S/Inputs/megatron.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/megatron.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program of megatron-f-g.mlir without regions: f and g are no operations, but what planning the matmuls' forward
// and backward gives. Same collectives, same values. (Used as stored: at this size gathering the weights would move less.)
#rep = #tp.placement<@mesh, []>
#columns = #tp.placement<@mesh, [tp: S(1)]>
#rows = #tp.placement<@mesh, [tp: S(0)]>
#map = affine_map<(d0, d1) -> (d0, d1)>
tp.mesh @mesh ["tp" = 2]
func.func @column_then_row_parallel(
    %x: tensor<4x8xf32> {tp.name = "x", tp.grad, tp.placement = #rep},
    %w1: tensor<8x6xf32> {tp.name = "w1", tp.param, tp.grad, tp.placement = #columns},
    %w2: tensor<6x8xf32> {tp.name = "w2", tp.param, tp.grad, tp.placement = #rows})
    -> (tensor<4x8xf32> {tp.name = "y", tp.placement = #rep}) {
  %zero = arith.constant 0.0 : f32
  %empty6 = tensor.empty() : tensor<4x6xf32>
  %empty8 = tensor.empty() : tensor<4x8xf32>
  %init6 = linalg.fill ins(%zero : f32) outs(%empty6 : tensor<4x6xf32>) -> tensor<4x6xf32>
  %init8 = linalg.fill ins(%zero : f32) outs(%empty8 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<4x8xf32>, tensor<8x6xf32>) outs(%init6 : tensor<4x6xf32>) -> tensor<4x6xf32>
  %relu = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<4x6xf32>) outs(%empty6 : tensor<4x6xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %zero : f32
    linalg.yield %0 : f32
  } -> tensor<4x6xf32>
  %y = linalg.matmul ins(%relu, %w2 : tensor<4x6xf32>, tensor<6x8xf32>) outs(%init8 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
