# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""More programs for uneven.py: reads and writes at computed places, some out of range, scans, and maxima with places."""

from uneven_programs import Reduce, tensor


def places(e, shape, size):
    """An i32 tensor: element (.., i, t) is (5 t + i) mod (size + 2) - 1, one of the indices of a dim, -1 or `size`."""
    names = [f"%i{d}" for d in range(len(shape))]
    dims = ", ".join(f"d{d}" for d in range(len(shape)))
    kind = tensor(shape, "i32")
    five, modulus, one = (e.constant(v, "i32") for v in (5, size + 2, 1))
    steps = []
    for d, name in enumerate(names):
        steps.append(f"{name}x = linalg.index {d} : index")
        steps.append(f"{name} = arith.index_cast {name}x : index to i32")
    steps.append(f"%t = arith.muli {names[-1]}, {five} : i32")
    steps.append(f"%u = arith.addi %t, {names[0] if names[1:] else '%zero'} : i32")
    steps.insert(0, "%zero = arith.constant 0 : i32")
    steps += [
        f"%v = arith.remsi %u, {modulus} : i32",
        f"%r = arith.subi %v, {one} : i32",
    ]
    iters = ", ".join(['"parallel"'] * len(shape))
    body = "\n".join("    " + step for step in steps)
    empty = e.emit(f"tensor.empty() : {kind}")
    return e.emit(
        f"linalg.generic {{indexing_maps = [affine_map<({dims}) -> ({dims})>], iterator_types = [{iters}]}} "
        f"outs({empty} : {kind}) {{\n  ^bb0(%out: i32):\n{body}\n    linalg.yield %r : i32\n  }} -> {kind}"
    )


def place(t, size, i=0):
    return (5 * t + i) % (size + 2) - 1


class Gather:
    """y[t, j] = e[ids[t], j], or 0; where the rows of e are sharded, so that each rank reads its own."""

    arguments, tokens = ("e",), 5
    shapes = Reduce.shapes
    maps = "[affine_map<(t, j)[i] -> (i, j)>, affine_map<(t, j) -> (t)>]"

    @classmethod
    def text(cls, e, names, shapes, placements):
        (size, width), kind = shapes[0], tensor(shapes[0])
        ids, shape = places(e, (cls.tokens,), size), (cls.tokens, width)
        y = e.emit(
            f"tp.gather {names[0]}[{ids}] maps {cls.maps} : ({kind}, {tensor((cls.tokens,), 'i32')}) -> {tensor(shape)}"
        )
        if placements[0] == "S(0)":
            y = e.constrain(y, "P(sum)", tensor(shape))
        return y, shape

    @classmethod
    def forward(cls, values, shapes):
        size, width = shapes[0]
        rows = [place(t, size) for t in range(cls.tokens)]
        return [
            values[0][r * width + j] if 0 <= r < size else 0.0
            for r in rows
            for j in range(width)
        ]

    @classmethod
    def backward(cls, values, shapes, g):
        size, width = shapes[0]
        de = [0.0] * (size * width)
        for t in range(cls.tokens):
            r = place(t, size)
            for j in range(width):
                if 0 <= r < size:
                    de[r * width + j] += g[t * width + j]
        return (de,)


class Scatter:
    """y = init with v[t, j] added to row ids[t]; where tokens are sharded, each rank adds its own."""

    arguments, size = ("v", "init"), 5

    @classmethod
    def shapes(cls, rows, columns):
        return (rows, columns), (cls.size, columns)

    @classmethod
    def text(cls, e, names, shapes, placements):
        kinds, tokens = [tensor(shape) for shape in shapes], shapes[0][:1]
        ids = places(e, tokens, cls.size)
        y = e.emit(
            f"tp.scatter {names[0]} into {names[1]}[{ids}] maps {Gather.maps} : "
            f"({kinds[0]}, {kinds[1]}, {tensor(tokens, 'i32')}) -> {kinds[1]}"
        )
        if placements[0] == "S(0)":
            y = e.constrain(y, "P(sum)", kinds[1])
        return y, shapes[1]

    @classmethod
    def forward(cls, values, shapes):
        tokens, width = shapes[0]
        y = list(values[1])
        for t in range(tokens):
            r = place(t, cls.size)
            for j in range(width):
                if 0 <= r < cls.size:
                    y[r * width + j] += values[0][t * width + j]
        return y

    @classmethod
    def backward(cls, values, shapes, g):
        tokens, width = shapes[0]
        rows = [place(t, cls.size) for t in range(tokens)]
        dv = [
            g[r * width + j] if 0 <= r < cls.size else 0.0
            for r in rows
            for j in range(width)
        ]
        return dv, list(g)


class Shuffle:
    """y[i, j] = x[i, ids[i, j]], or 0."""

    arguments = ("x",)
    shapes = Reduce.shapes

    @staticmethod
    def text(e, names, shapes, placements):
        shape, kind = shapes[0], tensor(shapes[0])
        ids = places(e, shape, shape[1])
        maps = "[affine_map<(i, j)[k] -> (i, k)>, affine_map<(i, j) -> (i, j)>]"
        y = e.emit(
            f"tp.gather {names[0]}[{ids}] maps {maps} : ({kind}, {tensor(shape, 'i32')}) -> {kind}"
        )
        if placements[0] != "R":
            y = e.constrain(y, {"S(0)": "S(0)", "S(1)": "P(sum)"}[placements[0]], kind)
        return y, shape

    @staticmethod
    def forward(values, shapes):
        m, n = shapes[0]
        rows = [(i, place(j, n, i)) for i in range(m) for j in range(n)]
        return [values[0][i * n + k] if 0 <= k < n else 0.0 for i, k in rows]

    @staticmethod
    def backward(values, shapes, g):
        m, n = shapes[0]
        dx = [0.0] * (m * n)
        for i in range(m):
            for j in range(n):
                k = place(j, n, i)
                if 0 <= k < n:
                    dx[i * n + k] += g[i * n + j]
        return (dx,)


class Cumsum:
    """y = cumulative sum of x along the rows plus the exclusive one from the end of the columns."""

    arguments = ("x",)
    shapes = Reduce.shapes

    @staticmethod
    def text(e, names, shapes, placements):
        kind = tensor(shapes[0])
        sums = []
        for scan in ("dim 1", "dim 0 reverse exclusive"):
            y = e.emit(f"tp.cumsum {names[0]} {scan} : {kind}")
            if placements[0] != "R":
                y = e.constrain(y, placements[0], kind)
            sums.append(y)
        empty = e.emit(f"tensor.empty() : {kind}")
        y = e.generic(
            ["d0, d1"] * 3,
            ["parallel"] * 2,
            [(y, kind) for y in sums],
            (empty, kind),
            ["%r = arith.addf %a, %b : f32"],
        )
        return y, shapes[0]

    @staticmethod
    def forward(values, shapes):
        (m, n), x = shapes[0], values[0]
        return [
            sum(x[i * n + c] for c in range(j + 1))
            + sum(x[r * n + j] for r in range(i + 1, m))
            for i in range(m)
            for j in range(n)
        ]

    @staticmethod
    def backward(values, shapes, g):
        m, n = shapes[0]
        return (
            [
                sum(g[i * n + c] for c in range(j, n))
                + sum(g[r * n + j] for r in range(i))
                for i in range(m)
                for j in range(n)
            ],
        )


class Argmax:
    """y[i, 0] = max of row i + its place; where rows are sharded, each rank finds its own greatest element."""

    arguments = ("x",)
    shapes = Reduce.shapes

    @staticmethod
    def text(e, names, shapes, placements):
        rows = shapes[0][:1]
        kind = tensor(rows)
        number = e.number = e.number + 1
        values, indices = f"%{number}#0", f"%{number}#1"
        e.lines.append(
            f"  %{number}:2 = tp.argmax {names[0]} dim 1 : {tensor(shapes[0])} -> {kind}, {tensor(rows, 'i32')}"
        )
        if placements[0] == "S(1)":
            values = e.constrain(values, "P(max)", kind)
            indices = e.constrain(indices, "P(min)", tensor(rows, "i32"))
        empty = e.emit(f"tensor.empty() : {kind}")
        y = e.emit(
            f"linalg.map ins({values}, {indices} : {kind}, {tensor(rows, 'i32')}) outs({empty} : {kind})\n"
            "    (%v: f32, %i: i32, %out: f32) {\n"
            "      %f = arith.sitofp %i : i32 to f32\n"
            "      %s = arith.addf %v, %f : f32\n"
            "      linalg.yield %s : f32\n    }"
        )
        column = (*rows, 1)
        y = e.emit(
            f"tensor.expand_shape {y} [[0, 1]] output_shape [{rows[0]}, 1] : {kind} into {tensor(column)}"
        )
        return y, column

    @staticmethod
    def best(x, n, i):
        return max(range(n), key=lambda j: x[i * n + j])

    @staticmethod
    def forward(values, shapes):
        (m, n), x = shapes[0], values[0]
        best = [Argmax.best(x, n, i) for i in range(m)]
        return [x[i * n + j] + j for i, j in enumerate(best)]

    @staticmethod
    def backward(values, shapes, g):
        m, n = shapes[0]
        dx = [0.0] * (m * n)
        for i in range(m):
            dx[i * n + Argmax.best(values[0], n, i)] = g[i]
        return (dx,)


PROGRAMS = {
    "gather": Gather,
    "scatter": Scatter,
    "shuffle": Shuffle,
    "cumsum": Cumsum,
    "argmax": Argmax,
}
