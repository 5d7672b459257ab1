# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans a model without pins and under random ones: every plan meets its bound, and no other is below the free one.

  free_plan.py MODEL.mlir --mesh NAME=SIZE,... [--pinned N] -- OPTIONS OF tpc-compile
"""

import argparse
import random
import re
import subprocess
import sys

ARGUMENT = re.compile(r'%\w+: tensor<([\dx]*)\w+> \{[^}]*tp\.name = "([^"]+)"')
PLAN = re.compile(r"cost = array<i64: ([-\d, ]+)>, lower_bound = array<i64: ([-\d, ]+)>")


def planned(args, options, pins=()):
    """The cost of the plan, and whether it is proved."""
    command = ["tpc-compile", args.model, "--mesh", args.mesh, *options, "--stop-after=plan"]
    done = subprocess.run(command + [f"--place={pin}" for pin in pins], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"$ {' '.join(command)} {pins}\n{done.stderr}")
    cost, bound = PLAN.search(done.stdout).groups()
    return [int(part) for part in cost.split(",")], cost == bound


def main():
    cut = sys.argv.index("--")
    options, sys.argv = sys.argv[cut + 1 :], sys.argv[:cut]
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--mesh", required=True)
    parser.add_argument("--pinned", type=int, default=3)
    args = parser.parse_args()
    with open(args.model, encoding="utf-8") as file:
        arguments = ARGUMENT.findall(file.read())
    if not arguments:
        sys.exit(f"expected named arguments in {args.model}")
    axes = [axis.partition("=")[0] for axis in args.mesh.split(",")]
    wrong = 0
    for objective in ("bytes", "count", "time"):
        rng = random.Random(objective)
        own = options + [f"--objective={objective}"]
        free, proved = planned(args, own)
        wrong += not proved
        print(f"{'ok  ' if proved else 'FAIL'} {objective}: free {free}")
        for _ in range(args.pinned):
            pins = []
            for shape, name in rng.sample(arguments, min(3, len(arguments))):
                rank = shape.count("x")
                order = rng.sample(axes, len(axes))
                chosen = [f"{axis}:S({rng.randrange(rank)})" for axis in order if rank and rng.random() < 0.7]
                pins.append(f"{name}={','.join(chosen) or 'R'}")
            pinned, proved = planned(args, own, pins)
            good = proved and free <= pinned
            wrong += not good
            print(f"{'ok  ' if good else 'FAIL'} {objective}: {pinned} with {' '.join(pins)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
