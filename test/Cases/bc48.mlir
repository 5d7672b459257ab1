// RUN: tpc-compile %s --use 'w1=tp:S(1)' --use 'w2=tp:S(0)' --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_reduce[tp]:128' --backward 'all_reduce[tp]:128'
// RUN: tpc-run %t.so -n 2 --inputs %S/Inputs/bc48.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc48.expected.safetensors %t.out.safetensors

// Free to gather the experts' weights, the planner does: at this size 192 bytes received instead of 256.
// RUN: tpc-compile %s --objective=bytes --report=json -o %t.free.so > %t.free.json
// RUN: %python %numeric/check_report.py %t.free.json --all 'all_gather[tp]:384' --max 192
// RUN: tpc-run %t.free.so -n 2 --inputs %S/Inputs/bc48.inputs.safetensors --outputs %t.free.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc48.expected.safetensors %t.free.safetensors

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A replicated activation feeds sharded experts and a replicated gate (reported: pytorch/torchtitan#1805): the
// experts' part of its gradient is a sum over the ranks, the gate's part counts once.
#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#first = affine_map<(d0, d1) -> (d0, 0)>
tp.mesh @mesh ["tp" = 2]
func.func @gated_experts(
    %x: tensor<4x8xf32> {tp.name = "x", tp.grad, tp.placement = #tp.placement<@mesh, []>},
    %wg: tensor<8x2xf32> {tp.name = "wg", tp.param, tp.grad, tp.placement = #tp.placement<@mesh, []>},
    %w1: tensor<8x6xf32> {tp.name = "w1", tp.param, tp.grad, tp.placement = #tp.placement<@mesh, [tp: S(1)]>},
    %w2: tensor<6x8xf32> {tp.name = "w2", tp.param, tp.grad, tp.placement = #tp.placement<@mesh, [tp: S(0)]>})
    -> (tensor<4x8xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, []>}) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %empty2 = tensor.empty() : tensor<4x2xf32>
  %empty6 = tensor.empty() : tensor<4x6xf32>
  %empty8 = tensor.empty() : tensor<4x8xf32>
  %empty = tensor.empty() : tensor<4xf32>
  %init2 = linalg.fill ins(%zero : f32) outs(%empty2 : tensor<4x2xf32>) -> tensor<4x2xf32>
  %init6 = linalg.fill ins(%zero : f32) outs(%empty6 : tensor<4x6xf32>) -> tensor<4x6xf32>
  %init8 = linalg.fill ins(%zero : f32) outs(%empty8 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %lowest = linalg.fill ins(%low : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  // The gate: the first column of softmax(x @ wg).
  %logits = linalg.matmul ins(%x, %wg : tensor<4x8xf32>, tensor<8x2xf32>) outs(%init2 : tensor<4x2xf32>) -> tensor<4x2xf32>
  %max = linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]}
      ins(%logits : tensor<4x2xf32>) outs(%lowest : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %exp = linalg.generic {indexing_maps = [#map, #row, #map], iterator_types = ["parallel", "parallel"]}
      ins(%logits, %max : tensor<4x2xf32>, tensor<4xf32>) outs(%empty2 : tensor<4x2xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %0 = arith.subf %in, %m : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x2xf32>
  %total = linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<4x2xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %softmax = linalg.generic {indexing_maps = [#map, #row, #map], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %total : tensor<4x2xf32>, tensor<4xf32>) outs(%empty2 : tensor<4x2xf32>) {
  ^bb0(%in: f32, %t: f32, %out: f32):
    %0 = arith.divf %in, %t : f32
    linalg.yield %0 : f32
  } -> tensor<4x2xf32>
  %gate = tensor.extract_slice %softmax[0, 0] [4, 1] [1, 1] : tensor<4x2xf32> to tensor<4x1xf32>
  // The experts: relu(x @ w1) @ w2.
  %h = linalg.matmul ins(%x, %w1 : tensor<4x8xf32>, tensor<8x6xf32>) outs(%init6 : tensor<4x6xf32>) -> tensor<4x6xf32>
  %relu = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<4x6xf32>) outs(%empty6 : tensor<4x6xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %zero : f32
    linalg.yield %0 : f32
  } -> tensor<4x6xf32>
  %z = linalg.matmul ins(%relu, %w2 : tensor<4x6xf32>, tensor<6x8xf32>) outs(%init8 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#map, #first, #map], iterator_types = ["parallel", "parallel"]}
      ins(%z, %gate : tensor<4x8xf32>, tensor<4x1xf32>) outs(%empty8 : tensor<4x8xf32>) {
  ^bb0(%in: f32, %g: f32, %out: f32):
    %0 = arith.mulf %in, %g : f32
    linalg.yield %0 : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
