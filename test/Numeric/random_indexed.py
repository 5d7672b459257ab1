# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Choosers of reads and writes at computed places, cumulative sums and maxima with places."""

from random_operations import dims, each, flat, indices, linear, operation, taken
from uneven_programs import tensor


def spell(rank, results, places=0):
    symbols = f"[{', '.join(f's{i}' for i in range(places))}]" if places else ""
    return f"affine_map<({dims(rank)}){symbols} -> ({', '.join(results)})>"


def inside(index, shape):
    return index if all(0 <= i < size for i, size in zip(index, shape)) else None


@operation(weight=2)
def gather(program):
    a, rng = program.pick(lambda v: len(v.shape) > 0), program.rng
    if a is None:
        return None
    rank = len(a.shape)
    computed = rng.sample(range(rank), rng.randint(1, min(rank, 2)))
    direct = [d for d in range(rank) if d not in computed]
    new = [rng.choice(program.sizes) for _ in range(rng.randint(1, 3 - len(direct)))]
    # The loops: those of the dims that are read directly and new ones, in any order.
    loops = [("dim", d) for d in direct] + [("new", n) for n in range(len(new))]
    rng.shuffle(loops)
    shape = tuple(a.shape[n] if kind == "dim" else new[n] for kind, n in loops)
    fresh = [position for position, (kind, _) in enumerate(loops) if kind == "new"]
    own = [fresh] + [rng.sample(fresh, rng.randint(1, len(fresh))) for _ in computed[1:]]
    tables = [program.places([shape[p] for p in through], a.shape[d]) for d, through in zip(computed, own)]

    def source(index):
        place = [None] * rank
        for position, (kind, n) in enumerate(loops):
            if kind == "dim":
                place[n] = index[position]
        for d, through, table in zip(computed, own, tables):
            place[d] = int(table.data[flat(table.shape, [index[p] for p in through])])
        return inside(place, a.shape)

    def text(e):
        first = [f"s{computed.index(d)}" if d in computed else f"d{loops.index(('dim', d))}" for d in range(rank)]
        maps = [spell(len(shape), first, len(tables))]
        maps += [spell(len(shape), [f"d{p}" for p in through]) for through in own]
        kinds = ", ".join([tensor(a.shape), *(tensor(t.shape, "i32") for t in tables)])
        names = ", ".join(t.name for t in tables)
        return e.emit(f"tp.gather {a.name}[{names}] maps [{', '.join(maps)}] : ({kinds}) -> {tensor(shape)}")

    return linear(shape, [a], [taken(shape, a, source)], text)


@operation()
def scatter(program):
    a, rng = program.pick(lambda v: len(v.shape) > 0), program.rng
    if a is None:
        return None
    rank = len(a.shape)
    moved = rng.sample(range(rank), rng.randint(1, rank))
    results = [("loop", d) for d in range(rank) if d not in moved]
    results += [("place", n) for n in range(1 if len(results) > 1 else rng.randint(1, 2))]
    rng.shuffle(results)
    shape = tuple(a.shape[n] if kind == "loop" else rng.choice(program.sizes) for kind, n in results)
    count = sum(kind == "place" for kind, _ in results)
    own = [moved] + [rng.sample(moved, rng.randint(1, len(moved)))] * (count - 1)
    extents = [shape[results.index(("place", n))] for n in range(count)]
    tables = [program.places([a.shape[p] for p in through], size) for through, size in zip(own, extents)]
    start = program.pick(lambda v: v.shape == shape) or program.argument(shape=shape)
    links = []
    for i, index in enumerate(indices(a.shape)):
        place = [
            index[n] if kind == "loop" else int(tables[n].data[flat(tables[n].shape, [index[p] for p in own[n]])])
            for kind, n in results
        ]
        if inside(place, shape) is not None:
            links.append((flat(shape, place), i, 1.0))

    def text(e):
        first = [f"d{n}" if kind == "loop" else f"s{n}" for kind, n in results]
        maps = [spell(rank, first, count)] + [spell(rank, [f"d{p}" for p in through]) for through in own]
        kinds = ", ".join([tensor(a.shape), tensor(shape), *(tensor(t.shape, "i32") for t in tables)])
        names = ", ".join(t.name for t in tables)
        return e.emit(
            f"tp.scatter {a.name} into {start.name}[{names}] maps [{', '.join(maps)}] : ({kinds}) -> {tensor(shape)}"
        )

    return linear(shape, [a, start], [links, each(start)], text)


@operation()
def cumulative_sum(program):
    a, rng = program.pick(lambda v: len(v.shape) > 0), program.rng
    if a is None:
        return None
    dim, reverse, exclusive = rng.randrange(len(a.shape)), rng.random() < 0.5, rng.random() < 0.5
    links = []
    for i, index in enumerate(indices(a.shape)):
        at = index[dim]
        before = range(at + exclusive, a.shape[dim]) if reverse else range(0, at + 1 - exclusive)
        links += [(i, flat(a.shape, (*index[:dim], j, *index[dim + 1 :])), 1.0) for j in before]
    words = " reverse" * reverse + " exclusive" * exclusive
    return linear(a.shape, [a], [links], lambda e: e.emit(f"tp.cumsum {a.name} dim {dim}{words} : {tensor(a.shape)}"))


@operation()
def extremum_with_place(program):
    """The greatest or least elements along a dim; of equal ones the first has the gradient."""
    a, rng = program.pick(lambda v: len(v.shape) > 0), program.rng
    if a is None:
        return None
    dim, minimum = rng.randrange(len(a.shape)), rng.random() < 0.4
    shape = (*a.shape[:dim], *a.shape[dim + 1 :])
    links = []
    for i, index in enumerate(indices(shape)):
        places = [flat(a.shape, (*index[:dim], j, *index[dim:])) for j in range(a.shape[dim])]
        best = (min if minimum else max)(a.data[p] for p in places)
        links.append((i, next(p for p in places if a.data[p] == best), 1.0))

    def text(e):
        values, where = e.fresh(), e.fresh()
        kinds = f"{tensor(a.shape)} -> {tensor(shape)}, {tensor(shape, 'i64')}"
        e.lines.append(f"  {values}, {where} = tp.argmax {a.name} dim {dim}{' minimum' * minimum} : {kinds}")
        return values

    return linear(shape, [a], [links], text)
