#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a chain of residual MLP blocks with a mean-squared loss as MLIR: x + relu(x w1^T) w2^T, N times.

The operations are those torch-mlir writes for nn.Linear without bias (transpose, then matmul). Arguments: x, t and
blocks.I.w1 [hidden, width], blocks.I.w2 [width, hidden]; result: loss."""

import argparse
import sys

HEAD = """\
#map = affine_map<(d0, d1) -> (d0, d1)>
#all = affine_map<(d0, d1) -> ()>
#scalar = affine_map<() -> ()>
func.func @loss({arguments}) -> (tensor<f32> {{tp.name = "loss"}}) {{
  %zero = arith.constant 0.0 : f32
  %count = arith.constant {count}.0 : f32
  %ex = tensor.empty() : {x}
  %eh = tensor.empty() : {h}
  %zx = linalg.fill ins(%zero : f32) outs(%ex : {x}) -> {x}
  %zh = linalg.fill ins(%zero : f32) outs(%eh : {h}) -> {h}
"""
BLOCK = """\
  %ea{i} = tensor.empty() : {w1t}
  %ta{i} = linalg.transpose ins(%a{i} : {w1}) outs(%ea{i} : {w1t}) permutation = [1, 0]
  %h{i} = linalg.matmul ins({x_in}, %ta{i} : {x}, {w1t}) outs(%zh : {h}) -> {h}
  %r{i} = linalg.generic {{indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}}
      ins(%h{i} : {h}) outs(%eh : {h}) {{
  ^bb0(%in: f32, %out: f32):
    %0 = arith.cmpf ugt, %in, %zero : f32
    %1 = arith.select %0, %in, %zero : f32
    linalg.yield %1 : f32
  }} -> {h}
  %eb{i} = tensor.empty() : {w2t}
  %tb{i} = linalg.transpose ins(%b{i} : {w2}) outs(%eb{i} : {w2t}) permutation = [1, 0]
  %m{i} = linalg.matmul ins(%r{i}, %tb{i} : {h}, {w2t}) outs(%zx : {x}) -> {x}
  %x{i} = linalg.generic {{indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}}
      ins({x_in}, %m{i} : {x}, {x}) outs(%ex : {x}) {{
  ^bb0(%in: f32, %add: f32, %out: f32):
    %0 = arith.addf %in, %add : f32
    linalg.yield %0 : f32
  }} -> {x}
"""
TAIL = """\
  %es = tensor.empty() : tensor<f32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {{indexing_maps = [#map, #map, #all], iterator_types = ["reduction", "reduction"]}}
      ins({x_in}, %t : {x}, {x}) outs(%zs : tensor<f32>) {{
  ^bb0(%in: f32, %target: f32, %out: f32):
    %0 = arith.subf %in, %target : f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.addf %out, %1 : f32
    linalg.yield %2 : f32
  }} -> tensor<f32>
  %loss = linalg.generic {{indexing_maps = [#scalar, #scalar], iterator_types = []}}
      ins(%sum : tensor<f32>) outs(%es : tensor<f32>) {{
  ^bb0(%in: f32, %out: f32):
    %0 = arith.divf %in, %count : f32
    linalg.yield %0 : f32
  }} -> tensor<f32>
  return %loss : tensor<f32>
}}
"""


def chain(blocks, width, hidden, batch):
    kinds = {
        "x": f"tensor<{batch}x{width}xf32>",
        "h": f"tensor<{batch}x{hidden}xf32>",
        "w1": f"tensor<{hidden}x{width}xf32>",
        "w1t": f"tensor<{width}x{hidden}xf32>",
        "w2": f"tensor<{width}x{hidden}xf32>",
        "w2t": f"tensor<{hidden}x{width}xf32>",
    }
    arguments = [
        f'%x: {kinds["x"]} {{tp.name = "x"}}',
        f'%t: {kinds["x"]} {{tp.name = "t"}}',
    ]
    for i in range(blocks):
        arguments.append(
            f'%a{i}: {kinds["w1"]} {{tp.name = "blocks.{i}.w1", tp.param}}'
        )
        arguments.append(
            f'%b{i}: {kinds["w2"]} {{tp.name = "blocks.{i}.w2", tp.param}}'
        )
    text = HEAD.format(
        arguments=",\n    ".join(arguments), count=batch * width, **kinds
    )
    for i in range(blocks):
        text += BLOCK.format(i=i, x_in=f"%x{i - 1}" if i else "%x", **kinds)
    return text + TAIL.format(x_in=f"%x{blocks - 1}" if blocks else "%x", **kinds)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--blocks", type=int, default=4)
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--hidden", type=int, default=4096)
    parser.add_argument("--batch", type=int, default=256)
    args = parser.parse_args()
    sys.stdout.write(chain(args.blocks, args.width, args.hidden, args.batch))


if __name__ == "__main__":
    main()
