# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The small programs that uneven.py enumerates over sizes and placements: MLIR text, values and gradients.

A program is a class with `shapes(rows, columns)` of its arguments, `text(...)`, which emits its operations and returns
the name of its result, `forward` and `backward` on flat row-major lists of Python numbers. Where an argument is
sharded along a reduced dim, `text` pins the reduction's result to a Partial, so that every rank must reduce its own
shard, padding and all."""

import math


class Emitter:
    """Collects the operations of one function, with fresh names."""

    def __init__(self):
        self.lines, self.number = [], 0

    def fresh(self):
        self.number += 1
        return f"%{self.number}"

    def emit(self, line):
        result = self.fresh()
        self.lines.append(f"  {result} = {line}")
        return result

    def constant(self, value, kind="f32"):
        return self.emit(f"arith.constant {value} : {kind}")

    def filled(self, value, kind):
        empty = self.emit(f"tensor.empty() : {kind}")
        return self.emit(
            f"linalg.fill ins({self.constant(value)} : f32) outs({empty} : {kind}) -> {kind}"
        )

    def constrain(self, value, placement, kind):
        return self.emit(f"tp.constrain {value} to <@mesh, [tp: {placement}]> : {kind}")

    def generic(self, maps, iterators, inputs, out, body, rank=2):
        """linalg.generic over (value, type) pairs; `body` has %a, %b, ... for the inputs, %out, and yields %r."""
        dims = ", ".join(f"d{i}" for i in range(rank))
        texts = ", ".join(f"affine_map<({dims}) -> ({m})>" for m in maps)
        iters = ", ".join(f'"{i}"' for i in iterators)
        names = [f"%{'abcdef'[i]}" for i in range(len(inputs))] + ["%out"]
        args = ", ".join(f"{n}: f32" for n in names)
        ins = ""
        if inputs:
            ins = f"ins({', '.join(v for v, _ in inputs)} : {', '.join(t for _, t in inputs)}) "
        steps = "\n".join("    " + line for line in body)
        return self.emit(
            f"linalg.generic {{indexing_maps = [{texts}], iterator_types = [{iters}]}} {ins}outs({out[0]} : {out[1]}) {{\n"
            f"  ^bb0({args}):\n{steps}\n    linalg.yield %r : f32\n  }} -> {out[1]}"
        )


def tensor(shape, element="f32"):
    return "tensor<" + "".join(f"{s}x" for s in shape) + element + ">"


def row_reduce(e, x, shape, placement, op, init):
    """Reduces the second dim; a Partial of the reduction's kind where that dim is sharded."""
    kind = tensor(shape[:1])
    start = e.filled(init, kind)
    result = e.generic(
        ["d0, d1", "d0"],
        ["parallel", "reduction"],
        [(x, tensor(shape))],
        (start, kind),
        [f"%r = arith.{op} %a, %out : f32"],
    )
    if placement == "S(1)":
        result = e.constrain(result, "P(sum)" if op == "addf" else "P(max)", kind)
    return result


class Matmul:
    arguments = ("x", "w")

    @staticmethod
    def shapes(rows, columns):
        return (rows, columns), (columns, (rows + 4) % 9 + 1)

    @staticmethod
    def text(e, names, shapes, placements):
        result = (shapes[0][0], shapes[1][1])
        out = e.filled("0.0", tensor(result))
        y = e.emit(
            f"linalg.matmul ins({names[0]}, {names[1]} : {tensor(shapes[0])}, {tensor(shapes[1])}) "
            f"outs({out} : {tensor(result)}) -> {tensor(result)}"
        )
        if placements[0] == "S(1)" and placements[1] == "S(0)":
            y = e.constrain(y, "P(sum)", tensor(result))
        return y, result

    @staticmethod
    def forward(values, shapes):
        (x, w), (m, k), n = values, shapes[0], shapes[1][1]
        return [
            sum(x[i * k + q] * w[q * n + j] for q in range(k))
            for i in range(m)
            for j in range(n)
        ]

    @staticmethod
    def backward(values, shapes, g):
        (x, w), (m, k), n = values, shapes[0], shapes[1][1]
        dx = [
            sum(g[i * n + j] * w[q * n + j] for j in range(n))
            for i in range(m)
            for q in range(k)
        ]
        dw = [
            sum(g[i * n + j] * x[i * k + q] for i in range(m))
            for q in range(k)
            for j in range(n)
        ]
        return dx, dw


class Reduce:
    """Sums along each dim, added up as y[i, j] = row sum i * column sum j."""

    arguments = ("x",)

    @staticmethod
    def shapes(rows, columns):
        return ((rows, columns),)

    @staticmethod
    def text(e, names, shapes, placements):
        shape = shapes[0]
        rows = row_reduce(e, names[0], shape, placements[0], "addf", "0.0")
        kind = tensor(shape[1:])
        columns = e.generic(
            ["d0, d1", "d1"],
            ["reduction", "parallel"],
            [(names[0], tensor(shape))],
            (e.filled("0.0", kind), kind),
            ["%r = arith.addf %a, %out : f32"],
        )
        if placements[0] == "S(0)":
            columns = e.constrain(columns, "P(sum)", kind)
        empty = e.emit(f"tensor.empty() : {tensor(shape)}")
        y = e.generic(
            ["d0", "d1", "d0, d1"],
            ["parallel"] * 2,
            [(rows, tensor(shape[:1])), (columns, kind)],
            (empty, tensor(shape)),
            ["%r = arith.mulf %a, %b : f32"],
        )
        return y, shape

    @staticmethod
    def sums(x, m, n):
        return [sum(x[i * n : i * n + n]) for i in range(m)], [
            sum(x[j::n]) for j in range(n)
        ]

    @staticmethod
    def forward(values, shapes):
        rows, columns = Reduce.sums(values[0], *shapes[0])
        return [r * c for r in rows for c in columns]

    @staticmethod
    def backward(values, shapes, g):
        m, n = shapes[0]
        rows, columns = Reduce.sums(values[0], m, n)
        by_row = [sum(g[i * n + j] * columns[j] for j in range(n)) for i in range(m)]
        by_column = [sum(g[i * n + j] * rows[i] for i in range(m)) for j in range(n)]
        return ([by_row[i] + by_column[j] for i in range(m) for j in range(n)],)


class Softmax:
    arguments = ("x",)
    shapes = Reduce.shapes

    @staticmethod
    def text(e, names, shapes, placements):
        shape, kind = shapes[0], tensor(shapes[0])
        top = row_reduce(e, names[0], shape, placements[0], "maximumf", "0xFF800000")
        empty = e.emit(f"tensor.empty() : {kind}")
        rows, both = "d0", "d0, d1"
        exp = e.generic(
            [both, rows, both],
            ["parallel"] * 2,
            [(names[0], kind), (top, tensor(shape[:1]))],
            (empty, kind),
            ["%s = arith.subf %a, %b : f32", "%r = math.exp %s : f32"],
        )
        total = row_reduce(e, exp, shape, placements[0], "addf", "0.0")
        y = e.generic(
            [both, rows, both],
            ["parallel"] * 2,
            [(exp, kind), (total, tensor(shape[:1]))],
            (empty, kind),
            ["%r = arith.divf %a, %b : f32"],
        )
        return y, shape

    @staticmethod
    def forward(values, shapes):
        m, n = shapes[0]
        y = []
        for i in range(m):
            row = values[0][i * n : i * n + n]
            exp = [math.exp(v - max(row)) for v in row]
            y += [v / sum(exp) for v in exp]
        return y

    @staticmethod
    def backward(values, shapes, g):
        (m, n), y = shapes[0], Softmax.forward(values, shapes)
        dots = [sum(y[i * n + j] * g[i * n + j] for j in range(n)) for i in range(m)]
        return (
            [
                y[i * n + j] * (g[i * n + j] - dots[i])
                for i in range(m)
                for j in range(n)
            ],
        )


class Layernorm:
    """Normalises the rows; epsilon 0.1 keeps rows of one element harmless."""

    arguments = ("x", "g")

    @staticmethod
    def shapes(rows, columns):
        return (rows, columns), (columns,)

    @staticmethod
    def text(e, names, shapes, placements):
        shape, kind, row_kind = shapes[0], tensor(shapes[0]), tensor(shapes[0][:1])
        count, eps = e.constant(f"{shape[1]}.0"), e.constant("0.1")
        empty = e.emit(f"tensor.empty() : {kind}")
        rows, both = "d0", "d0, d1"
        total = row_reduce(e, names[0], shape, placements[0], "addf", "0.0")
        centred = e.generic(
            [both, rows, both],
            ["parallel"] * 2,
            [(names[0], kind), (total, row_kind)],
            (empty, kind),
            [f"%m = arith.divf %b, {count} : f32", "%r = arith.subf %a, %m : f32"],
        )
        squares = e.generic(
            [both, both],
            ["parallel"] * 2,
            [(centred, kind)],
            (empty, kind),
            ["%r = arith.mulf %a, %a : f32"],
        )
        variance = row_reduce(e, squares, shape, placements[0], "addf", "0.0")
        y = e.generic(
            [both, rows, "d1", both],
            ["parallel"] * 2,
            [(centred, kind), (variance, row_kind), (names[1], tensor(shapes[1]))],
            (empty, kind),
            [
                f"%v = arith.divf %b, {count} : f32",
                f"%s = arith.addf %v, {eps} : f32",
                "%t = math.rsqrt %s : f32",
                "%u = arith.mulf %a, %t : f32",
                "%r = arith.mulf %u, %c : f32",
            ],
        )
        return y, shape

    @staticmethod
    def statistics(x, n, i):
        row = x[i * n : i * n + n]
        mean = sum(row) / n
        scale = 1 / math.sqrt(sum((v - mean) ** 2 for v in row) / n + 0.1)
        return [(v - mean) * scale for v in row], scale

    @staticmethod
    def forward(values, shapes):
        (x, gain), (m, n) = values, shapes[0]
        return [
            v * gain[j]
            for i in range(m)
            for j, v in enumerate(Layernorm.statistics(x, n, i)[0])
        ]

    @staticmethod
    def backward(values, shapes, g):
        (x, gain), (m, n) = values, shapes[0]
        dx, dgain = [], [0.0] * n
        for i in range(m):
            normal, scale = Layernorm.statistics(x, n, i)
            inner = [g[i * n + j] * gain[j] for j in range(n)]
            mean, dot = sum(inner) / n, sum(a * b for a, b in zip(inner, normal)) / n
            dx += [scale * (inner[j] - mean - normal[j] * dot) for j in range(n)]
            for j in range(n):
                dgain[j] += g[i * n + j] * normal[j]
        return dx, dgain


class Transpose:
    """y = transpose(x) * transpose(x)."""

    arguments = ("x",)
    shapes = Reduce.shapes

    @staticmethod
    def text(e, names, shapes, placements):
        shape, flipped = shapes[0], shapes[0][::-1]
        empty = e.emit(f"tensor.empty() : {tensor(flipped)}")
        t = e.emit(
            f"linalg.transpose ins({names[0]} : {tensor(shape)}) outs({empty} : {tensor(flipped)}) permutation = [1, 0]"
        )
        if placements[0] != "R":
            t = e.constrain(
                t, "S(0)" if placements[0] == "S(1)" else "S(1)", tensor(flipped)
            )
        y = e.generic(
            ["d0, d1", "d0, d1"],
            ["parallel"] * 2,
            [(t, tensor(flipped))],
            (empty, tensor(flipped)),
            ["%r = arith.mulf %a, %a : f32"],
        )
        return y, flipped

    @staticmethod
    def forward(values, shapes):
        m, n = shapes[0]
        return [values[0][i * n + j] ** 2 for j in range(n) for i in range(m)]

    @staticmethod
    def backward(values, shapes, g):
        m, n = shapes[0]
        return (
            [
                2 * values[0][i * n + j] * g[j * m + i]
                for i in range(m)
                for j in range(n)
            ],
        )


class Index:
    """y[i, j] = x[i, j] * (10 i + j + 1): linalg.index must count in the global tensor."""

    arguments = ("x",)
    shapes = Reduce.shapes

    @staticmethod
    def text(e, names, shapes, placements):
        kind, ten = tensor(shapes[0]), e.constant("10.0")
        one = e.constant("1.0")
        empty = e.emit(f"tensor.empty() : {kind}")
        y = e.generic(
            ["d0, d1", "d0, d1"],
            ["parallel"] * 2,
            [(names[0], kind)],
            (empty, kind),
            [
                "%i = linalg.index 0 : index",
                "%j = linalg.index 1 : index",
                "%ii = arith.index_cast %i : index to i32",
                "%jj = arith.index_cast %j : index to i32",
                "%if = arith.sitofp %ii : i32 to f32",
                "%jf = arith.sitofp %jj : i32 to f32",
                f"%t = arith.mulf %if, {ten} : f32",
                "%u = arith.addf %t, %jf : f32",
                f"%v = arith.addf %u, {one} : f32",
                "%r = arith.mulf %a, %v : f32",
            ],
        )
        if placements[0] != "R":
            y = e.constrain(y, placements[0], kind)
        return y, shapes[0]

    @staticmethod
    def forward(values, shapes):
        m, n = shapes[0]
        return [
            values[0][i * n + j] * (10 * i + j + 1) for i in range(m) for j in range(n)
        ]

    @staticmethod
    def backward(values, shapes, g):
        return (Index.forward((g,), shapes),)


class Moved:
    """Programs that move elements: `sources` says for each element of the result which element of which argument it is,
    or what number. Along the first dim the result is sharded where the first argument is."""

    @classmethod
    def forward(cls, values, shapes):
        return [
            values[s[0]][s[1]] if isinstance(s, tuple) else s
            for s in cls.sources(shapes)
        ]

    @classmethod
    def backward(cls, values, shapes, g):
        gradients = [[0.0] * len(v) for v in values]
        for s, v in zip(cls.sources(shapes), g):
            if isinstance(s, tuple):
                gradients[s[0]][s[1]] += v
        return tuple(gradients)

    @staticmethod
    def pin(e, value, shape, placements):
        return (
            e.constrain(value, "S(0)", tensor(shape))
            if placements[0] == "S(0)"
            else value
        )


class Slice(Moved):
    """All rows but the first two, and all columns but the last, as far as there are any."""

    arguments = ("x",)
    shapes = Reduce.shapes

    @staticmethod
    def cut(shape):
        first = min(2, shape[0] - 1)
        return first, (shape[0] - first, max(1, shape[1] - 1))

    @classmethod
    def text(cls, e, names, shapes, placements):
        first, result = cls.cut(shapes[0])
        y = e.emit(
            f"tensor.extract_slice {names[0]}[{first}, 0] [{result[0]}, {result[1]}] [1, 1] : "
            f"{tensor(shapes[0])} to {tensor(result)}"
        )
        return cls.pin(e, y, result, placements), result

    @classmethod
    def sources(cls, shapes):
        first, (m, n) = cls.cut(shapes[0])
        return [(0, (i + first) * shapes[0][1] + j) for i in range(m) for j in range(n)]


class Row(Moved):
    """One row, without its dim."""

    arguments = ("x",)
    shapes = Reduce.shapes

    @staticmethod
    def text(e, names, shapes, placements):
        (m, n) = shapes[0]
        y = e.emit(
            f"tensor.extract_slice {names[0]}[{m // 2}, 0] [1, {n}] [1, 1] : {tensor(shapes[0])} to {tensor((n,))}"
        )
        # Two dims, so that the result can be placed along either.
        y = e.emit(
            f"tensor.expand_shape {y} [[0, 1]] output_shape [1, {n}] : {tensor((n,))} into {tensor((1, n))}"
        )
        return y, (1, n)

    @staticmethod
    def sources(shapes):
        (m, n) = shapes[0]
        return [(0, m // 2 * n + j) for j in range(n)]


class Concat(Moved):
    """x on top of w on top of x."""

    arguments = ("x", "w")

    @staticmethod
    def shapes(rows, columns):
        return (rows, columns), ((rows + 1) % 4 + 1, columns)

    @classmethod
    def text(cls, e, names, shapes, placements):
        result = (2 * shapes[0][0] + shapes[1][0], shapes[0][1])
        kinds = [tensor(shapes[0]), tensor(shapes[1]), tensor(shapes[0])]
        y = e.emit(
            f"tensor.concat dim(0) {names[0]}, {names[1]}, {names[0]} : ({', '.join(kinds)}) -> {tensor(result)}"
        )
        return cls.pin(e, y, result, placements), result

    @staticmethod
    def sources(shapes):
        counts = [s[0] * s[1] for s in shapes]
        return [(a, i) for a in (0, 1, 0) for i in range(counts[a])]


class Pad(Moved):
    """Two rows before and one behind, one column before, of 0.5."""

    arguments = ("x",)
    shapes = Reduce.shapes

    @classmethod
    def text(cls, e, names, shapes, placements):
        result, half = (shapes[0][0] + 3, shapes[0][1] + 1), e.constant("0.5")
        y = e.emit(
            f"tensor.pad {names[0]} low[2, 1] high[1, 0] {{\n  ^bb0(%i: index, %j: index):\n"
            f"    tensor.yield {half} : f32\n  }} : {tensor(shapes[0])} to {tensor(result)}"
        )
        return cls.pin(e, y, result, placements), result

    @staticmethod
    def sources(shapes):
        (m, n) = shapes[0]
        return [
            (0, (i - 2) * n + j - 1) if 2 <= i < m + 2 and j else 0.5
            for i in range(m + 3)
            for j in range(n + 1)
        ]


class Insert(Moved):
    """w with x at row 1, column 2."""

    arguments = ("x", "w")

    @staticmethod
    def shapes(rows, columns):
        return (rows, columns), (rows + 2, columns + 2)

    @classmethod
    def text(cls, e, names, shapes, placements):
        y = e.emit(
            f"tensor.insert_slice {names[0]} into {names[1]}[1, 2] [{shapes[0][0]}, {shapes[0][1]}] [1, 1] : "
            f"{tensor(shapes[0])} into {tensor(shapes[1])}"
        )
        return cls.pin(e, y, shapes[1], placements), shapes[1]

    @staticmethod
    def sources(shapes):
        (m, n), (_, width) = shapes
        return [
            (0, (i - 1) * n + j - 2) if 1 <= i <= m and j >= 2 else (1, i * width + j)
            for i in range(m + 2)
            for j in range(width)
        ]


class Flatten(Moved):
    """All rows in one vector."""

    arguments = ("x",)
    shapes = Reduce.shapes

    @classmethod
    def text(cls, e, names, shapes, placements):
        (m, n) = shapes[0]
        y = e.emit(
            f"tensor.collapse_shape {names[0]} [[0, 1]] : {tensor(shapes[0])} into {tensor((m * n,))}"
        )
        y = cls.pin(e, y, (m * n,), placements)
        y = e.emit(
            f"tensor.expand_shape {y} [[0, 1]] output_shape [{m * n}, 1] : {tensor((m * n,))} into {tensor((m * n, 1))}"
        )
        return y, (m * n, 1)

    @staticmethod
    def sources(shapes):
        return [(0, i) for i in range(shapes[0][0] * shapes[0][1])]


class Convolution:
    """y[i, j] = sum over a, b of x[stride * i + a - before, j + b] k[a, b], x zero outside; the result is sharded where
    x is."""

    arguments = ("x", "k")
    stride, before, taps = 1, 0, 3

    @classmethod
    def shapes(cls, rows, columns):
        return (rows + 2 - 2 * cls.before, columns + 1), (cls.taps, 2)

    @classmethod
    def extent(cls, shapes):
        rows = shapes[0][0] + 2 * cls.before
        return (rows - cls.taps) // cls.stride + 1, shapes[0][1] - 1

    @classmethod
    def text(cls, e, names, shapes, placements):
        x, shape, result = names[0], shapes[0], cls.extent(shapes)
        if cls.before:
            zero, shape = e.constant("0.0"), (shape[0] + 2 * cls.before, shape[1])
            x = e.emit(
                f"tensor.pad {x} low[{cls.before}, 0] high[{cls.before}, 0] {{\n  ^bb0(%i: index, %j: index):\n"
                f"    tensor.yield {zero} : f32\n  }} : {tensor(shapes[0])} to {tensor(shape)}"
            )
            if placements[0] != "R":
                x = e.constrain(x, placements[0], tensor(shape))
        y = e.generic(
            [f"d0 * {cls.stride} + d2, d1 + d3", "d2, d3", "d0, d1"],
            ["parallel"] * 2 + ["reduction"] * 2,
            [(x, tensor(shape)), (names[1], tensor(shapes[1]))],
            (e.filled("0.0", tensor(result)), tensor(result)),
            ["%p = arith.mulf %a, %b : f32", "%r = arith.addf %out, %p : f32"],
            rank=4,
        )
        if placements[0] != "R":
            y = e.constrain(y, placements[0], tensor(result))
        return y, result

    @classmethod
    def terms(cls, shapes):
        """(element of y, of x, of k) that are multiplied."""
        (m, n), (height, width) = shapes
        rows, columns = cls.extent(shapes)
        for i in range(rows):
            for j in range(columns):
                for a in range(height):
                    for b in range(width):
                        row = cls.stride * i + a - cls.before
                        if 0 <= row < m:
                            yield i * columns + j, row * n + j + b, a * width + b

    @classmethod
    def forward(cls, values, shapes):
        rows, columns = cls.extent(shapes)
        y = [0.0] * (rows * columns)
        for i, x, k in cls.terms(shapes):
            y[i] += values[0][x] * values[1][k]
        return y

    @classmethod
    def backward(cls, values, shapes, g):
        dx, dk = [0.0] * len(values[0]), [0.0] * len(values[1])
        for i, x, k in cls.terms(shapes):
            dx[x] += g[i] * values[1][k]
            dk[k] += g[i] * values[0][x]
        return dx, dk


class StridedConvolution(Convolution):
    stride = 2


class PatchConvolution(Convolution):
    stride, taps = 2, 2


class PaddedConvolution(Convolution):
    before = 1

    @classmethod
    def shapes(cls, rows, columns):
        return (rows, columns + 1), (cls.taps, 2)


PROGRAMS = {
    "matmul": Matmul,
    "reduce": Reduce,
    "softmax": Softmax,
    "layernorm": Layernorm,
    "transpose": Transpose,
    "index": Index,
    "slice": Slice,
    "row": Row,
    "concat": Concat,
    "pad": Pad,
    "insert": Insert,
    "flatten": Flatten,
    "convolution": Convolution,
    "strided-convolution": StridedConvolution,
    "patch-convolution": PatchConvolution,
    "padded-convolution": PaddedConvolution,
}
