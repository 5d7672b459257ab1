#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what streams with threads of their own give a step whose parameters are gathered and gradients reduced.

  streams.py [--ranks 2] [--blocks 6] [--width 512] [--hidden 2048] [--batch 2048] [--threads 1] [--rounds 5]

A stack of blocks with sharded parameters, forward and backward: the same artifact with --streams=inline and
--streams=threads, in turn. Prints the least time of a step of each, and their ratio: what is hidden behind the compute
where there are cores for ranks x (threads + 2) threads, and what the threads cost where there are not.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))


def step_time(artifact, args, streams):
    """Milliseconds, the least of some steps."""
    done = subprocess.run(
        ["tpc-run", artifact, "--threads", str(args.threads), "--streams", streams, "--repeat", str(args.steps)],
        check=True,
        capture_output=True,
        text=True,
    )
    return float(re.search(r"least ([0-9.]+) ms", done.stdout).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in [("ranks", 2), ("blocks", 6), ("width", 512), ("hidden", 2048), ("batch", 2048)]:
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        model, artifact = os.path.join(work, "stack.mlir"), os.path.join(work, "stack.so")
        sizes = [f"--{name}={getattr(args, name)}" for name in ("blocks", "width", "hidden", "batch")]
        with open(model, "w", encoding="utf-8") as file:
            subprocess.run([sys.executable, os.path.join(FOLDER, "mlp_chain.py"), *sizes], check=True, stdout=file)
        place = ["x=dp:S(0)", "t=dp:S(0)", "*.w*=dp:S(0)"]
        subprocess.run(
            ["tpc-compile", model, "--mesh", f"dp={args.ranks}", "--use", "*.w*=R", "--grad", "params"]
            + [f"--place={what}" for what in place]
            + ["--objective=bytes", "--gather-reuse=regather", "-o", artifact],
            check=True,
        )
        best = {"inline": float("inf"), "threads": float("inf")}
        for _ in range(args.rounds):
            for streams in best:
                best[streams] = min(best[streams], step_time(artifact, args, streams))
    print(f"{os.cpu_count()} cores, {args.ranks} ranks, {args.threads} threads per rank")
    for streams, time in best.items():
        print(f"--streams={streams}: {time:.3f} ms per step")
    print(f"inline / threads: {best['inline'] / best['threads']:.3f}")


if __name__ == "__main__":
    main()
