# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations that random programs are made of: MLIR text, values and gradients.

A maker is a function from operands to a new Value. Every operation is linear in each operand or a choice by sign: the
gradient of an operand is given as (index of the result element, index of the operand element, factor) triples, from
which values, gradients and bounds all follow. A chooser, in OPERATIONS, takes a program, picks operands at random and
makes a Value, or None where no operand fits.
"""

import itertools

from tensorfile import count
from uneven_programs import tensor


class Value:
    """A tensor of the program: its name in the text, its shape and elements, and where it came from."""

    def __init__(self, name, shape, data, operands=(), links=(), text=None):
        self.name, self.shape, self.data = name, tuple(shape), data
        self.operands, self.links, self._text = list(operands), list(links), text
        # No sum in any order is larger: the terms of an element, added up without their signs.
        sums = [abs(v) for v in data]
        for operand, own in zip(self.operands, self.links):
            for result, element, factor in own:
                sums[result] += abs(factor * operand.data[element])
        self.bound = max(sums + [1.0])
        self.argument, self.grad, self.visible = None, False, True

    def text(self, emitter):
        self.name = self._text(emitter)

    def backward(self, g, bound):
        """(operand, its gradient, a bound on what its sums may reach) for each operand."""
        for operand, links in zip(self.operands, self.links):
            own, own_bound = [0.0] * len(operand.data), [0.0] * len(operand.data)
            for result, element, factor in links:
                own[element] += g[result] * factor
                own_bound[element] += bound[result] * abs(factor)
            yield operand, own, own_bound


class Operation:
    def __init__(self, build, smooth, control_flow):
        self.build, self.smooth, self.control_flow = build, smooth, control_flow


OPERATIONS = []


def operation(weight=1, smooth=True, control_flow=False):
    def add(build):
        OPERATIONS.extend([Operation(build, smooth, control_flow)] * weight)
        return build

    return add


def indices(shape):
    return itertools.product(*map(range, shape))


def flat(shape, index):
    position = 0
    for size, i in zip(shape, index):
        position = position * size + i
    return position


def linear(shape, operands, links, text, start=None):
    """The sum of `factor * operand element` over the links of all operands, on top of `start`."""
    data = list(start) if start else [0.0] * count(shape)
    for operand, own in zip(operands, links):
        for result, element, factor in own:
            data[result] += factor * operand.data[element]
    return Value(None, shape, data, operands, links, text)


def each(value, factor=1.0):
    return [(i, i, factor) for i in range(len(value.data))]


def taken(shape, value, source, base=0):
    """Links from each index of `shape` to the element at `source(index)`, if that is not None."""
    links = []
    for i, index in enumerate(indices(shape)):
        origin = source(index)
        if origin is not None:
            links.append((i + base, flat(value.shape, origin), 1.0))
    return links


def dims(rank):
    return ", ".join(f"d{i}" for i in range(rank))


def pointwise(e, operands, body, shape, operand_maps=None):
    rank = len(shape)
    out = e.emit(f"tensor.empty() : {tensor(shape)}")
    return e.generic(
        (operand_maps or [dims(rank)] * len(operands)) + [dims(rank)],
        ["parallel"] * rank,
        [(v.name, tensor(v.shape)) for v in operands],
        (out, tensor(shape)),
        body,
        rank,
    )


def brackets(*lists):
    return " ".join("[" + ", ".join(map(str, entries)) + "]" for entries in lists)


# Makers of more than one chooser.


def sum_of(a, b, sign=1.0):
    body = [f"%r = arith.{'addf' if sign > 0 else 'subf'} %a, %b : f32"]
    return linear(a.shape, [a, b], [each(a), each(b, sign)], lambda e: pointwise(e, [a, b], body, a.shape))


def product_of(a, b):
    body = ["%r = arith.mulf %a, %b : f32"]
    links = [[(i, i, v) for i, v in enumerate(b.data)], [(i, i, v) for i, v in enumerate(a.data)]]
    data = [p * q for p, q in zip(a.data, b.data)]
    return Value(None, a.shape, data, [a, b], links, lambda e: pointwise(e, [a, b], body, a.shape))


def relu_of(a):
    def text(e):
        zero = e.constant("0.0")
        body = [f"%c = arith.cmpf ogt, %a, {zero} : f32", f"%r = arith.select %c, %a, {zero} : f32"]
        return pointwise(e, [a], body, a.shape)

    return linear(a.shape, [a], [[(i, i, float(v > 0)) for i, v in enumerate(a.data)]], text)


def contraction(x, w, maps, sizes, reduced, init=None):
    """The sum of x * w over the loops `reduced`; `maps` are the loops of x, w and the result."""
    shape = tuple(sizes[d] for d in maps[2])
    loops = list(indices(sizes))

    def at(value, dims_, index):
        return flat(value.shape, [index[d] for d in dims_])

    triples = [(flat(shape, [i[d] for d in maps[2]]), at(x, maps[0], i), at(w, maps[1], i)) for i in loops]
    links = [[(r, p, w.data[q]) for r, p, q in triples], [(r, q, x.data[p]) for r, p, q in triples]]
    operands = [x, w]
    data = list(init.data) if init else [0.0] * count(shape)
    for r, p, q in triples:
        data[r] += x.data[p] * w.data[q]
    if init:
        operands.append(init)
        links.append(each(init))

    def text(e):
        out = init.name if init else e.filled("0.0", tensor(shape))
        kinds = ["reduction" if d in reduced else "parallel" for d in range(len(sizes))]
        spelled = [", ".join(f"d{d}" for d in own) for own in maps]
        body = ["%p = arith.mulf %a, %b : f32", "%r = arith.addf %out, %p : f32"]
        inputs = [(x.name, tensor(x.shape)), (w.name, tensor(w.shape))]
        return e.generic(spelled, kinds, inputs, (out, tensor(shape)), body, len(sizes))

    return Value(None, shape, data, operands, links, text)


# Choosers.


@operation(weight=4)
def matmul(program):
    x = program.pick(lambda v: len(v.shape) == 2)
    if x is None:
        return None
    (m, k), rng = x.shape, program.rng
    w = program.pick(lambda v: len(v.shape) == 2 and v.shape[0] == k and rng.random() < 0.7)
    if w is None:
        w = program.argument(shape=(k, rng.choice(program.sizes)))
    n = w.shape[1]
    init = program.pick(lambda v: v.shape == (m, n)) if rng.random() < 0.3 else None
    value = contraction(x, w, [(0, 2), (2, 1), (0, 1)], (m, n, k), {2}, init)

    def text(e):
        kind = tensor((m, n))
        out = init.name if init else e.filled("0.0", kind)
        ins = f"ins({x.name}, {w.name} : {tensor(x.shape)}, {tensor(w.shape)})"
        return e.emit(f"linalg.matmul {ins} outs({out} : {kind}) -> {kind}")

    value._text = text
    return value


@operation(weight=2)
def contract(program):
    """A product over random loops: outer, batched, with either operand transposed, with several sums."""
    x, rng = program.pick(lambda v: len(v.shape) > 0), program.rng
    if x is None:
        return None
    w = program.pick(lambda v: len(v.shape) > 0)
    sizes, maps = list(x.shape), [tuple(range(len(x.shape))), []]
    for size in w.shape:
        same = [d for d in range(len(x.shape)) if x.shape[d] == size and d not in maps[1]]
        if same and rng.random() < 0.8:
            maps[1].append(rng.choice(same))
        else:
            maps[1].append(len(sizes))
            sizes.append(size)
    if count(sizes) > 1500:
        return None
    kept = [d for d in range(len(sizes)) if rng.random() < 0.6][:3]
    rng.shuffle(kept)
    reduced = set(range(len(sizes))) - set(kept)
    return contraction(x, w, [*maps, tuple(kept)], tuple(sizes), reduced)


@operation(weight=2)
def add(program):
    a = program.pick()
    b = program.pick(lambda v: v.shape == a.shape)
    return sum_of(a, b, program.rng.choice([1.0, -1.0]))


@operation(weight=2)
def multiply(program):
    a = program.pick()
    return product_of(a, program.pick(lambda v: v.shape == a.shape))


@operation(weight=2)
def add_rows(program):
    """A tensor plus a vector, read through a map."""
    a = program.pick(lambda v: len(v.shape) > 1)
    if a is None:
        return None
    dim = program.rng.randrange(len(a.shape))
    b = program.pick(lambda v: v.shape == (a.shape[dim],))
    if b is None:
        b = program.argument(shape=(a.shape[dim],))
    links = [each(a), taken(a.shape, b, lambda i: (i[dim],))]
    maps = [dims(len(a.shape)), f"d{dim}"]
    body = ["%r = arith.addf %a, %b : f32"]
    return linear(a.shape, [a, b], links, lambda e: pointwise(e, [a, b], body, a.shape, maps))


@operation(weight=2)
def relu(program):
    return relu_of(program.pick())


@operation()
def scale(program):
    a = program.pick()
    factor = float(program.rng.choice([-1, 2, 3]))

    def text(e):
        c = e.constant(f"{factor}")
        return pointwise(e, [a], [f"%r = arith.mulf %a, {c} : f32"], a.shape)

    return linear(a.shape, [a], [each(a, factor)], text)


@operation()
def add_constant(program):
    """Adds a number in the body, a splat or a tensor that differs by element."""
    a, rng = program.pick(), program.rng
    form = rng.choice(["scalar", "splat", "dense"])
    numbers = [3.0] * len(a.data)
    if form == "dense":
        numbers = [float(rng.randint(-3, 3)) for _ in a.data]

    def nested(shape, data):
        if not shape:
            return f"{data[0]}"
        step = len(data) // shape[0]
        return "[" + ", ".join(nested(shape[1:], data[i * step : (i + 1) * step]) for i in range(shape[0])) + "]"

    def text(e):
        if form == "scalar":
            c = e.constant("3.0")
            return pointwise(e, [a], [f"%r = arith.addf %a, {c} : f32"], a.shape)
        dense = "3.0" if form == "splat" else nested(a.shape, numbers)
        c = Value(e.emit(f"arith.constant dense<{dense}> : {tensor(a.shape)}"), a.shape, numbers)
        return pointwise(e, [a, c], ["%r = arith.addf %a, %b : f32"], a.shape)

    value = linear(a.shape, [a], [each(a)], text, numbers)
    value.bound += 3.0
    return value


@operation(weight=3)
def sums(program):
    """Sums along some dims, from zero, a number or another value."""
    a, rng = program.pick(lambda v: len(v.shape) > 0), program.rng
    if a is None:
        return None
    rank = len(a.shape)
    kept = [d for d in range(rank) if rng.random() < 0.5]
    if len(kept) == rank:
        kept.pop(rng.randrange(rank))
    shape = tuple(a.shape[d] for d in kept)
    init = program.pick(lambda v: v.shape == shape) if rng.random() < 0.4 else None
    start = rng.choice([0.0, 5.0])
    links = [[(flat(shape, [i[d] for d in kept]), flat(a.shape, i), 1.0) for i in indices(a.shape)]]
    operands = [a]
    if init:
        operands.append(init)
        links.append(each(init))

    def text(e):
        kind = tensor(shape)
        out = init.name if init else e.filled(f"{start}", kind)
        kinds = ["parallel" if d in kept else "reduction" for d in range(rank)]
        body = ["%r = arith.addf %a, %out : f32"]
        maps = [dims(rank), ", ".join(f"d{d}" for d in kept)]
        return e.generic(maps, kinds, [(a.name, tensor(a.shape))], (out, kind), body, rank)

    return linear(shape, operands, links, text, None if init else [start] * count(shape))


@operation(smooth=False)
def extremum(program):
    """The largest or least along one dim."""
    a, rng = program.pick(lambda v: len(v.shape) > 0), program.rng
    if a is None:
        return None
    rank, dim = len(a.shape), rng.randrange(len(a.shape))
    kept = [d for d in range(rank) if d != dim]
    shape = tuple(a.shape[d] for d in kept)
    name, choose, start = rng.choice([("maximumf", max, "0xFF800000"), ("minimumf", min, "0x7F800000")])
    data = [None] * count(shape)
    for i in indices(a.shape):
        at, element = flat(shape, [i[d] for d in kept]), a.data[flat(a.shape, i)]
        data[at] = element if data[at] is None else choose(data[at], element)

    def text(e):
        kinds = ["reduction" if d == dim else "parallel" for d in range(rank)]
        maps = [dims(rank), ", ".join(f"d{d}" for d in kept)]
        out = (e.filled(start, tensor(shape)), tensor(shape))
        body = [f"%r = arith.{name} %a, %out : f32"]
        return e.generic(maps, kinds, [(a.name, tensor(a.shape))], out, body, rank)

    return Value(None, shape, data, [a], [[]], text)


@operation(smooth=False)
def larger(program):
    a = program.pick()
    b = program.pick(lambda v: v.shape == a.shape)
    data = [max(p, q) for p, q in zip(a.data, b.data)]
    body = ["%r = arith.maximumf %a, %b : f32"]
    return Value(None, a.shape, data, [a, b], [[], []], lambda e: pointwise(e, [a, b], body, a.shape))
