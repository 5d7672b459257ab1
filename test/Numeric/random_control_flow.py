#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles random programs with loops and branches, runs them and compares with values computed here.

  random_control_flow.py --work DIR [--first 0] [--count 40] [--ranks 1 2 3 4]

A seed is a program of loops in loops and branches on i32 tensors, which compute exactly: elementwise operations,
products, row sums, slices and insertions at computed offsets (also outside of the tensor, where they are moved
inside), conditions on elements. Loops carry several tensors, which the body yields in any order, twice, unchanged or
from outside. Arguments and results are pinned at random on a mesh of one axis; sizes divide or do not.
"""

import argparse
import os
import random
import sys

import tensorfile
from sweep import run

OPERATORS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
}


def tensor(shape):
    return "tensor<" + "".join(f"{s}x" for s in shape) + "i32>"


def wrap(number):
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)


class Program:
    """Text and meaning of one seed: statements are closures over an environment from names to values."""

    def __init__(self, seed, ranks):
        self.rng, self.seed = random.Random(seed), seed
        rows = self.rng.choice([1, 2, 3, 5, 6, 7, 16])
        self.shape = (rows, self.rng.choice([rows, rows, self.rng.randint(1, 9)]))
        self.length = self.rng.randint(1, 5)
        self.stacked = (self.length, *self.shape)
        self.ranks, self.names, self.lines, self.depth = ranks, 0, [], 1
        self.arguments = {}
        for index in range(4):
            shape = self.shape if index < 2 else self.stacked
            data = [self.rng.randint(-3, 3) for _ in range(tensorfile.count(shape))]
            self.arguments[f"%a{index}"] = (shape, data)
        self.statements = []
        scope = {name: shape for name, (shape, _) in self.arguments.items()}
        for _ in range(self.rng.randint(1, 3)):
            self.add_loop(scope, [], self.statements)
            self.add_simple(scope, [], self.statements)
        self.results = self.rng.sample(sorted(scope), 3) + [list(scope)[-1]]
        self.shapes = scope

    def placement(self, shape):
        choice = self.rng.choice(["R", *(f"S({d})" for d in range(len(shape)))])
        return f"#tp.placement<@mesh, [{'' if choice == 'R' else 'tp: ' + choice}]>"

    def emit(self, text, prefix="v"):
        self.names += 1
        name = f"%{prefix}{self.names}"
        self.line(f"{name} = {text}")
        return name

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def pick(self, scope, shape):
        """A name of that shape, later ones rather."""
        found = [name for name, own in scope.items() if own == shape]
        return found[-1 - int(len(found) * self.rng.random() ** 2)]

    def empty(self, shape):
        return self.emit(f"tensor.empty() : {tensor(shape)}", "e")

    def index(self, loops):
        """An offset into a stack: its name, and how to compute it."""
        iv = self.rng.choice([None, *loops, *loops])
        if iv is None:
            number = self.rng.randint(0, self.length - 1)
            return str(number), lambda env: number
        operation = self.rng.choice([None, "addi", "subi"])
        if operation is None:
            return iv, lambda env: env[iv]
        number = self.rng.randint(-2, self.length + 1)
        constant = self.emit(f"arith.constant {number} : index", "c")
        name = self.emit(f"arith.{operation} {constant}, {iv} : index", "i")
        sign = 1 if operation == "addi" else -1
        return name, lambda env: number + sign * env[iv]

    def add_simple(self, scope, loops, statements):
        choices = [self.add_elementwise] * 4 + [self.add_slice, self.add_insert] * 2
        choices += [self.add_row_sums] + [self.add_product] * (
            2 if self.shape[0] == self.shape[1] else 0
        )
        self.rng.choice(choices)(scope, loops, statements)

    def add_elementwise(self, scope, loops, statements):
        shape = self.stacked if self.rng.random() < 0.15 else self.shape
        a, b = self.pick(scope, shape), self.pick(scope, shape)
        kind = self.rng.choice(sorted(OPERATORS))
        t = tensor(shape)
        name = self.emit(
            f"linalg.{kind} ins({a}, {b} : {t}, {t}) outs({self.empty(shape)} : {t}) -> {t}"
        )

        def execute(env):
            operator = OPERATORS[kind]
            env[name] = [wrap(operator(x, y)) for x, y in zip(env[a], env[b])]

        scope[name] = shape
        statements.append(execute)

    def add_product(self, scope, loops, statements):
        """With an accumulator that is a value, or zero."""
        a, b = self.pick(scope, self.shape), self.pick(scope, self.shape)
        t, n = tensor(self.shape), self.shape[0]
        start = self.pick(scope, self.shape) if self.rng.random() < 0.6 else None
        init = start
        if start is None:
            zero = self.emit("arith.constant 0 : i32", "c")
            init = self.emit(
                f"linalg.fill ins({zero} : i32) outs({self.empty(self.shape)} : {t}) -> {t}"
            )
        name = self.emit(f"linalg.matmul ins({a}, {b} : {t}, {t}) outs({init} : {t}) -> {t}")

        def execute(env):
            x, y = env[a], env[b]
            base = env[start] if start else [0] * (n * n)
            env[name] = [
                wrap(base[i * n + j] + sum(x[i * n + k] * y[k * n + j] for k in range(n)))
                for i in range(n)
                for j in range(n)
            ]

        scope[name] = self.shape
        statements.append(execute)

    def add_row_sums(self, scope, loops, statements):
        """The sum of each row is added to its elements."""
        a = self.pick(scope, self.shape)
        rows, columns = self.shape
        t, r = tensor(self.shape), tensor((rows,))
        zero = self.emit("arith.constant 0 : i32", "c")
        init = self.emit(f"linalg.fill ins({zero} : i32) outs({self.empty((rows,))} : {r}) -> {r}")
        sums = self.emit(
            f"linalg.reduce ins({a} : {t}) outs({init} : {r}) dimensions = [1] "
            "(%in: i32, %acc: i32) { %s = arith.addi %in, %acc : i32 linalg.yield %s : i32 }"
        )
        wide = self.emit(
            f"linalg.broadcast ins({sums} : {r}) outs({self.empty(self.shape)} : {t}) dimensions = [1]"
        )
        name = self.emit(
            f"linalg.add ins({a}, {wide} : {t}, {t}) outs({self.empty(self.shape)} : {t}) -> {t}"
        )

        def execute(env):
            x = env[a]
            env[name] = [
                wrap(x[k] + sum(x[k // columns * columns :][:columns])) for k in range(len(x))
            ]

        scope[name] = self.shape
        statements.append(execute)

    def box(self, loops):
        """The text of the box that is one element of a stack, and where it begins."""
        index, where = self.index(loops)
        rows, columns = self.shape
        size = rows * columns

        def begin(env):
            return min(max(where(env), 0), self.length - 1) * size

        return f"[{index}, 0, 0] [1, {rows}, {columns}] [1, 1, 1]", begin, size

    def add_slice(self, scope, loops, statements):
        a = self.pick(scope, self.stacked)
        box, begin, size = self.box(loops)
        name = self.emit(
            f"tensor.extract_slice {a}{box} : {tensor(self.stacked)} to {tensor(self.shape)}"
        )

        def execute(env):
            env[name] = env[a][begin(env) :][:size]

        scope[name] = self.shape
        statements.append(execute)

    def add_insert(self, scope, loops, statements):
        a, whole = self.pick(scope, self.shape), self.pick(scope, self.stacked)
        box, begin, size = self.box(loops)
        name = self.emit(
            f"tensor.insert_slice {a} into {whole}{box} : {tensor(self.shape)} into {tensor(self.stacked)}"
        )

        def execute(env):
            at = begin(env)
            env[name] = env[whole][:at] + env[a] + env[whole][at + size :]

        scope[name] = self.stacked
        statements.append(execute)

    def body(self, scope, loops, shapes, size):
        """Statements, and the names that are yielded: new ones, carried ones and such from outside."""
        statements, inner = [], dict(scope)
        self.depth += 1
        for _ in range(size):
            if len(loops) < 2 and self.rng.random() < 0.2:
                self.add_loop(inner, loops, statements)
            elif self.rng.random() < 0.15:
                self.add_branch(inner, loops, statements)
            else:
                self.add_simple(inner, loops, statements)
        yields = [self.pick(inner, shape) for shape in shapes]
        types = ", ".join(map(tensor, shapes))
        self.line(f"scf.yield {', '.join(yields)} : {types}")
        self.depth -= 1
        return statements, yields

    def add_loop(self, scope, loops, statements):
        trips = self.rng.choice([self.length, self.rng.randint(1, 6)])
        shapes = [self.rng.choice([self.shape, self.shape, self.stacked]) for _ in range(self.rng.randint(1, 4))]
        inits = [self.pick(scope, shape) for shape in shapes]
        bounds = [self.emit(f"arith.constant {n} : index", "c") for n in (0, trips, 1)]
        self.names += 1
        name, iv = f"%l{self.names}", f"%iv{self.names}"
        carried = [f"%x{self.names}_{k}" for k in range(len(shapes))]
        pairs = ", ".join(f"{c} = {i}" for c, i in zip(carried, inits))
        self.line(
            f"{name}:{len(shapes)} = scf.for {iv} = {bounds[0]} to {bounds[1]} "
            f"step {bounds[2]} iter_args({pairs}) -> ({', '.join(map(tensor, shapes))}) {{"
        )
        inner = {**scope, **dict(zip(carried, shapes))}
        # Now and then more than a segment of the host function has.
        size = 80 if self.rng.random() < 0.03 else self.rng.randint(1, 5)
        body, yields = self.body(inner, [*loops, iv], shapes, size)
        self.line("}")
        results = [f"{name}#{k}" for k in range(len(shapes))]

        def execute(env):
            local = dict(env)
            local.update({c: env[i] for c, i in zip(carried, inits)})
            for trip in range(trips):
                local[iv] = trip
                for statement in body:
                    statement(local)
                local.update(zip(carried, [local[y] for y in yields]))
            env.update({r: local[c] for r, c in zip(results, carried)})

        scope.update(zip(results, shapes))
        statements.append(execute)

    def add_branch(self, scope, loops, statements):
        a = self.pick(scope, self.shape)
        row, column = self.rng.randrange(self.shape[0]), self.rng.randrange(self.shape[1])
        i, j = (self.emit(f"arith.constant {n} : index", "c") for n in (row, column))
        element = self.emit(f"tensor.extract {a}[{i}, {j}] : {tensor(self.shape)}", "s")
        limit = self.emit("arith.constant 1 : i32", "c")
        condition = self.emit(f"arith.cmpi slt, {element}, {limit} : i32", "s")
        shapes = [self.rng.choice([self.shape, self.shape, self.stacked]) for _ in range(self.rng.randint(1, 3))]
        self.names += 1
        name = f"%b{self.names}"
        self.line(
            f"{name}:{len(shapes)} = scf.if {condition} -> ({', '.join(map(tensor, shapes))}) {{"
        )
        first = self.body(scope, loops, shapes, self.rng.randint(0, 3))
        self.line("} else {")
        second = self.body(scope, loops, shapes, self.rng.randint(0, 3))
        self.line("}")
        results = [f"{name}#{k}" for k in range(len(shapes))]

        def execute(env):
            local = dict(env)
            body, yields = first if env[a][row * self.shape[1] + column] < 1 else second
            for statement in body:
                statement(local)
            env.update({r: local[y] for r, y in zip(results, yields)})

        scope.update(zip(results, shapes))
        statements.append(execute)

    def run(self):
        env = {name: data for name, (_, data) in self.arguments.items()}
        for statement in self.statements:
            statement(env)
        return [env[name] for name in self.results]

    def text(self):
        arguments = ", ".join(
            f'{name}: {tensor(shape)} {{tp.name = "{name[1:]}", tp.placement = {self.placement(shape)}}}'
            for name, (shape, _) in self.arguments.items()
        )
        types = [tensor(self.shapes[name]) for name in self.results]
        results = []
        for number, name in enumerate(self.results):
            pin = ""
            if self.rng.random() < 0.5:
                pin = f", tp.placement = {self.placement(self.shapes[name])}"
            results.append(f'{types[number]} {{tp.name = "y{number}"{pin}}}')
        body = "\n".join(self.lines)
        return (
            f'tp.mesh @mesh ["tp" = {self.ranks}]\nfunc.func @loops({arguments}) -> ({", ".join(results)}) {{\n'
            f"{body}\n  return {', '.join(self.results)} : {', '.join(types)}\n}}\n"
        )


def attempt(seed, ranks, base):
    """What went wrong."""
    program = Program(seed, ranks)
    with open(base + ".mlir", "w", encoding="utf-8") as file:
        file.write(program.text())
    inputs = {
        name[1:]: ("I32", shape, data) for name, (shape, data) in program.arguments.items()
    }
    tensorfile.write(base + ".inputs.safetensors", inputs)
    failure = run(["tpc-compile", base + ".mlir", "-o", base + ".so"]) or run(
        ["tpc-run", base + ".so", "-n", str(ranks), "--check"]
        + ["--inputs", base + ".inputs.safetensors", "--outputs", base + ".safetensors"]
    )
    if failure:
        return [failure]
    got, wrong = tensorfile.read(base + ".safetensors"), []
    for number, data in enumerate(program.run()):
        if got[f"y{number}"][1] != data:
            wrong.append(f"y{number}: expected {data}, got {got[f'y{number}']}"[:600])
    return wrong


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", required=True, metavar="DIR")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 3, 4])
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    failed = 0
    for seed in range(args.first, args.first + args.count):
        ranks = args.ranks[seed % len(args.ranks)]
        base = os.path.join(args.work, f"seed{seed}")
        wrong = attempt(seed, ranks, base)
        failed += bool(wrong)
        if wrong:
            print(f"FAIL seed {seed} on {ranks} ranks", *wrong, sep="\n")
    print(f"{args.count} programs, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
