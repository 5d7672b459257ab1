# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops and branches of random programs, nested up to two deep.

A body is a list of steps on named values: `h`, which it replaces, others that are carried, and what it captures. It is
written out once, with block arguments for what is carried, and computed once for every iteration on the values there.
"""

from random_operations import (
    Value,
    brackets,
    contraction,
    each,
    linear,
    operation,
    pointwise,
    product_of,
    relu_of,
    sum_of,
    taken,
)
from tensorfile import count
from uneven_programs import tensor


def slice_at(stack, i, name=None):
    """Slice `i` along the first dim; the text reads the one with the index `name`."""
    shape = stack.shape[1:]
    rest = ["0"] * len(shape)

    def text(e):
        part = brackets([name, *rest], [1, *shape], [1, *("1" * len(shape))])
        return e.emit(f"tensor.extract_slice {stack.name}{part} : {tensor(stack.shape)} to {tensor(shape)}")

    return linear(shape, [stack], [taken(shape, stack, lambda index: (i, *index))], text)


def put_at(value, stack, i, name=None):
    shape, size = stack.shape[1:], len(value.data)
    rest = ["0"] * len(shape)
    links = [
        [(i * size + j, j, 1.0) for j in range(size)],
        [(j, j, 1.0) for j in range(len(stack.data)) if j // size != i],
    ]

    def text(e):
        part = brackets([name, *rest], [1, *shape], [1, *("1" * len(shape))])
        return e.emit(
            f"tensor.insert_slice {value.name} into {stack.name}{part} : {tensor(shape)} into {tensor(stack.shape)}"
        )

    return linear(stack.shape, [value, stack], links, text)


class Step:
    """`target` becomes `make(values, i, name of i)`."""

    def __init__(self, target, make):
        self.target, self.make = target, make

    def compute(self, values, i, record):
        values[self.target] = record(self.make(values, i, None))

    def write(self, values, e, name):
        value = self.make(values, 0, name)
        value.text(e)
        values[self.target] = value


def block_argument(e, like):
    return Value(e.fresh(), like.shape, like.data)


class Loop:
    """Repeats `steps`, which replace `carried`."""

    def __init__(self, trips, carried, steps, first=0, stride=1):
        self.trips, self.carried, self.steps = trips, carried, steps
        self.first, self.stride = first, stride

    def compute(self, values, _, record):
        for i in range(self.trips):
            own = dict(values)
            for step in self.steps:
                step.compute(own, i, record)
            values.update((key, own[key]) for key in self.carried)

    def write(self, values, e, _=None):
        types = ", ".join(tensor(values[key].shape) for key in self.carried)
        bounds = [self.first, self.first + self.stride * (self.trips - 1) + 1, self.stride]
        begin, end, step = [e.constant(n, "index") for n in bounds]
        loop, variable, own = e.fresh(), e.fresh(), dict(values)
        arguments = []
        for key in self.carried:
            own[key] = block_argument(e, values[key])
            arguments.append(f"{own[key].name} = {values[key].name}")
        e.lines.append(
            f"  {loop}:{len(self.carried)} = scf.for {variable} = {begin} to {end} step {step} "
            f"iter_args({', '.join(arguments)}) -> ({types}) {{"
        )
        index = variable
        if self.first or self.stride != 1:
            shifted = e.emit(f"arith.subi {variable}, {begin} : index")
            index = e.emit(f"arith.divui {shifted}, {step} : index")
        for inner in self.steps:
            inner.write(own, e, index)
        e.lines.append(f"  scf.yield {', '.join(own[key].name for key in self.carried)} : {types}\n  }}")
        for number, key in enumerate(self.carried):
            values[key] = Value(f"{loop}#{number}", values[key].shape, values[key].data)


class Branch:
    """`h` from one of two lists of steps: on the index, or on an element of a value."""

    def __init__(self, sides, bound=None, read=None, position=()):
        self.sides, self.bound, self.read, self.position = sides, bound, read, position

    def holds(self, values, i):
        if self.read is None:
            return i < self.bound
        value = values[self.read]
        return value.data[sum(p * count(value.shape[d + 1 :]) for d, p in enumerate(self.position))] > 0

    def compute(self, values, i, record):
        own = dict(values)
        for step in self.sides[0 if self.holds(values, i) else 1]:
            step.compute(own, i, record)
        values["h"] = record(linear(own["h"].shape, [own["h"]], [each(own["h"])], None))

    def write(self, values, e, name):
        if self.read is None:
            condition = e.emit(f"arith.cmpi ult, {name}, {e.constant(self.bound, 'index')} : index")
        else:
            value = values[self.read]
            at = ", ".join(e.constant(p, "index") for p in self.position)
            element = e.emit(f"tensor.extract {value.name}[{at}] : {tensor(value.shape)}")
            condition = e.emit(f"arith.cmpf ogt, {element}, {e.constant('0.0')} : f32")
        result, kind = e.fresh(), tensor(values["h"].shape)
        e.lines.append(f"  {result} = scf.if {condition} -> ({kind}) {{")
        for number, side in enumerate(self.sides):
            own = dict(values)
            for step in side:
                step.write(own, e, name)
            e.lines.append(f"  scf.yield {own['h'].name} : {kind}\n  }}" + (" else {" if number == 0 else ""))
        values["h"] = Value(result, values["h"].shape, values["h"].data)


def draw_steps(program, values, shape, trips, depth):
    """Random steps that replace `h`; what they capture is added to `values`."""
    rng, steps = program.rng, []

    def capture(value):
        key = f"v{len(values)}"
        values[key] = value
        return key

    def same_shape():
        found = program.pick(lambda v: v.shape == shape) if rng.random() < 0.6 else None
        return capture(found or program.argument(shape=shape))

    def operand():
        """The key of something to join `h` with."""
        kind = rng.choice(["captured", "scanned", "itself"] if trips else ["captured", "itself"])
        if kind == "itself":
            return "h"
        if kind == "captured":
            return same_shape()
        stack = capture(program.argument(shape=(trips, *shape)))
        key = f"s{len(values)}_{len(steps)}"
        steps.append(Step(key, lambda vs, i, name: slice_at(vs[stack], i, name)))
        return key

    for _ in range(rng.randint(1, 3)):
        kind = rng.choice(["sum", "sum", "product", "relu", "matmul", "pin", "nested", "branch"])
        if kind == "sum":
            other, sign = operand(), rng.choice([1.0, -1.0])
            steps.append(Step("h", lambda vs, i, name, o=other, s=sign: sum_of(vs["h"], vs[o], s)))
        elif kind == "product":
            other = operand()
            steps.append(Step("h", lambda vs, i, name, o=other: product_of(vs["h"], vs[o])))
        elif kind == "relu":
            steps.append(Step("h", lambda vs, i, name: relu_of(vs["h"])))
        elif kind == "matmul" and shape:
            n, rank = shape[-1], len(shape)
            scanned = bool(trips) and rng.random() < 0.5
            key = capture(program.argument(shape=(trips, n, n) if scanned else (n, n)))
            if scanned:
                own = f"s{len(values)}_{len(steps)}"
                steps.append(Step(own, lambda vs, i, name, k=key: slice_at(vs[k], i, name)))
                key = own
            rows = tuple(range(rank - 1))
            maps = [(*rows, rank - 1), (rank - 1, rank), (*rows, rank)]
            steps.append(Step("h", lambda vs, i, name, k=key, m=maps: contraction(
                vs["h"], vs[k], m, (*shape, shape[-1]), {rank - 1})))
        elif kind == "pin":
            pin = program.placement_text(len(shape), partial=True)

            def pinned(vs, i, name, pin=pin):
                h = vs["h"]
                text = lambda e: e.emit(f"tp.constrain {h.name} to {pin} : {tensor(shape)}")
                return linear(shape, [h], [each(h)], text)

            steps.append(Step("h", pinned))
        elif kind == "nested" and depth < 2:
            inner = rng.randint(1, 3)
            steps.append(Loop(inner, ["h"], draw_steps(program, values, shape, inner, depth + 1)))
        elif kind == "branch" and depth < 2:
            sides = [draw_steps(program, values, shape, None, depth + 1), []]
            if rng.random() < 0.6:
                sides[1] = draw_steps(program, values, shape, None, depth + 1)
            if trips and rng.random() < 0.5:
                steps.append(Branch(sides, bound=rng.randint(0, trips)))
            else:
                read = rng.choice(["h", *[k for k in values if k[0] == "v"]])
                extents = values[read].shape
                steps.append(Branch(sides, read=read, position=[rng.randrange(s) for s in extents]))
    return steps


def build(program, whole, values, keys, hidden_limit=200):
    """The values behind `whole` as values of the program: (results for `keys`, what they were computed from)."""
    start, hidden = dict(values), []

    def record(value):
        value.visible = False
        hidden.append(value)
        return value

    whole.compute(values, 0, record)
    if len(hidden) > hidden_limit:
        return None
    results = []

    def write(e):
        named = dict(start)
        whole.write(named, e, None)
        for key, result in zip(keys, results):
            result.name = named[key].name
        return results[0].name

    for key in keys:
        value = values[key]
        results.append(linear(value.shape, [value], [each(value)], write if key == keys[0] else None))
    return results, hidden


@operation(weight=4, control_flow=True)
def loop(program):
    rng = program.rng
    h = program.pick(lambda v: len(v.shape) < 3)
    if h is None:
        return None
    trips = rng.choice([1, 2, 3, 3, 4])
    values, carried = {"h": h}, ["h"]
    steps = draw_steps(program, values, h.shape, trips, 0)
    if rng.random() < 0.4:
        empty = Value(None, (trips, *h.shape), [0.0] * (trips * count(h.shape)))
        values["all"] = empty
        carried.append("all")
        steps.append(Step("all", lambda vs, i, name: put_at(vs["h"], vs["all"], i, name)))
    if rng.random() < 0.4:
        values["sum"] = program.argument(shape=h.shape)
        carried.append("sum")
        steps.append(Step("sum", lambda vs, i, name: sum_of(vs["sum"], vs["h"])))
    if rng.random() < 0.3:
        values["last"] = program.argument(shape=h.shape)
        carried.append("last")
        # The value of the iteration before takes part.
        steps.insert(0, Step("next", lambda vs, i, name: sum_of(vs["h"], vs["last"])))
        steps.append(Step("last", lambda vs, i, name: linear(
            h.shape, [vs["next"]], [each(vs["next"], -1.0)], lambda e: negated(e, vs["next"]))))
    first, stride = (0, 1) if rng.random() < 0.6 else (rng.randint(0, 3), rng.randint(1, 3))
    whole = Loop(trips, carried, steps, first, stride)
    if "all" not in carried:
        return build(program, whole, values, carried)
    return build(program, Filled(whole, "all"), values, carried)


def negated(e, value):
    zero = e.constant("0.0")
    return pointwise(e, [value], [f"%r = arith.subf {zero}, %a : f32"], value.shape)


class Filled:
    """`whole` with `key` a new tensor without values."""

    def __init__(self, whole, key):
        self.whole, self.key = whole, key

    def compute(self, values, i, record):
        self.whole.compute(values, i, record)

    def write(self, values, e, name):
        kind = tensor(values[self.key].shape)
        values[self.key].name = e.emit(f"tensor.empty() : {kind}")
        self.whole.write(values, e, name)


@operation(weight=2, control_flow=True)
def branch(program):
    h = program.pick(lambda v: len(v.shape) < 3)
    if h is None:
        return None
    values = {"h": h}
    sides = [draw_steps(program, values, h.shape, None, 1), draw_steps(program, values, h.shape, None, 1)]
    read = program.rng.choice(list(values))
    position = [program.rng.randrange(s) for s in values[read].shape]
    return build(program, Branch(sides, read=read, position=position), values, ["h"])
