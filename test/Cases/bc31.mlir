// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'send_recv[tp]:64' --backward 'send_recv[tp]:64'
// RUN: tpc-run %t.so -n 4 --inputs %S/Inputs/bc31.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc31.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sharded dim cut in three (reported: tenstorrent/tt-mlir#9167, pytorch/pytorch#149447): the three slices are one
// exchange, into which every rank brings what others lack.
#map = affine_map<(d0, d1) -> (d0, d1)>
tp.mesh @mesh ["tp" = 4]
func.func @thirds(%x: tensor<4x24xf32> {tp.name = "x", tp.grad, tp.placement = #tp.placement<@mesh, [tp: S(1)]>})
    -> (tensor<4x8xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [tp: S(1)]>}) {
  %a = tensor.extract_slice %x[0, 0] [4, 8] [1, 1] : tensor<4x24xf32> to tensor<4x8xf32>
  %b = tensor.extract_slice %x[0, 8] [4, 8] [1, 1] : tensor<4x24xf32> to tensor<4x8xf32>
  %c = tensor.extract_slice %x[0, 16] [4, 8] [1, 1] : tensor<4x24xf32> to tensor<4x8xf32>
  %empty = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b, %c : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) outs(%empty : tensor<4x8xf32>) {
  ^bb0(%l: f32, %r: f32, %s: f32, %out: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
