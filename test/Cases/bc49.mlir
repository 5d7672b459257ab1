// RUN: tpc-compile %s --objective=bytes --report=json -o %t.so > %t.json
// RUN: %python %numeric/check_report.py %t.json --forward 'all_gather[tp]:64' --forward 'all_gather[tp]:16 reduce_scatter[tp]:32' --backward 'reduce_scatter[tp]:64' --backward 'all_gather[tp]:32'
// RUN: tpc-run %t.so -n 2 --inputs %S/Inputs/bc49.inputs.safetensors --outputs %t.out.safetensors --check
// RUN: %python %numeric/check.py --expect %S/Inputs/bc49.expected.safetensors %t.out.safetensors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gradient of an embedding whose table and tokens are sharded alike (reported: openxla/xla#42481): rows of the table
// that no token reads get no gradient. Gathering tokens and reducing what was read moves less than gathering the table.
#map = affine_map<(d0, d1) -> (d0)>
#out = affine_map<(d0, d1) -> (d0, d1)>
tp.mesh @mesh ["tp" = 2]
func.func @embedding(
    %E: tensor<8x2xf32> {tp.name = "E", tp.param, tp.grad, tp.placement = #tp.placement<@mesh, [tp: S(0)]>},
    %ids: tensor<4xi32> {tp.name = "ids", tp.placement = #tp.placement<@mesh, [tp: S(0)]>})
    -> (tensor<4x2xf32> {tp.name = "y", tp.placement = #tp.placement<@mesh, [tp: S(0)]>}) {
  %empty = tensor.empty() : tensor<4x2xf32>
  %y = linalg.generic {indexing_maps = [#map, #out], iterator_types = ["parallel", "parallel"]}
      ins(%ids : tensor<4xi32>) outs(%empty : tensor<4x2xf32>) {
  ^bb0(%in: i32, %out: f32):
    %0 = arith.index_cast %in : i32 to index
    %1 = linalg.index 1 : index
    %2 = tensor.extract %E[%0, %1] : tensor<8x2xf32>
    linalg.yield %2 : f32
  } -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}
