#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what a call inside of a loop costs beside its work.

  loop_overhead.py [--trips 1000] [--calls 1 4 16]

Loops of many iterations over bodies of 1, 4, 16 products of 16x16 matrices, each one runtime call, on one rank; beside
them 256 such products in a row. Prints nanoseconds per call, of the fastest of `--repeat` runs.
"""

import argparse
import os
import re
import subprocess
import tempfile

PRODUCT = (
    "  {out} = linalg.matmul ins({a}, %w : tensor<16x16xf32>, tensor<16x16xf32>) "
    "outs(%zero : tensor<16x16xf32>) -> tensor<16x16xf32>\n"
)
HEAD = """\
func.func @loop(%x: tensor<16x16xf32> {tp.name = "x"}, %w: tensor<16x16xf32> {tp.name = "w"}) -> tensor<16x16xf32> {
  %c = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<16x16xf32>
  %zero = linalg.fill ins(%c : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
"""


def products(count, start):
    names = [start] + [f"%p{i}" for i in range(count)]
    return "".join(PRODUCT.format(a=a, out=b) for a, b in zip(names, names[1:])), names[-1]


def program(trips, calls):
    body, last = products(calls, "%a" if trips > 1 else "%x")
    if trips == 1:
        return f"{HEAD}{body}  return {last} : tensor<16x16xf32>\n}}\n"
    return (
        f"{HEAD}  %n = arith.constant {trips} : index\n"
        "  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<16x16xf32>) {\n"
        f"{body}  scf.yield {last} : tensor<16x16xf32>\n  }}\n  return %r : tensor<16x16xf32>\n}}\n"
    )


def measure(text, repeat, work):
    """Seconds of the fastest run."""
    path = os.path.join(work, "loop")
    with open(path + ".mlir", "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run(
        ["tpc-compile", path + ".mlir", "--mesh", "tp=1", "-o", path + ".so"], check=True
    )
    done = subprocess.run(
        ["tpc-run", path + ".so", "-n", "1", "--threads", "1", "--seed", "1", "--repeat", str(repeat)],
        check=True,
        capture_output=True,
        text=True,
    )
    return float(re.search(r"least ([\d.]+) ms", done.stdout).group(1)) * 1e-3


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trips", type=int, default=1000)
    parser.add_argument("--calls", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--repeat", type=int, default=50)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        straight = measure(program(1, 256), args.repeat, work)
        for calls in args.calls:
            looped = measure(program(args.trips, calls), args.repeat, work)
            print(
                f"{calls} calls per iteration: {1e9 * looped / (args.trips * calls):.0f} ns per call, "
                f"without a loop {1e9 * straight / 256:.0f} ns"
            )


if __name__ == "__main__":
    main()
