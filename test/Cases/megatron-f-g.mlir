// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_reduce[tp]:128' --backward 'all_reduce[tp]:128'
// RUN: tpc-run %t.so -n 2 --inputs %S/Inputs/megatron.inputs.safetensors --outputs %t.out.safetensors
// RUN: %python %numeric/check.py --expect %S/Inputs/megatron.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Megatron's f and g as regions of per-rank code. f is entering with a replicated x: nothing in forward, and in backward
// its cotangent is Partial, so dx is all-reduced. g is leaving with a Partial y: all-reduced in forward, and in backward
// its cotangent is replicated, so nothing moves. (Per-rank code has no one-device program to check against; the values are.)
#rep = #tp.placement<@mesh, []>
#columns = #tp.placement<@mesh, [tp: S(1)]>
#rows = #tp.placement<@mesh, [tp: S(0)]>
#partial = #tp.placement<@mesh, [tp: P(sum)]>
#map = affine_map<(d0, d1) -> (d0, d1)>
tp.mesh @mesh ["tp" = 2]
func.func @column_then_row_parallel(
    %x: tensor<4x8xf32> {tp.name = "x", tp.grad, tp.placement = #rep},
    %w1: tensor<8x6xf32> {tp.name = "w1", tp.param, tp.grad, tp.placement = #columns},
    %w2: tensor<6x8xf32> {tp.name = "w2", tp.param, tp.grad, tp.placement = #rows})
    -> (tensor<4x8xf32> {tp.name = "y", tp.placement = #rep}) {
  %h = tp.manual (%x, %w1) in [#rep, #columns] out [#columns] {
  ^bb0(%lx: tensor<4x8xf32>, %lw: tensor<8x3xf32>):
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<4x3xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x3xf32>) -> tensor<4x3xf32>
    %0 = linalg.matmul ins(%lx, %lw : tensor<4x8xf32>, tensor<8x3xf32>) outs(%init : tensor<4x3xf32>) -> tensor<4x3xf32>
    tp.yield %0 : tensor<4x3xf32>
  } : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x6xf32>
  %relu = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<4x6xf32>) outs(%empty : tensor<4x6xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %zero : f32
    linalg.yield %0 : f32
  } -> tensor<4x6xf32>
  %y = tp.manual (%relu, %w2) in [#columns, #rows] out [#partial] {
  ^bb0(%lh: tensor<4x3xf32>, %lw: tensor<3x8xf32>):
    %none = arith.constant 0.0 : f32
    %space = tensor.empty() : tensor<4x8xf32>
    %init = linalg.fill ins(%none : f32) outs(%space : tensor<4x8xf32>) -> tensor<4x8xf32>
    %0 = linalg.matmul ins(%lh, %lw : tensor<4x3xf32>, tensor<3x8xf32>) outs(%init : tensor<4x8xf32>) -> tensor<4x8xf32>
    tp.yield %0 : tensor<4x8xf32>
  } : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
