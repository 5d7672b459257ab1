# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The random program of one seed: operations, pins, element type, and what it computes."""

import random
import re

import random_indexed  # adds to OPERATIONS
import random_loops  # adds to OPERATIONS
import random_moves  # adds to OPERATIONS
import tensorfile
from random_operations import OPERATIONS, Value
from uneven_programs import tensor

# Element type -> name in a file of tensors, the largest integer up to which all are exact, the largest bound of a
# value (a gradient multiplies several).
TYPES = {
    "f32": ("F32", 1 << 24, 1 << 12),
    "f64": ("F64", 1 << 52, 1 << 20),
    "bf16": ("BF16", 1 << 8, 1 << 5),
    "i32": ("I32", 1 << 30, 1 << 20),
}


INTEGER = {
    "addf": "addi",
    "subf": "subi",
    "mulf": "muli",
    "cmpf ogt": "cmpi sgt",
    "maximumf": "maxsi",
    "minimumf": "minsi",
}


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


def retype(text, kind):
    """Text about f32 as text about elements of another type."""
    if kind == "f32":
        return text
    if kind == "i32":
        text = re.sub(r"(\d)\.0\b", r"\1", text)
        for old, new in INTEGER.items():
            text = text.replace("arith." + old, "arith." + new)
        text = text.replace("0xFF800000", str(-(1 << 31))).replace("0x7F800000", str((1 << 31) - 1))
    else:
        zeros = {"f64": "FFF0000000000000", "bf16": "FF80"}[kind]
        text = text.replace("0xFF800000", "0x" + zeros).replace("0x7F800000", "0x7" + zeros[1:])
    return re.sub(r"\bf32\b|(?<=x)f32\b", kind, text)


class Program:
    """One seed's part of the function that `emitter` collects. At most `steps` operations; the pins with a number in
    `unpinned` are left out."""

    def __init__(self, seed, mesh, emitter, loops, steps=None, unpinned=()):
        self.rng, self.seed, self.mesh, self.emitter = random.Random(seed), seed, mesh, emitter
        self.values, self.arguments, self.pins, self.unpinned = [], [], 0, set(unpinned)
        rng = self.rng
        self.kind = rng.choice(["f32"] * 6 + ["f64", "f64", "bf16", "i32"])
        self.file_type, self.exact, self.limit = TYPES[self.kind]
        self.sizes = [rng.randint(1, 9) for _ in range(3)]
        self.differentiated = self.kind != "i32" and rng.random() < 0.7
        self.operations = [
            op for op in OPERATIONS if (op.smooth or not self.differentiated) and (loops or not op.control_flow)
        ]
        self.pin_share = rng.choice([0.1, 0.6, 0.6])
        # Ways to place an operation: its dims to the power of the axes.
        many = mesh.count("=") > 2
        self.most_dims, most_steps = (2, 3) if many else (3, 8)
        begin = len(emitter.lines)
        for _ in range(rng.randint(2, 3)):
            self.argument(rng.randint(0, self.most_dims))
        # Drawn first, so that fewer steps are the first ones of the same program.
        count = rng.randint(2, most_steps)
        for _ in range(count if steps is None else min(steps, count)):
            self.step()
        self.choose_results()
        emitter.lines[begin:] = [retype(line, self.kind) for line in emitter.lines[begin:]]

    def pin(self, share, rank, partial=False):
        """A placement with probability `share`, else None."""
        if self.rng.random() >= share:
            return None
        text = placement(self.rng, self.mesh, rank, partial)
        self.pins += 1
        return None if self.pins in self.unpinned else text

    def placement_text(self, rank, partial=False):
        return self.pin(1.0, rank, partial) or "<@mesh, []>"

    def argument(self, rank=2, shape=None):
        shape = tuple(self.rng.choice(self.sizes) for _ in range(rank)) if shape is None else tuple(shape)
        data = [float(self.rng.randint(-2, 2)) for _ in range(tensorfile.count(shape))]
        value = self.add_argument(shape, data, self.file_type, retype("f32", self.kind))
        self.values.append(value)
        return value

    def places(self, shape, size):
        """An argument of places along a dim of `size`, some of them out of range."""
        near = lambda: self.rng.randint(-1, size) if self.rng.random() < 0.2 else self.rng.randrange(size)
        data = [near() for _ in range(tensorfile.count(shape))]
        return self.add_argument(tuple(shape), data, "I32", "i32")

    def add_argument(self, shape, data, file_type, kind):
        name = f"g{self.seed}_x{len(self.arguments)}"
        value = Value(f"%{name}", shape, data)
        value.argument, value.file_type = name, file_type
        value.grad = self.differentiated and file_type != "I32" and self.rng.random() < 0.7
        attributes = [f'tp.name = "{name}"'] + ["tp.grad"] * value.grad
        stored = self.pin(self.pin_share, len(shape))
        used = self.pin(self.pin_share / 3, len(shape))
        attributes += [f"tp.placement = #tp.placement{stored}"] * bool(stored)
        attributes += [f"tp.use = #tp.placement{used}"] * bool(used)
        self.arguments.append((value, f"%{name}: {tensor(shape, kind)} {{{', '.join(attributes)}}}"))
        return value

    def pick(self, accept=lambda value: True):
        """A value, later ones rather; None when there is none to accept."""
        found = [value for value in self.values if value.visible and accept(value)]
        return found[-1 - int(len(found) * self.rng.random() ** 2)] if found else None

    def step(self):
        made = self.rng.choice(self.operations).build(self)
        if made is None:
            return
        results, hidden = made if isinstance(made, tuple) else ([made], [])
        values = [*results, *hidden]
        if any(v.bound >= self.limit or len(v.data) > 1000 or len(v.shape) > self.most_dims for v in values):
            return
        results[0].text(self.emitter)
        self.values += hidden
        for value in results:
            pin = self.pin(0.25, len(value.shape), partial=True)
            if pin:
                cotangent = self.pin(0.3, len(value.shape), partial=True)
                pin += f" cotangent {cotangent}" if cotangent else ""
                value.name = self.emitter.emit(f"tp.constrain {value.name} to {pin} : {tensor(value.shape)}")
            self.values.append(value)

    def choose_results(self):
        used = {id(operand) for value in self.values for operand in value.operands}
        self.results = [v for v in self.values if v.visible and id(v) not in used and v.operands]
        if not self.results or self.rng.random() < 0.3:
            self.results.append(self.pick())
        if len(self.results) > 1 and self.rng.random() < 0.3:
            self.results.pop(self.rng.randrange(len(self.results)))
        self.results = self.results[:4]
        # The only result, were it one number, would have no cotangent argument.
        if len(self.results) == 1 and not self.results[0].shape:
            self.results.append(self.values[0])
        self.names = [f"g{self.seed}_y{i}" for i in range(len(self.results))]
        self.types = []
        for name, value in zip(self.names, self.results):
            pin = self.pin(self.pin_share, len(value.shape))
            pin = f", tp.placement = #tp.placement{pin}" if pin else ""
            self.types.append(f'{retype(tensor(value.shape), self.kind)} {{tp.name = "{name}"{pin}}}')

    def evaluate(self, inputs, expected):
        """Adds the arguments and cotangents to `inputs`, the results and gradients to `expected`. Returns whether all
        numbers that may occur are exact."""
        gradients, bounds = {}, {}
        for value, _ in self.arguments:
            number = int if value.file_type == "I32" else float
            inputs[value.argument] = (value.file_type, value.shape, [number(v) for v in value.data])
        for name, value in zip(self.names, self.results):
            expected[name] = (value.shape, value.data)
            if self.kind == "i32":
                continue
            g = [float(self.rng.randint(-2, 2)) for _ in value.data]
            inputs["d" + name] = (self.file_type, value.shape, g)
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
        return largest < self.exact


def add(sums, value, g):
    known = sums.setdefault(id(value), [0.0] * len(g))
    sums[id(value)] = [a + b for a, b in zip(known, g)]
