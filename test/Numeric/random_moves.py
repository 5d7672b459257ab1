# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Choosers of operations that move elements: transposes, broadcasts, reshapes, slices, pads and joins."""

from random_operations import brackets, each, flat, indices, linear, operation, taken
from tensorfile import count
from uneven_programs import tensor


@operation(weight=2)
def transpose(program):
    a = program.pick(lambda v: len(v.shape) > 1)
    if a is None:
        return None
    order = list(range(len(a.shape)))
    program.rng.shuffle(order)
    shape = tuple(a.shape[d] for d in order)

    def text(e):
        kind = tensor(shape)
        out = e.emit(f"tensor.empty() : {kind}")
        return e.emit(
            f"linalg.transpose ins({a.name} : {tensor(a.shape)}) outs({out} : {kind}) permutation = {brackets(order)}"
        )

    return linear(shape, [a], [taken(shape, a, lambda i: [i[order.index(d)] for d in range(len(order))])], text)


@operation(weight=2)
def broadcast(program):
    a = program.pick(lambda v: len(v.shape) < 3)
    if a is None:
        return None
    size, dim = program.rng.choice(program.sizes), program.rng.randint(0, len(a.shape))
    shape = (*a.shape[:dim], size, *a.shape[dim:])

    def text(e):
        kind = tensor(shape)
        out = e.emit(f"tensor.empty() : {kind}")
        return e.emit(
            f"linalg.broadcast ins({a.name} : {tensor(a.shape)}) outs({out} : {kind}) dimensions = [{dim}]"
        )

    return linear(shape, [a], [taken(shape, a, lambda i: (*i[:dim], *i[dim + 1 :]))], text)


def groups(rank, joined):
    """The reassociation of `rank` dims of which `joined` and the next are one."""
    own = [[d] for d in range(rank) if d != joined + 1]
    own[joined].append(joined + 1)
    return "[" + ", ".join(brackets(group) for group in own) + "]"


@operation()
def collapse(program):
    a = program.pick(lambda v: len(v.shape) > 1)
    if a is None:
        return None
    dim = program.rng.randrange(len(a.shape) - 1)
    shape = (*a.shape[:dim], a.shape[dim] * a.shape[dim + 1], *a.shape[dim + 2 :])

    def text(e):
        return e.emit(
            f"tensor.collapse_shape {a.name} {groups(len(a.shape), dim)} : {tensor(a.shape)} into {tensor(shape)}"
        )

    return linear(shape, [a], [each(a)], text)


@operation()
def expand(program):
    a, rng = program.pick(lambda v: 0 < len(v.shape) < 3), program.rng
    if a is None:
        return None
    dim = rng.randrange(len(a.shape))
    factor = rng.choice([f for f in range(1, a.shape[dim] + 1) if a.shape[dim] % f == 0])
    shape = (*a.shape[:dim], factor, a.shape[dim] // factor, *a.shape[dim + 1 :])

    def text(e):
        return e.emit(
            f"tensor.expand_shape {a.name} {groups(len(shape), dim)} output_shape {brackets(shape)} : "
            f"{tensor(a.shape)} into {tensor(shape)}"
        )

    return linear(shape, [a], [each(a)], text)


def box(rng, shape):
    """Offsets, sizes and strides of a random part of a tensor; most dims whole."""
    offsets, sizes, strides = [], [], []
    for extent in shape:
        stride = rng.choice([1, 1, 1, 2])
        if rng.random() < 0.5:
            offsets.append(0)
            sizes.append(extent)
            strides.append(1)
            continue
        offsets.append(rng.randrange(extent))
        sizes.append(rng.randint(1, (extent - 1 - offsets[-1]) // stride + 1))
        strides.append(stride)
    return offsets, sizes, strides


def place_in(box_, index):
    return [o + i * s for o, i, s in zip(box_[0], index, box_[2])]


@operation(weight=2)
def cut(program):
    a = program.pick(lambda v: len(v.shape) > 0)
    if a is None:
        return None
    part = box(program.rng, a.shape)
    shape = tuple(part[1])

    def text(e):
        return e.emit(f"tensor.extract_slice {a.name}{brackets(*part)} : {tensor(a.shape)} to {tensor(shape)}")

    return linear(shape, [a], [taken(shape, a, lambda i: place_in(part, i))], text)


@operation()
def put(program):
    """Replaces a part of a tensor."""
    b = program.pick(lambda v: len(v.shape) > 0)
    if b is None:
        return None
    part = box(program.rng, b.shape)
    shape = tuple(part[1])
    a = program.pick(lambda v: v.shape == shape) or program.argument(shape=shape)
    replaced = {flat(b.shape, place_in(part, i)): flat(shape, i) for i in indices(shape)}
    links = [
        [(at, i, 1.0) for at, i in replaced.items()],
        [(i, i, 1.0) for i in range(len(b.data)) if i not in replaced],
    ]

    def text(e):
        return e.emit(
            f"tensor.insert_slice {a.name} into {b.name}{brackets(*part)} : {tensor(shape)} into {tensor(b.shape)}"
        )

    return linear(b.shape, [a, b], links, text)


@operation()
def pad(program):
    a, rng = program.pick(lambda v: len(v.shape) > 0), program.rng
    if a is None:
        return None
    low = [rng.choice([0, 0, 1, 2]) for _ in a.shape]
    high = [rng.choice([0, 0, 1, 3]) for _ in a.shape]
    shape = tuple(l + s + h for l, s, h in zip(low, a.shape, high))
    number = rng.choice([0.0, 0.0, 2.0])
    inside = {flat(shape, [l + i for l, i in zip(low, index)]): flat(a.shape, index) for index in indices(a.shape)}

    def text(e):
        c = e.constant(f"{number}")
        block = ", ".join(f"%p{d}: index" for d in range(len(shape)))
        return e.emit(
            f"tensor.pad {a.name} low{brackets(low)} high{brackets(high)} {{\n  ^bb0({block}):\n"
            f"    tensor.yield {c} : f32\n  }} : {tensor(a.shape)} to {tensor(shape)}"
        )

    start = [0.0 if i in inside else number for i in range(count(shape))]
    return linear(shape, [a], [[(at, i, 1.0) for at, i in inside.items()]], text, start)


@operation(weight=2)
def join(program):
    """Two or three tensors one behind the other; the same one twice, too."""
    a, rng = program.pick(lambda v: len(v.shape) > 0), program.rng
    if a is None:
        return None
    dim = rng.randrange(len(a.shape))
    rest = lambda v: (*v.shape[:dim], *v.shape[dim + 1 :])
    parts = [a]
    for _ in range(rng.randint(1, 2)):
        parts.append(program.pick(lambda v: len(v.shape) == len(a.shape) and rest(v) == rest(a)))
    shape = (*a.shape[:dim], sum(p.shape[dim] for p in parts), *a.shape[dim + 1 :])
    links, begin = [], 0
    for part in parts:
        at = lambda i: flat(shape, [*i[:dim], begin + i[dim], *i[dim + 1 :]])
        links.append([(at(i), flat(part.shape, i), 1.0) for i in indices(part.shape)])
        begin += part.shape[dim]

    def text(e):
        kinds = f"({', '.join(tensor(p.shape) for p in parts)}) -> {tensor(shape)}"
        return e.emit(f"tensor.concat dim({dim}) {', '.join(p.name for p in parts)} : {kinds}")

    return linear(shape, parts, links, text)
