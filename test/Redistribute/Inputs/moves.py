# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs changes of placement, each the identity on an argument, and compares values and bytes.

  moves.py table --work DIR                                      the moves measured on other systems
  moves.py pairs --mesh a=2,b=3 --shapes 5x3,2x1 --work DIR      all pairs of placements of shards, every nesting
      [--sample N]                                               N of the pairs, spread over all
      [--objective time]                                         print how far above the bound, allow it

Every rank's elements are found here one by one from the definition of a placement, and from them what the worst rank
lacks. By bytes a move may receive no more; values are integers and must come out exactly.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "Numeric"))
import tensorfile  # noqa: E402

# Mesh dp=2, tp=4, 64x64: from, to, elements that the worst rank lacks. The eleventh row of the table is about upstream's
# partitioner, which makes a wrong program of every row that takes two steps; there is no move in it to run.
TABLE = [
    ([("dp", 0)], [("tp", 0)], 1024),
    ([("dp", 0), ("tp", 0)], [("tp", 0)], 1024),
    ([("dp", 0), ("tp", 1)], [("tp", 0), ("dp", 1)], 512),
    ([("dp", 0), ("tp", 0)], [], 3584),
    ([("dp", 0), ("tp", 0)], [("dp", 1), ("tp", 1)], 448),
    ([("tp", 0), ("dp", 0)], [("dp", 0), ("tp", 0)], 512),
    ([("tp", 0)], [("tp", 1)], 768),
    ([("dp", 0), ("tp", 0)], [("dp", 0)], 1536),
    ([("dp", 0), ("tp", 0)], [("tp", 1)], 896),
    ([("dp", 0), ("tp", 1)], [("dp", 0), ("tp", 0)], 384),
]


def all_placements(axes, rank):
    """Lists of (axis, dim) in nesting order, one for each meaning."""
    found = {}
    for count in range(len(axes) + 1):
        for order in itertools.permutations(axes, count):
            for dims in itertools.product(range(rank), repeat=count):
                entries = list(zip(order, dims))
                meaning = tuple(
                    tuple(axis for axis, dim in entries if dim == d)
                    for d in range(rank)
                )
                found.setdefault(meaning, entries)
    return list(found.values())


def chunk(length, parts, index):
    step = -(-length // parts)
    begin = min(length, index * step)
    return begin, min(length, begin + step)


def held(mesh, shape, placement, coordinates):
    """The elements a rank holds, as a set of index tuples."""
    ranges = []
    for dim, length in enumerate(shape):
        indices = list(range(length))
        for axis, d in placement:
            if d == dim:
                begin, end = chunk(len(indices), mesh[axis], coordinates[axis])
                indices = indices[begin:end]
        ranges.append(indices)
    return set(itertools.product(*ranges))


def lacking(mesh, shape, before, after):
    """Elements of its new part that the worst rank does not hold."""
    worst = 0
    for place in itertools.product(*(range(size) for size in mesh.values())):
        coordinates = dict(zip(mesh, place))
        new = held(mesh, shape, after, coordinates)
        worst = max(worst, len(new - held(mesh, shape, before, coordinates)))
    return worst


def text(placement):
    return "[" + ", ".join(f"{axis}: S({dim})" for axis, dim in placement) + "]"


def program(mesh, moves):
    axes = ", ".join(f'"{axis}" = {size}' for axis, size in mesh.items())
    arguments, results, values, types = [], [], [], []
    for i, (shape, before, after) in enumerate(moves):
        type_ = f"tensor<{'x'.join(map(str, shape))}xi32>"
        arguments.append(
            f'%x{i}: {type_} {{tp.name = "x{i}", tp.placement = #tp.placement<@mesh, {text(before)}>}}'
        )
        results.append(
            f'{type_} {{tp.name = "y{i}", tp.placement = #tp.placement<@mesh, {text(after)}>}}'
        )
        values.append(f"%x{i}")
        types.append(type_)
    return (
        f"tp.mesh @mesh [{axes}]\n"
        f"func.func @moves({', '.join(arguments)}) -> ({', '.join(results)}) {{\n"
        f"  return {', '.join(values)} : {', '.join(types)}\n}}\n"
    )


def execute(mesh, moves, work, objective):
    """Bytes that the report says each move receives; values are compared on the way."""
    base = os.path.join(work, "moves")
    with open(base + ".mlir", "w", encoding="utf-8") as file:
        file.write(program(mesh, moves))
    values = []
    for i, (shape, _, _) in enumerate(moves):
        values.append([7 * i + n for n in range(tensorfile.count(shape))])
    tensorfile.write(
        base + ".in.safetensors",
        {f"x{i}": ("I32", moves[i][0], v) for i, v in enumerate(values)},
    )
    ranks = 1
    for size in mesh.values():
        ranks *= size

    def run(*command):
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode:
            sys.exit(f"error: {' '.join(command)}: {result.stderr}")
        return result.stdout

    objective = f"--objective={objective}"
    report = run(
        *("tpc-compile", base + ".mlir", objective, "--report=json", "-o", base + ".so")
    )
    inputs, outputs = base + ".in.safetensors", base + ".out.safetensors"
    run(
        *("tpc-run", base + ".so", "-n", str(ranks), "--threads", "1"),
        *("--inputs", inputs, "--outputs", outputs),
    )
    got = tensorfile.read(outputs)
    for i, (shape, before, after) in enumerate(moves):
        if got[f"y{i}"] != (tuple(shape), values[i]):
            sys.exit(
                f"FAIL {shape} {text(before)} -> {text(after)}: expected {values[i]}, got {got[f'y{i}'][1]}"
            )
    received = [0] * len(moves)
    for collective in json.loads(report)["collectives"]:
        received[int(collective["value"][1:])] += collective["wire_bytes"]
    return received


def compare(mesh, moves, received, exact):
    """Fails above the bound when `exact`; returns how many times the bound is received on average, and at most."""
    ratios = []
    for (shape, before, after), bytes_ in zip(moves, received):
        bound = 4 * lacking(mesh, shape, before, after)
        if bytes_ < bound or (exact and bytes_ > bound):
            sys.exit(
                f"FAIL {shape} {text(before)} -> {text(after)}: expected {bound} bytes, got {bytes_}"
            )
        if bound:
            ratios.append(bytes_ / bound)
    return sum(ratios) / len(ratios), max(ratios)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["table", "pairs"])
    parser.add_argument("--mesh")
    parser.add_argument("--shapes")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--objective", default="bytes")
    parser.add_argument("--work", required=True)
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    if args.what == "table":
        mesh, shape = {"dp": 2, "tp": 4}, (64, 64)
        moves = [(shape, before, after) for before, after, _ in TABLE]
        received = execute(mesh, moves, args.work, args.objective)
        for (before, after, bound), bytes_ in zip(TABLE, received):
            if bound != lacking(mesh, shape, before, after) or bytes_ != 4 * bound:
                sys.exit(
                    f"FAIL {text(before)} -> {text(after)}: expected {4 * bound} bytes, got {bytes_}"
                )
            print(f"{text(before)} -> {text(after)}: {bytes_} B received, as bound")
        return
    mesh = {}
    for axis in args.mesh.split(","):
        name, size = axis.split("=")
        mesh[name] = int(size)
    shapes = [tuple(map(int, s.split("x"))) for s in args.shapes.split(",")]
    moves = []
    for shape in shapes:
        placements = all_placements(mesh, len(shape))
        moves += [(shape, a, b) for a in placements for b in placements if a != b]
    if args.sample:
        # A step that shares no factor with the number of placements.
        moves = [moves[i * 7919 % len(moves)] for i in range(args.sample)]
    received = execute(mesh, moves, args.work, args.objective)
    mean, most = compare(mesh, moves, received, args.objective == "bytes")
    print(
        f"{args.mesh} by {args.objective}: {len(moves)} moves, values exact, received bytes over the lower bound: "
        f"mean {mean:.4f}, most {most:.4f}"
    )


if __name__ == "__main__":
    main()
