#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one program for 1 to 9 rows under every placement, on 2, 3 and 4 ranks: uneven shards, and empty ones.

  uneven.py PROGRAM --work DIR [--ranks 2 3 4]

One module holds every size and placement of its program as independent parts, so that a few compilations cover them
all; the part `y_5_S1_R` has 5 rows, its first argument placed S(1) and its second R. Results and gradients are
compared with values computed here in double precision, and with the one-device program (tpc-run --check).
"""

import argparse
import itertools
import os
import random
import sys

import check
import tensorfile
import uneven_indexed
import uneven_programs
from sweep import run
from uneven_programs import Emitter, tensor

PROGRAMS = {**uneven_programs.PROGRAMS, **uneven_indexed.PROGRAMS}


def attribute(placement):
    return f"#tp.placement<@mesh, [{'' if placement == 'R' else 'tp: ' + placement}]>"


class Module:
    """All parts of one program for one number of ranks."""

    def __init__(self, program, ranks, rng):
        self.emitter, self.ranks = Emitter(), ranks
        self.arguments, self.results, self.inputs, self.expected = [], [], {}, {}
        for rows in range(1, 10):
            shapes = program.shapes(rows, (2 * rows + ranks) % 9 + 1)
            choices = [["S(0)", "S(1)"][: len(shape)] + ["R"] for shape in shapes]
            for number, placements in enumerate(itertools.product(*choices)):
                self.add(program, rows, shapes, placements, number, rng)

    def add(self, program, rows, shapes, placements, number, rng):
        part = "_".join(
            [str(rows), *(p.replace("(", "").replace(")", "") for p in placements)]
        )
        names, values = [], []
        for name, shape, placement in zip(program.arguments, shapes, placements):
            name = f"{name}_{part}"
            names.append(f"%{name}")
            values.append(
                [
                    tensorfile.to_f32(rng.uniform(-1, 1))
                    for _ in range(tensorfile.count(shape))
                ]
            )
            self.inputs[name] = ("F32", shape, values[-1])
            self.arguments.append(
                f'%{name}: {tensor(shape)} {{tp.name = "{name}", tp.grad, '
                f"tp.placement = {attribute(placement)}}}"
            )
        value, shape = program.text(self.emitter, names, shapes, placements)
        y = program.forward(values, shapes)
        g = [tensorfile.to_f32(rng.uniform(-1, 1)) for _ in y]
        self.inputs[f"dy_{part}"] = ("F32", shape, g)
        self.expected[f"y_{part}"] = (shape, y)
        for name, own, gradient in zip(
            program.arguments, shapes, program.backward(values, shapes, g)
        ):
            self.expected[f"d{name}_{part}"] = (own, gradient)
        placed = attribute(["R", "S(0)", "S(1)"][(number + rows) % 3])
        self.results.append(
            (
                value,
                tensor(shape),
                f'{tensor(shape)} {{tp.name = "y_{part}", tp.placement = {placed}}}',
            )
        )

    def text(self):
        body = "\n".join(self.emitter.lines)
        return (
            f'tp.mesh @mesh ["tp" = {self.ranks}]\nfunc.func @parts(\n    '
            + ",\n    ".join(self.arguments)
            + ")\n    -> ("
            + ",\n        ".join(r for _, _, r in self.results)
            + f") {{\n{body}\n"
            + f"  return {', '.join(v for v, _, _ in self.results)} : {', '.join(t for _, t, _ in self.results)}\n}}\n"
        )


def attempt(program, ranks, work):
    """(number of tensors compared, what went wrong)."""
    module = Module(program, ranks, random.Random(ranks))
    base = os.path.join(work, f"on{ranks}")
    with open(base + ".mlir", "w", encoding="utf-8") as file:
        file.write(module.text())
    tensorfile.write(base + ".inputs.safetensors", module.inputs)
    failure = run(
        ["tpc-compile", base + ".mlir", "--objective=bytes", "-o", base + ".so"]
    ) or run(
        [
            "tpc-run",
            base + ".so",
            "-n",
            str(ranks),
            "--inputs",
            base + ".inputs.safetensors",
            "--outputs",
            base + ".safetensors",
            "--check",
        ]
    )
    if failure:
        return 0, [failure]
    got, wrong = tensorfile.read(base + ".safetensors"), []
    for name, expected in sorted(module.expected.items()):
        if name not in got:
            wrong.append(f"{name}: missing from the output")
            continue
        # Absolute 2e-5: sums of up to 9 products of numbers below 100, in f32.
        text, passed = check.compare(name, expected, got[name], 1e-5, 2e-5)
        if not passed:
            wrong.append(text)
    return len(module.expected), wrong


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program", choices=sorted(PROGRAMS))
    parser.add_argument("--work", required=True, metavar="DIR")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 3, 4])
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    failed = 0
    for ranks in args.ranks:
        count, wrong = attempt(PROGRAMS[args.program], ranks, args.work)
        failed += bool(wrong)
        print(
            f"{'FAIL' if wrong else 'ok  '} {args.program} on {ranks} ranks: {count} tensors compared, {len(wrong)} wrong"
        )
        print("\n".join(wrong[:20]), end="\n" if wrong else "")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
