// RUN: tpc-compile %s --use 'w1=tp:S(1)' --use 'w2=tp:S(0)' --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_reduce[tp]:24*2 all_reduce[dp]:4' --backward 'all_reduce[dp]:72'
// RUN: tpc-run %t.so -n 4 --inputs %S/Inputs/bc51.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc51.expected.safetensors %t.out.safetensors

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor parallelism within, data parallelism without, two microbatches in a loop (reported: alpa-projects/alpa#273,
// where an all-reduce of an activation was merged with those of accumulated gradients and skipped with them).
// Activations are reduced over tp in every microbatch, gradients over dp once, behind the loop.
#act = affine_map<(d0, d1) -> (d0, d1)>
#all = affine_map<(d0, d1) -> ()>
#scalar = affine_map<() -> ()>
tp.mesh @mesh ["dp" = 2, "tp" = 2]
func.func @microbatches(
    %x: tensor<2x4x6xf32> {tp.name = "x", tp.placement = #tp.placement<@mesh, [dp: S(1)]>},
    %w1: tensor<6x4xf32> {tp.name = "w1", tp.param, tp.grad, tp.placement = #tp.placement<@mesh, [tp: S(1)]>},
    %w2: tensor<4x3xf32> {tp.name = "w2", tp.param, tp.grad, tp.placement = #tp.placement<@mesh, [tp: S(0)]>})
    -> (tensor<f32> {tp.name = "y", tp.placement = #tp.placement<@mesh, []>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %elements = arith.constant 24.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %empty_h = tensor.empty() : tensor<4x4xf32>
  %init_h = linalg.fill ins(%zero : f32) outs(%empty_h : tensor<4x4xf32>) -> tensor<4x4xf32>
  %empty_z = tensor.empty() : tensor<4x3xf32>
  %init_z = linalg.fill ins(%zero : f32) outs(%empty_z : tensor<4x3xf32>) -> tensor<4x3xf32>
  %total = scf.for %m = %c0 to %c2 step %c1 iter_args(%sum = %init) -> (tensor<f32>) {
    %xm = tensor.extract_slice %x[%m, 0, 0] [1, 4, 6] [1, 1, 1] : tensor<2x4x6xf32> to tensor<4x6xf32>
    %h = linalg.matmul ins(%xm, %w1 : tensor<4x6xf32>, tensor<6x4xf32>) outs(%init_h : tensor<4x4xf32>) -> tensor<4x4xf32>
    %relu = linalg.generic {indexing_maps = [#act, #act], iterator_types = ["parallel", "parallel"]}
        ins(%h : tensor<4x4xf32>) outs(%empty_h : tensor<4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.maximumf %in, %zero : f32
      linalg.yield %0 : f32
    } -> tensor<4x4xf32>
    %z = linalg.matmul ins(%relu, %w2 : tensor<4x4xf32>, tensor<4x3xf32>) outs(%init_z : tensor<4x3xf32>) -> tensor<4x3xf32>
    %squares = linalg.generic {indexing_maps = [#act, #all], iterator_types = ["reduction", "reduction"]}
        ins(%z : tensor<4x3xf32>) outs(%init : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.mulf %in, %in : f32
      %1 = arith.addf %out, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<f32>
    %next = linalg.generic {indexing_maps = [#scalar, #scalar, #scalar], iterator_types = []}
        ins(%sum, %squares : tensor<f32>, tensor<f32>) outs(%empty : tensor<f32>) {
    ^bb0(%l: f32, %r: f32, %out: f32):
      %0 = arith.addf %l, %r : f32
      linalg.yield %0 : f32
    } -> tensor<f32>
    scf.yield %next : tensor<f32>
  }
  %y = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%total : tensor<f32>) outs(%empty : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.divf %in, %elements : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}
