#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the placed forms of programs on all ranks, in lockstep with their global programs.

  simulate.py FILE.mlir ... [--mesh tp=2 ...] [--grad all]

Each program is planned, simulated, redistributed and simulated again (`tpc-opt --tp-simulate`). A program without a mesh is placed on every mesh given, its arguments in turn sharded along each dim over each axis and
replicated, whatever their sizes: what is uneven or wasteful must be right too.
"""

import argparse
import os
import re
import subprocess
import sys

ARGUMENT = re.compile(r'(%\w+): tensor<([0-9x]*)\w+>[^%]*?tp\.name = "([^"]+)"')


def pins(text, mesh, turn):
    """One placement per argument."""
    axes = [part.split("=")[0] for part in mesh.split(",")]
    signature = text[text.index("func.func") :]
    signature = signature[: signature.index("->")]
    for number, (_, shape, name) in enumerate(ARGUMENT.findall(signature)):
        rank = shape.count("x")
        states = ["R", *(f"S({dim})" for dim in range(rank))]
        entries = [
            f"{axis}:{states[(turn + number + 2 * place) % len(states)]}"
            for place, axis in enumerate(axes)
        ]
        yield f"{name}={','.join(entries)}"


def simulate(path, place, objective):
    """What tpc-opt printed, and whether it passed."""
    steps = ["--tp-simulate", f"--tpc-redistribute=objective={objective}"]
    for options in ("exchange=false", "exchange=false values=reals seed=2"):
        steps.append(f"--tp-simulate={options}")
    done = subprocess.run(
        ["tpc-opt", path, "--split-input-file", "--mlir-print-op-on-diagnostic=false"]
        + ["--tpc-import", f"--tpc-place={place}", "--tpc-autodiff"]
        + [f"--tpc-plan=objective={objective}", *steps, "-o", os.devnull],
        capture_output=True,
        text=True,
    )
    agree = re.findall(r"remark: simulated @\S+ on .*", done.stderr)
    return agree, done.returncode == 0 and agree, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--mesh", action="append", default=[])
    parser.add_argument("--grad", default="", help="as of tpc-compile")
    parser.add_argument("--turns", type=int, default=2, help="pins to try per mesh")
    args = parser.parse_args()
    wrong = 0
    for path in args.programs:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        uses = ";".join(re.findall(r"--use '([^']*)'", text))
        places = [f"use={{{uses}}} grad={args.grad}"]
        if "tp.mesh" not in text:
            places = [
                f"mesh={mesh} place={{{';'.join(pins(text, mesh, turn))}}} grad={args.grad}"
                for mesh in args.mesh
                for turn in range(args.turns)
            ]
        for place in places:
            agree, passed, printed = simulate(path, place, "bytes")
            print("ok  " if passed else "FAIL", os.path.basename(path), place)
            print("\n".join(f"  {line}" for line in agree) if passed else printed)
            wrong += not passed
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
