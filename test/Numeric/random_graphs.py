#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles random small programs under random pins for random meshes, runs them and compares with values computed here.

  random_graphs.py --work DIR [--first 0] [--count 300] [--batch 25] [--jobs 2] [--check-every 10] [--loops] [--keep]

A seed is a graph of contractions, sums, reductions, moves, look-ups, loops and branches with arguments, results and inner
values pinned at random, on a mesh of one to three axes with sizes that divide or do not. All inputs are small integers
and every value stays so small that its type computes exactly: results and gradients must be equal, bit by bit. The
seeds of a batch share a mesh, an objective and one compilation. When a batch fails its seeds are tried one by one, and
of the first that fails a smaller program that fails is looked for: its text is printed. Every `--check-every`th batch
also runs tpc-run --check, which compares the ranks' copies of replicated results.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys

import tensorfile
from random_program import Program
from sweep import ranks
from uneven_programs import Emitter, tensor

MESHES = ["a=2", "a=3", "a=4", "a=2,b=2", "b=2,a=3", "a=3,b=2", "a=8", "b=4,a=2", "a=2,b=2,c=2", "a=5"]
OBJECTIVES = ["bytes", "count", "time"]


LIMIT = 180  # seconds for one run of a tool


def run(command):
    """None, or what a failing command printed."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return f"$ {' '.join(command)}\nnot done after {LIMIT} seconds"
    if done.returncode == 0:
        return None
    return f"$ {' '.join(command)}\nexit status {done.returncode}\n{done.stdout[-1000:]}{done.stderr[:3000]}"


def write(programs, mesh, base, uses):
    """The module of the programs; its text."""
    emitter = programs[0].emitter
    sizes = ", ".join('"{}" = {}'.format(*axis.split("=")) for axis in mesh.split(","))
    arguments = ",\n    ".join(text for program in programs for _, text in program.arguments)
    if not uses:
        arguments = re.sub(r", tp.use = #tp.placement<@mesh, \[[^]]*\]>", "", arguments)
    types = [text for program in programs for text in program.types]
    names = [value.name for program in programs for value in program.results]
    plain = [re.sub(r" {.*", "", text) for text in types]
    body = "\n".join(emitter.lines)
    text = (
        f"tp.mesh @mesh [{sizes}]\nfunc.func @graphs(\n    {arguments})\n    -> ({', '.join(types)}) {{\n{body}\n"
        f"  return {', '.join(names)} : {', '.join(plain)}\n}}\n"
    )
    with open(base + ".mlir", "w", encoding="utf-8") as file:
        file.write(text)
    return arguments


def attempt(seeds, mesh, objective, base, check, loops, uses=True, **smaller):
    """(number of tensors compared, what went wrong)."""
    emitter, programs, inputs, expected = Emitter(), [], {}, {}
    for seed in seeds:
        before = len(emitter.lines)
        program = Program(seed, mesh, emitter, loops, **smaller)
        own_inputs, own_expected = {}, {}
        if not program.evaluate(own_inputs, own_expected):
            del emitter.lines[before:]
            continue
        programs.append(program)
        inputs.update(own_inputs)
        expected.update(own_expected)
    if not programs:
        return 0, []
    arguments = write(programs, mesh, base, uses)
    tensorfile.write(base + ".inputs.safetensors", inputs)
    failure = run(["tpc-compile", base + ".mlir", f"--objective={objective}", "-o", base + ".so"])
    # An argument that must be used as pinned may have readers that cannot.
    if failure and "meets all of its pins" in failure and "tp.use" in arguments:
        return attempt(seeds, mesh, objective, base, check, loops, uses=False, **smaller)
    failure = failure or run(
        # Most orders are possible when streams have threads.
        ["tpc-run", base + ".so", "-n", str(ranks(mesh)), "--streams=threads", *["--check"] * check]
        + ["--inputs", base + ".inputs.safetensors", "--outputs", base + ".safetensors"]
    )
    if failure:
        return 0, [failure]
    got, wrong = tensorfile.read(base + ".safetensors"), []
    for name, (shape, data) in sorted(expected.items()):
        if name not in got:
            wrong.append(f"{name}: missing from the output")
        elif got[name][0] != tuple(shape) or got[name][1] != data:
            wrong.append(f"{name}: expected {shape} {data}, got {got[name]}"[:600])
    return len(expected), wrong


def reduce(seed, mesh, objective, base, check, loops):
    """The smallest program found of a seed that fails: fewest operations, then fewest pins."""
    fails = lambda **smaller: attempt([seed], mesh, objective, base, check, loops, **smaller)[1]
    steps = next((n for n in range(8) if fails(steps=n)), 8)
    unpinned = set()
    for pin in range(1, 60):
        if fails(steps=steps, unpinned=unpinned | {pin}):
            unpinned.add(pin)
    wrong = fails(steps=steps, unpinned=unpinned)
    with open(base + ".mlir", encoding="utf-8") as file:
        text = file.read()
    return [f"seed {seed} on {mesh} for {objective}, reduced to {base}.mlir:", text, *wrong]


def run_batch(args, seeds, mesh, objective, base, check):
    count, wrong = attempt(seeds, mesh, objective, base, check, args.loops)
    lines = [
        f"{'FAIL' if wrong else 'ok  '} seeds {seeds[0]} to {seeds[-1]} on {mesh} for {objective}: "
        f"{count} tensors compared, {len(wrong)} wrong"
    ]
    if wrong:
        failing = [s for s in seeds if attempt([s], mesh, objective, f"{base}_{s}", check, args.loops)[1]]
        lines.append(f"failing seeds: {' '.join(map(str, failing)) or 'none alone'}")
        if failing:
            lines += reduce(failing[0], mesh, objective, f"{base}_{failing[0]}", check, args.loops)
        else:
            lines += wrong[:20]
    elif not args.keep:
        for suffix in (".mlir", ".so", ".inputs.safetensors", ".safetensors"):
            if os.path.exists(base + suffix):
                os.remove(base + suffix)
    return bool(wrong), "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", required=True, metavar="DIR")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--batch", type=int, default=25)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--check-every", type=int, default=10)
    parser.add_argument("--mesh", choices=MESHES, help="this mesh alone")
    parser.add_argument("--loops", action="store_true", help="loops and branches too")
    parser.add_argument("--keep", action="store_true", help="keep the files of what passes")
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    end, failed = args.first + args.count, 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        batches = []
        for first in range(args.first, end, args.batch):
            number = first // args.batch
            mesh = args.mesh or MESHES[number % len(MESHES)]
            objective = OBJECTIVES[number % len(OBJECTIVES)]
            seeds = range(first, min(first + args.batch, end))
            if mesh.count("=") > 2:
                seeds = seeds[:1]  # Plans for three axes take long.
            check = number % args.check_every == 0
            base = os.path.join(args.work, f"seed{first}")
            batches.append(pool.submit(run_batch, args, seeds, mesh, objective, base, check))
        for batch in batches:
            wrong, text = batch.result()
            failed += wrong
            print(text, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
