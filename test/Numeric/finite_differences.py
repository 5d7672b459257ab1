#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the gradients of an f64 artifact with central differences of its own results.

  finite_differences.py STEP.so -n RANKS --inputs FILE --work DIR

Every argument `a` with a gradient `da` is moved by h along random directions and by h in single elements: L moves by
the inner product of the gradient with the direction, where L is the sum of the results weighted by their cotangents
(`d` + result among the inputs; 1 for a scalar without one). With h = 1e-5 the truncation is of the order of 1e-10 and
the rounding of 1e-11, times the derivatives involved; a gradient that is wrong is wrong by far more than --rtol.
"""

import argparse
import os
import random
import subprocess
import sys

import tensorfile


class Artifact:
    def __init__(self, args, inputs):
        self.args, self.inputs, self.runs = args, inputs, 0

    def results(self, changed=None):
        inputs = {**self.inputs, **(changed or {})}
        given = os.path.join(self.args.work, "in.safetensors")
        out = os.path.join(self.args.work, "out.safetensors")
        tensorfile.write(given, {n: ("F64", *v) for n, v in inputs.items()})
        self.runs += 1
        done = subprocess.run(
            [
                "tpc-run",
                self.args.artifact,
                "-n",
                str(self.args.n),
                "--inputs",
                given,
                "--outputs",
                out,
            ],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            sys.exit(f"tpc-run failed:\n{done.stdout}{done.stderr}")
        return tensorfile.read(out)

    def weighted(self, changed, outputs):
        """L, as the docstring of this file says."""
        results, total = self.results(changed), 0.0
        for name in outputs:
            weights = self.inputs.get("d" + name, ((), [1.0]))[1]
            total += sum(w * v for w, v in zip(weights, results[name][1]))
        return total


def directions(size, rng, singles):
    yield [rng.gauss(0, 1) for _ in range(size)]
    for at in rng.sample(range(size), min(singles, size)):
        yield [1.0 if i == at else 0.0 for i in range(size)]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("artifact")
    parser.add_argument("-n", type=int, required=True)
    parser.add_argument("--inputs", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--step", type=float, default=1e-5)
    parser.add_argument("--rtol", type=float, default=1e-6)
    parser.add_argument(
        "--singles", type=int, default=3, help="single elements tried for each argument"
    )
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    rng = random.Random(7)
    artifact = Artifact(args, tensorfile.read(args.inputs))
    base = artifact.results()
    gradients = {
        n[1:]: v for n, v in base.items() if n[:1] == "d" and n[1:] in artifact.inputs
    }
    outputs = [n for n in base if n[1:] not in gradients or n[:1] != "d"]
    failed = 0
    for name, (shape, gradient) in sorted(gradients.items()):
        worst = 0.0
        for direction in directions(len(gradient), rng, args.singles):
            sides = []
            for sign in (1, -1):
                values = [
                    v + sign * args.step * d
                    for v, d in zip(artifact.inputs[name][1], direction)
                ]
                sides.append(artifact.weighted({name: (shape, values)}, outputs))
            numeric = (sides[0] - sides[1]) / (2 * args.step)
            exact = sum(g * d for g, d in zip(gradient, direction))
            scale = max(1.0, abs(exact), *(abs(g) for g in gradient))
            worst = max(worst, abs(numeric - exact) / scale)
        # Written so that a NaN fails.
        passed = worst <= args.rtol
        failed += not passed
        print(
            f"{'ok  ' if passed else 'FAIL'} d{name}: relative difference {worst:.3g}"
        )
    print(f"{len(gradients) - failed} passed, {failed} failed ({artifact.runs} runs)")
    return 1 if failed or not gradients else 0


if __name__ == "__main__":
    sys.exit(main())
