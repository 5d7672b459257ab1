#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile time of a chain of MLP blocks with its backward, by depth and by mesh.

Depth: compiles the chains of --blocks (default 50 and 200), each --repeat times, keeps the fastest, prints the seconds
of every stage and the ratio of the totals. Mesh: plans 3 blocks without pins on the meshes of --meshes, at sizes that
all of them divide and at sizes that none does, and prints the seconds of planning; nothing depends on the number of
ranks but whether sizes are even. Exit status 1 when the first ratio is above --limit, or the ratio of the largest and the
smallest mesh above --mesh-limit.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

from mlp_chain import chain


def compile_once(path, work, mesh):
    """(seconds in all, seconds of each stage)."""
    axis = mesh.partition("=")[0]
    start = time.perf_counter()
    done = subprocess.run(
        [
            "tpc-compile",
            path,
            "--mesh",
            mesh,
            "--place",
            f"*.w1={axis}:S(0)",
            "--place",
            f"*.w2={axis}:S(1)",
            "--place",
            "x=R",
            "--place",
            "t=R",
            "--grad",
            "params",
            "--timing",
            "-o",
            os.path.join(work, "chain.so"),
        ],
        capture_output=True,
        text=True,
    )
    seconds = time.perf_counter() - start
    if done.returncode:
        sys.exit(f"tpc-compile failed on {path}:\n{done.stderr[-4000:]}")
    lines = [line for line in done.stderr.splitlines() if line.startswith("{")]
    return seconds, json.loads(lines[-1]) if lines else {}


def plan_once(path, mesh):
    """Seconds of the plan stage."""
    command = ["tpc-compile", path, "--mesh", mesh, "--grad", "params", "--timing"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"tpc-compile failed on {path}:\n{done.stderr[-4000:]}")
    lines = [line for line in done.stderr.splitlines() if line.startswith("{")]
    return json.loads(lines[-1])["plan"]


def grows_with_mesh(args):
    """Whether planning takes longer on larger meshes than the limit allows."""
    bad = False
    for kind, sizes in (("even", (1024, 4096, 2048)), ("uneven", (1000, 3000, 100))):
        with tempfile.TemporaryDirectory() as work:
            path = os.path.join(work, "chain3.mlir")
            with open(path, "w", encoding="utf-8") as file:
                file.write(chain(3, *sizes))
            seconds = [
                min(plan_once(path, mesh) for _ in range(args.repeat + 1))
                for mesh in args.meshes
            ]
        ratio = seconds[-1] / seconds[0]
        bad |= ratio > args.mesh_limit
        times = ", ".join(
            f"{mesh} {value:.3f} s" for mesh, value in zip(args.meshes, seconds)
        )
        print(
            f"planning 3 blocks of {kind} sizes: {times}; ratio {ratio:.2f} (limit {args.mesh_limit})"
        )
    return bad


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--blocks", type=int, nargs=2, default=[50, 200], metavar="N")
    parser.add_argument("--mesh", default="tp=4")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--limit", type=float, default=4.6)
    parser.add_argument(
        "--meshes", nargs="+", default=["dp=2,tp=2", "dp=8,tp=8", "dp=32,tp=32"]
    )
    parser.add_argument("--mesh-limit", type=float, default=1.5)
    args = parser.parse_args()
    bad = grows_with_mesh(args)
    columns = []
    with tempfile.TemporaryDirectory() as work:
        for blocks in args.blocks:
            path = os.path.join(work, f"chain{blocks}.mlir")
            with open(path, "w", encoding="utf-8") as file:
                file.write(chain(blocks, 64, 256, 32))
            columns.append(
                min(
                    (compile_once(path, work, args.mesh) for _ in range(args.repeat)),
                    key=lambda r: r[0],
                )
            )
    stages = list(columns[1][1])
    print(
        f"{'stage':<16}"
        + "".join(f"{f'{b} blocks':>14}" for b in args.blocks)
        + f"{'ratio':>8}"
    )
    for stage in stages + ["total"]:
        values = [
            total if stage == "total" else times.get(stage, 0.0)
            for total, times in columns
        ]
        ratio = values[1] / values[0] if values[0] else float("inf")
        print(
            f"{stage:<16}" + "".join(f"{v:>12.3f} s" for v in values) + f"{ratio:>8.2f}"
        )
    ratio = columns[1][0] / columns[0][0]
    print(
        f"{args.blocks[1] / args.blocks[0]:g} times the blocks take {ratio:.2f} times as long (limit {args.limit})"
    )
    return 0 if ratio <= args.limit and not bad else 1


if __name__ == "__main__":
    sys.exit(main())
