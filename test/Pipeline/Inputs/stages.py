# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what tpc-compile leaves after every stage with its own round trip and with tpc-opt's named pipelines.

  stages.py MODEL.mlir --work DIR -- OPTIONS OF tpc-compile
"""

import argparse
import os
import re
import subprocess
import sys

STAGES = ["import", "place", "autodiff", "plan", "redistribute", "partition", "schedule", "lower"]
# tpc-opt takes repeated flags as one value.
JOINED = ("mesh", "place", "use", "grad", "objective", "target-spec")


def output(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"$ {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout.rstrip("\n")


def without_reasons(text):
    """Reasons and value names come from source locations, which tpc-opt does not see in the stage before."""
    return re.sub(r'tp\.(why|value) = "[^"]*"', "", text)


def pipeline_options(options):
    """--place a=R --place b=R as place='a=R;b=R'."""
    values = {}
    for flag, value in zip(options[::2], options[1::2]):
        values.setdefault(flag.lstrip("-"), []).append(value)
    return " ".join(f"{name}='{';'.join(values[name])}'" for name in JOINED if name in values)


def main():
    cut = sys.argv.index("--")
    options, sys.argv = sys.argv[cut + 1 :], sys.argv[:cut]
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--work", required=True)
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    passed, before, wrong = pipeline_options(options), args.model, 0

    def check(condition, text):
        nonlocal wrong
        wrong += not condition
        print(("ok   " if condition else "FAIL ") + text)

    for stage in STAGES:
        text = output(["tpc-compile", args.model, *options, f"--stop-after={stage}"])
        path = os.path.join(args.work, stage + ".mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        check(output(["tpc-opt", path, "--verify-roundtrip"]) == text, f"{stage}: prints the same again")
        named = output(["tpc-opt", before, f"--tpc-{stage}={passed}"])
        same = without_reasons(named) == without_reasons(text)
        check(same, f"{stage}: tpc-opt --tpc-{stage} on the stage before leaves the same")
        before = path
    whole = output(["tpc-opt", args.model, f"--tpc-all={passed}"])
    check(whole == text, "tpc-opt --tpc-all leaves the same as all stages of tpc-compile")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
