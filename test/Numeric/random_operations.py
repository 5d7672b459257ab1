# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operations random_graphs.py draws from: MLIR text, values and gradients.

An operation is a function from the graph to a new Value, or None where no operand fits. Every operation is linear
in each operand or a choice by sign: the gradient of an operand is given as (index of the result element, index of
the operand element, factor) triples, from which values, gradients and bounds all follow.
"""

from uneven_programs import tensor


class Value:
    """A tensor of the graph: its name in the text, its shape and elements, and where it came from."""

    def __init__(self, name, shape, data, operands=(), links=(), text=None):
        self.name, self.shape, self.data = name, tuple(shape), data
        self.operands, self.links, self._text = list(operands), list(links), text
        # No sum in any order is larger: the terms of an element, added up without their signs.
        sums = [abs(v) for v in data]
        for operand, own in zip(self.operands, self.links):
            for result, element, factor in own:
                sums[result] += abs(factor * operand.data[element])
        self.bound = max(sums + [1.0])
        self.argument, self.grad = None, False

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
    def __init__(self, build, smooth=True):
        self.build, self.smooth = build, smooth


OPERATIONS = []


def operation(weight=1, smooth=True):
    def add(build):
        OPERATIONS.extend([Operation(build, smooth)] * weight)
        return build

    return add


def linear(shape, operands, links, text, constant=0.0):
    """The sum of `factor * operand element` over the links of all operands."""
    data = [constant] * (shape[0] * shape[1] if len(shape) == 2 else shape[0] if shape else 1)
    for operand, own in zip(operands, links):
        for result, element, factor in own:
            data[result] += factor * operand.data[element]
    return Value(None, shape, data, operands, links, text)


def each(value, factor=1.0):
    return [(i, i, factor) for i in range(len(value.data))]


def maps(rank):
    return ", ".join(f"d{i}" for i in range(rank))


def pointwise(e, operands, body, shape, operand_maps=None):
    rank = len(shape)
    out = e.emit(f"tensor.empty() : {tensor(shape)}")
    return e.generic(
        (operand_maps or [maps(rank)] * len(operands)) + [maps(rank)],
        ["parallel"] * rank,
        [(v.name, tensor(v.shape)) for v in operands],
        (out, tensor(shape)),
        body,
        rank,
    )


@operation(weight=4)
def matmul(graph):
    x = graph.pick(lambda v: len(v.shape) == 2)
    if x is None:
        return None
    (m, k), rng = x.shape, graph.rng
    w = graph.pick(lambda v: len(v.shape) == 2 and v.shape[0] == k and rng.random() < 0.7)
    if w is None:
        w = graph.argument(shape=(k, rng.choice(graph.sizes)))
    n = w.shape[1]
    init = None
    if rng.random() < 0.3:
        init = graph.pick(lambda v: v.shape == (m, n))

    def text(e):
        kind = tensor((m, n))
        out = init.name if init else e.filled("0.0", kind)
        ins = f"ins({x.name}, {w.name} : {tensor(x.shape)}, {tensor(w.shape)})"
        return e.emit(f"linalg.matmul {ins} outs({out} : {kind}) -> {kind}")

    triples = [(i, j, q) for i in range(m) for j in range(n) for q in range(k)]
    data = list(init.data) if init else [0.0] * (m * n)
    for i, j, q in triples:
        data[i * n + j] += x.data[i * k + q] * w.data[q * n + j]
    links = [
        [(i * n + j, i * k + q, w.data[q * n + j]) for i, j, q in triples],
        [(i * n + j, q * n + j, x.data[i * k + q]) for i, j, q in triples],
    ]
    operands = [x, w]
    if init:
        operands.append(init)
        links.append(each(init))
    return Value(None, (m, n), data, operands, links, text)


@operation(weight=2)
def add(graph):
    a = graph.pick()
    b = graph.pick(lambda v: v.shape == a.shape)
    sign = graph.rng.choice([1.0, -1.0])
    body = [f"%r = arith.{'addf' if sign > 0 else 'subf'} %a, %b : f32"]
    return linear(a.shape, [a, b], [each(a), each(b, sign)], lambda e: pointwise(e, [a, b], body, a.shape))


@operation(weight=2)
def multiply(graph):
    a = graph.pick()
    b = graph.pick(lambda v: v.shape == a.shape)
    body = ["%r = arith.mulf %a, %b : f32"]
    links = [
        [(i, i, b.data[i]) for i in range(len(a.data))],
        [(i, i, a.data[i]) for i in range(len(a.data))],
    ]
    data = [p * q for p, q in zip(a.data, b.data)]
    return Value(None, a.shape, data, [a, b], links, lambda e: pointwise(e, [a, b], body, a.shape))


@operation(weight=2)
def add_rows(graph):
    """A matrix plus a vector, read through a map or broadcast first."""
    a = graph.pick(lambda v: len(v.shape) == 2)
    if a is None:
        return None
    b = graph.pick(lambda v: len(v.shape) == 1 and v.shape[0] == a.shape[1])
    if b is None:
        b = graph.argument(shape=a.shape[1:])
    columns, body = a.shape[1], ["%r = arith.addf %a, %b : f32"]
    links = [each(a), [(i, i % columns, 1.0) for i in range(len(a.data))]]
    return linear(
        a.shape, [a, b], links, lambda e: pointwise(e, [a, b], body, a.shape, ["d0, d1", "d1"])
    )


@operation(weight=2)
def relu(graph):
    a = graph.pick()

    def text(e):
        zero = e.constant("0.0")
        body = [f"%c = arith.cmpf ogt, %a, {zero} : f32", f"%r = arith.select %c, %a, {zero} : f32"]
        return pointwise(e, [a], body, a.shape)

    return linear(a.shape, [a], [[(i, i, float(v > 0)) for i, v in enumerate(a.data)]], text)


@operation()
def scale(graph):
    a = graph.pick()
    factor = float(graph.rng.choice([-1, 2, 3]))

    def text(e):
        c = e.constant(f"{factor}")
        return pointwise(e, [a], [f"%r = arith.mulf %a, {c} : f32"], a.shape)

    return linear(a.shape, [a], [each(a, factor)], text)


@operation()
def add_constant(graph):
    """Adds a number in the body, a splat or a tensor that differs by element."""
    a, rng = graph.pick(), graph.rng
    form = rng.choice(["scalar", "splat", "dense"])
    numbers = [3.0] * len(a.data)
    if form == "dense":
        numbers = [float(rng.randint(-3, 3)) for _ in a.data]

    def nested(shape, flat):
        if not shape:
            return f"{flat[0]}"
        step = len(flat) // shape[0]
        return "[" + ", ".join(nested(shape[1:], flat[i * step : (i + 1) * step]) for i in range(shape[0])) + "]"

    def text(e):
        if form == "scalar":
            c = e.constant("3.0")
            return pointwise(e, [a], [f"%r = arith.addf %a, {c} : f32"], a.shape)
        dense = "3.0" if form == "splat" else nested(a.shape, numbers)
        c = Value(e.emit(f"arith.constant dense<{dense}> : {tensor(a.shape)}"), a.shape, numbers)
        return pointwise(e, [a, c], ["%r = arith.addf %a, %b : f32"], a.shape)

    value = linear(a.shape, [a], [each(a)], text)
    value.data = [v + n for v, n in zip(value.data, numbers)]
    value.bound += 3.0
    return value


@operation(weight=3)
def sums(graph):
    """Sums along one dim or all, from zero or from another value."""
    a = graph.pick(lambda v: len(v.shape) == 2)
    if a is None:
        return None
    (m, n), rng = a.shape, graph.rng
    dim = rng.choice([0, 1, None])
    shape = {0: (n,), 1: (m,), None: ()}[dim]
    target = {0: lambda i: i % n, 1: lambda i: i // n, None: lambda i: 0}[dim]
    init = graph.pick(lambda v: v.shape == shape) if rng.random() < 0.4 else None
    start = rng.choice([0.0, 5.0])
    links = [[(target(i), i, 1.0) for i in range(m * n)]] + ([each(init)] if init else [])

    def text(e):
        kind = tensor(shape)
        out = init.name if init else e.filled(f"{start}", kind)
        kinds = ["parallel" if dim is not None and d != dim else "reduction" for d in range(2)]
        result = {0: "d1", 1: "d0", None: ""}[dim]
        body = ["%r = arith.addf %a, %out : f32"]
        return e.generic(["d0, d1", result], kinds, [(a.name, tensor(a.shape))], (out, kind), body)

    operands = [a] + ([init] if init else [])
    return linear(shape, operands, links, text, 0.0 if init else start)


@operation(smooth=False)
def row_maximum(graph):
    a = graph.pick(lambda v: len(v.shape) == 2)
    if a is None:
        return None
    m, n = a.shape

    def text(e):
        kind = tensor((m,))
        body = ["%r = arith.maximumf %a, %out : f32"]
        out = (e.filled("0xFF800000", kind), kind)
        return e.generic(["d0, d1", "d0"], ["parallel", "reduction"], [(a.name, tensor(a.shape))], out, body)

    data = [max(a.data[i * n : i * n + n]) for i in range(m)]
    return Value(None, (m,), data, [a], [[]], text)


@operation(weight=2)
def transpose(graph):
    a = graph.pick(lambda v: len(v.shape) == 2)
    if a is None:
        return None
    m, n = a.shape

    def text(e):
        kind = tensor((n, m))
        out = e.emit(f"tensor.empty() : {kind}")
        return e.emit(
            f"linalg.transpose ins({a.name} : {tensor(a.shape)}) outs({out} : {kind}) permutation = [1, 0]"
        )

    return linear((n, m), [a], [[(j * m + i, i * n + j, 1.0) for i in range(m) for j in range(n)]], text)


@operation(weight=2)
def broadcast(graph):
    a = graph.pick(lambda v: len(v.shape) < 2)
    if a is None:
        return None
    size, rng = graph.rng.choice(graph.sizes), graph.rng
    dim = 0 if not a.shape else rng.choice([0, 1])
    shape = (size,) if not a.shape else (size, *a.shape) if dim == 0 else (*a.shape, size)
    count = size * len(a.data)
    source = (lambda i: i % len(a.data)) if dim == 0 else (lambda i: i // size)

    def text(e):
        kind = tensor(shape)
        out = e.emit(f"tensor.empty() : {kind}")
        return e.emit(
            f"linalg.broadcast ins({a.name} : {tensor(a.shape)}) outs({out} : {kind}) dimensions = [{dim}]"
        )

    return linear(shape, [a], [[(i, source(i), 1.0) for i in range(count)]], text)


@operation()
def collapse(graph):
    a = graph.pick(lambda v: len(v.shape) == 2)
    if a is None:
        return None
    shape = (a.shape[0] * a.shape[1],)

    def text(e):
        return e.emit(f"tensor.collapse_shape {a.name} [[0, 1]] : {tensor(a.shape)} into {tensor(shape)}")

    return linear(shape, [a], [each(a)], text)


@operation()
def expand(graph):
    a = graph.pick(lambda v: len(v.shape) == 1 and v.shape[0] > 1)
    if a is None:
        return None
    factor = graph.rng.choice([f for f in range(1, a.shape[0] + 1) if a.shape[0] % f == 0])
    shape = (factor, a.shape[0] // factor)

    def text(e):
        return e.emit(
            f"tensor.expand_shape {a.name} [[0, 1]] output_shape [{shape[0]}, {shape[1]}] : "
            f"{tensor(a.shape)} into {tensor(shape)}"
        )

    return linear(shape, [a], [each(a)], text)


@operation()
def cut(graph):
    """Columns from `begin` on."""
    a = graph.pick(lambda v: len(v.shape) == 2 and v.shape[1] > 1)
    if a is None:
        return None
    m, n = a.shape
    begin = graph.rng.randint(1, n - 1)
    k = graph.rng.randint(1, n - begin)

    def text(e):
        return e.emit(
            f"tensor.extract_slice {a.name}[0, {begin}] [{m}, {k}] [1, 1] : {tensor(a.shape)} to {tensor((m, k))}"
        )

    links = [(i * k + j, i * n + begin + j, 1.0) for i in range(m) for j in range(k)]
    return linear((m, k), [a], [links], text)


@operation()
def join(graph):
    """Two matrices side by side."""
    a = graph.pick(lambda v: len(v.shape) == 2)
    b = a and graph.pick(lambda v: len(v.shape) == 2 and v.shape[0] == a.shape[0])
    if b is None:
        return None
    m, p, q = a.shape[0], a.shape[1], b.shape[1]
    shape = (m, p + q)

    def text(e):
        kinds = f"({tensor(a.shape)}, {tensor(b.shape)}) -> {tensor(shape)}"
        return e.emit(f"tensor.concat dim(1) {a.name}, {b.name} : {kinds}")

    links = [
        [(i * (p + q) + j, i * p + j, 1.0) for i in range(m) for j in range(p)],
        [(i * (p + q) + p + j, i * q + j, 1.0) for i in range(m) for j in range(q)],
    ]
    return linear(shape, [a, b], links, text)
