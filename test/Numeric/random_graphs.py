#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles random small programs under random pins for random meshes, runs them and compares with values computed here.

  random_graphs.py --work DIR [--first 0] [--count 60] [--batch 6] [--keep]

A seed is a graph of products, sums, reductions, transposes, broadcasts and cuts with arguments, results and inner
values pinned at random, on a mesh of one or two axes with sizes that divide or do not. All inputs are small integers
and every value stays below 2^24, so that f32 computes exactly: results and gradients must be equal, bit by bit. The
seeds of a batch share a mesh, an objective and one compilation; `--batch 1` finds the seed at fault.
"""

import argparse
import os
import random
import re
import sys

import tensorfile
from random_operations import OPERATIONS, Value
from sweep import ranks, run
from uneven_programs import Emitter, tensor

MESHES = ["a=2", "a=3", "a=4", "a=2,b=2", "b=2,a=3", "a=3,b=2"]
OBJECTIVES = ["bytes", "count", "time"]


def placement(rng, mesh, rank, partial=False):
    """A random placement on some axes, in random nesting order."""
    axes = [axis.partition("=")[0] for axis in mesh.split(",")]
    rng.shuffle(axes)
    entries = []
    for axis in axes:
        choices = ["R"] + [f"S({dim})" for dim in range(rank)]
        choice = rng.choice(choices + ["P(sum)"] * partial)
        if choice != "R":
            entries.append(f"{axis}: {choice}")
    return f"<@mesh, [{', '.join(entries)}]>"


class Graph:
    """The program of one seed, as a part of the function that `emitter` collects."""

    def __init__(self, seed, mesh, emitter):
        self.rng, self.seed, self.mesh = random.Random(seed), seed, mesh
        self.emitter, self.values, self.arguments = emitter, [], []
        self.sizes = [self.rng.randint(1, 9) for _ in range(3)]
        self.differentiated = self.rng.random() < 0.7
        for _ in range(self.rng.randint(2, 3)):
            self.argument(self.rng.randint(1, 2))
        for _ in range(self.rng.randint(2, 8)):
            self.step()
        self.choose_results()

    def argument(self, rank=2, shape=None):
        shape = shape or tuple(self.rng.choice(self.sizes) for _ in range(rank))
        data = [float(self.rng.randint(-2, 2)) for _ in range(tensorfile.count(shape))]
        name = f"g{self.seed}_{'xwuvpqrst'[len(self.arguments) % 9]}{len(self.arguments)}"
        value = Value(f"%{name}", shape, data)
        value.argument = name
        value.grad = self.differentiated and self.rng.random() < 0.7
        attributes = [f'tp.name = "{name}"'] + ["tp.grad"] * value.grad
        if self.rng.random() < 0.6:
            attributes.append(f"tp.placement = #tp.placement{self.placement(value)}")
        if self.rng.random() < 0.2:
            attributes.append(f"tp.use = #tp.placement{self.placement(value)}")
        self.arguments.append((value, f"%{name}: {tensor(shape)} {{{', '.join(attributes)}}}"))
        self.values.append(value)
        return value

    def placement(self, value, partial=False):
        return placement(self.rng, self.mesh, len(value.shape), partial)

    def pick(self, accept=lambda value: True):
        """A value, later ones rather; None when there is none to accept."""
        found = [value for value in self.values if accept(value)]
        return found[-1 - int(len(found) * self.rng.random() ** 2)] if found else None

    def step(self):
        operation = self.rng.choice(
            [op for op in OPERATIONS if op.smooth or not self.differentiated]
        )
        value = operation.build(self)
        if value is None or value.bound >= 1 << 12:
            return
        value.text(self.emitter)
        if self.rng.random() < 0.25:
            pin = self.placement(value, partial=True)
            if self.rng.random() < 0.3:
                pin += f" cotangent {self.placement(value, partial=True)}"
            value.name = self.emitter.emit(
                f"tp.constrain {value.name} to {pin} : {tensor(value.shape)}"
            )
        self.values.append(value)

    def choose_results(self):
        used = {id(operand) for value in self.values for operand in value.operands}
        self.results = [v for v in self.values if id(v) not in used and v.operands]
        if not self.results or self.rng.random() < 0.3:
            self.results.append(self.pick())
        self.results = self.results[:4]
        self.names = [f"g{self.seed}_y{i}" for i in range(len(self.results))]
        self.types = []
        for name, value in zip(self.names, self.results):
            pin = ""
            if self.rng.random() < 0.6:
                pin = f", tp.placement = #tp.placement{self.placement(value)}"
            self.types.append(f'{tensor(value.shape)} {{tp.name = "{name}"{pin}}}')

    def evaluate(self, inputs, expected):
        """Adds the arguments and cotangents to `inputs`, the results and gradients to `expected`; the largest number
        that may occur."""
        gradients, bounds = {}, {}
        for value, _ in self.arguments:
            inputs[value.argument] = ("F32", value.shape, value.data)
        for name, value in zip(self.names, self.results):
            expected[name] = (value.shape, value.data)
            g = [float(self.rng.randint(-2, 2)) for _ in value.data]
            inputs["d" + name] = ("F32", value.shape, g)
            add(gradients, value, g)
            add(bounds, value, [2.0] * len(g))
        largest = max(value.bound for value in self.values)
        for value in reversed(self.values):
            if id(value) not in gradients:
                continue
            largest = max([largest] + bounds[id(value)])
            for operand, g, bound in value.backward(gradients[id(value)], bounds[id(value)]):
                add(gradients, operand, g)
                add(bounds, operand, bound)
        for value, _ in self.arguments:
            if value.grad:
                zeros = [0.0] * len(value.data)
                expected["d" + value.argument] = (value.shape, gradients.get(id(value), zeros))
        return largest


def add(sums, value, g):
    known = sums.setdefault(id(value), [0.0] * len(g))
    sums[id(value)] = [a + b for a, b in zip(known, g)]


def attempt(seeds, mesh, objective, base, uses=True):
    """(number of tensors compared, what went wrong)."""
    emitter, graphs, inputs, expected = Emitter(), [], {}, {}
    for seed in seeds:
        before = len(emitter.lines)
        graph = Graph(seed, mesh, emitter)
        own_inputs, own_expected = {}, {}
        if graph.evaluate(own_inputs, own_expected) >= 1 << 24:
            del emitter.lines[before:]
            continue
        graphs.append(graph)
        inputs.update(own_inputs)
        expected.update(own_expected)
    if not graphs:
        return 0, []
    sizes = ", ".join('"{}" = {}'.format(*axis.split("=")) for axis in mesh.split(","))
    arguments = ",\n    ".join(text for graph in graphs for _, text in graph.arguments)
    if not uses:
        arguments = re.sub(r", tp.use = #tp.placement<@mesh, \[[^]]*\]>", "", arguments)
    types = ",\n        ".join(text for graph in graphs for text in graph.types)
    values = [value for graph in graphs for value in graph.results]
    body = "\n".join(emitter.lines)
    with open(base + ".mlir", "w", encoding="utf-8") as file:
        file.write(
            f"tp.mesh @mesh [{sizes}]\nfunc.func @graphs(\n    {arguments})\n    -> ({types}) {{\n{body}\n"
            f"  return {', '.join(v.name for v in values)} : {', '.join(tensor(v.shape) for v in values)}\n}}\n"
        )
    tensorfile.write(base + ".inputs.safetensors", inputs)
    failure = run(
        ["tpc-compile", base + ".mlir", f"--objective={objective}", "-o", base + ".so"]
    )
    # An argument that must be used as pinned may have readers that cannot.
    if failure and "meets all of its pins" in failure and "tp.use" in arguments:
        return attempt(seeds, mesh, objective, base, uses=False)
    failure = failure or run(
        ["tpc-run", base + ".so", "-n", str(ranks(mesh)), "--check"]
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


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", required=True, metavar="DIR")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--batch", type=int, default=6)
    parser.add_argument("--keep", action="store_true", help="keep the files of what passes")
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    failed = 0
    for first in range(args.first, args.first + args.count, args.batch):
        seeds = range(first, min(first + args.batch, args.first + args.count))
        round, position = divmod(first // args.batch, len(MESHES))
        mesh = MESHES[position]
        objective = OBJECTIVES[(round + position) % len(OBJECTIVES)]
        base = os.path.join(args.work, f"seed{first}")
        count, wrong = attempt(seeds, mesh, objective, base)
        failed += bool(wrong)
        print(
            f"{'FAIL' if wrong else 'ok  '} seeds {first} to {seeds[-1]} on {mesh} for {objective}: "
            f"{count} tensors compared, {len(wrong)} wrong",
            flush=True,
        )
        print("\n".join(wrong[:20]), end="\n" if wrong else "", flush=True)
        if not wrong and not args.keep:
            for suffix in (".mlir", ".so", ".inputs.safetensors", ".safetensors"):
                if os.path.exists(base + suffix):
                    os.remove(base + suffix)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
