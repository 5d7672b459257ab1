# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes Inputs/*.safetensors for the restated reports from their recorded values.

  python3 test/Cases/reference.py VALUES.json

VALUES.json maps the number of a case to {"in": {argument: value}, "y": value, "d<argument>": value, ...}, computed on
one device in float64. Inputs are written in f32, those of integers in i32; a result that is not a scalar gets the cotangent
p(3), where p(s) is, at flat index i, (((7 * i + s) mod 11) - 5) / 4."""

import json
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Numeric"))
import tensorfile  # noqa: E402

CASES = """01 02 04 05 07 10 12 14a 14b 15 16 17 19 20 22 24 25 26 28 30 31 32 33 34 36 37 38 41 43 44 45 48 49 50 51
            63 69 72""".split()


def flatten(value):
    """(shape, flat values) of a nested list or a number."""
    if not isinstance(value, list):
        return (), [value]
    parts = [flatten(v) for v in value]
    return (len(value), *parts[0][0]), [v for _, values in parts for v in values]


def p(count, s):
    return [((7 * i + s) % 11 - 5) / 4 for i in range(count)]


def write(name, inputs, expected, prefix="bc"):
    base = os.path.join(HERE, "Inputs", prefix + name)
    kinds = {
        n: "I32" if all(isinstance(v, int) for v in flat) else "F32"
        for n, (_, flat) in inputs.items()
    }
    tensorfile.write(
        base + ".inputs.safetensors", {n: (kinds[n], *v) for n, v in inputs.items()}
    )
    tensorfile.write(
        base + ".expected.safetensors", {n: ("F64", *v) for n, v in expected.items()}
    )


def other_neutral_elements():
    """bc04b, which has no recorded values: max and product along rows of x = 1 + p(1) / 4, both from 3."""
    x = [1 + v / 4 for v in p(32, 1)]
    rows = [x[8 * i : 8 * i + 8] for i in range(4)]
    products = []
    for row in rows:
        product = 3.0
        for v in row:
            product *= v
        products.append(product)
    write(
        "04b",
        {"x": ((4, 8), x)},
        {"y0": ((4,), [max(3.0, *row) for row in rows]), "y1": ((4,), products)},
    )


def summands():
    """bc05b: the norm of the sum of two rows."""
    pieces = [1.0, 3.0, 2.0, 1.0]
    total = [pieces[0] + pieces[2], pieces[1] + pieces[3]]
    norm = math.hypot(*total)
    gradient = [v / norm for v in total] * 2
    expected = {"y": ((), [norm]), "dpieces": ((2, 2), gradient)}
    write("05b", {"pieces": ((2, 2), pieces)}, expected)


def attention(heads):
    """bc63b, which has no recorded values: bc63 with `heads` heads."""
    rows, width = 8, 2
    shape = (rows, heads, width)
    at = lambda i, h, d: (i * heads + h) * width + d
    q, k, v, g = (p(rows * heads * width, s) for s in (1, 2, 4, 3))
    y, dq, dk, dv = ([0.0] * len(q) for _ in range(4))
    scale = 1 / math.sqrt(width)
    for h in range(heads):
        dot = lambda a, i, b, j: sum(a[at(i, h, d)] * b[at(j, h, d)] for d in range(width))
        for i in range(rows):
            e = [math.exp(scale * dot(q, i, k, j)) for j in range(rows)]
            w = [value / sum(e) for value in e]
            dw = [dot(g, i, v, j) for j in range(rows)]
            mean = sum(a * b for a, b in zip(w, dw))
            for j in range(rows):
                ds = scale * w[j] * (dw[j] - mean)
                for d in range(width):
                    y[at(i, h, d)] += w[j] * v[at(j, h, d)]
                    dv[at(j, h, d)] += w[j] * g[at(i, h, d)]
                    dq[at(i, h, d)] += ds * k[at(j, h, d)]
                    dk[at(j, h, d)] += ds * q[at(i, h, d)]
    inputs = {"q": (shape, q), "k": (shape, k), "v": (shape, v), "dy": (shape, g)}
    expected = {"y": (shape, y), "dq": (shape, dq), "dk": (shape, dk), "dv": (shape, dv)}
    return inputs, expected


def megatron():
    """y = relu(x w1) w2 with the inputs of bc48 and the cotangent G, for the two megatron programs."""
    x, w1, w2, g = p(32, 1), p(48, 4), p(48, 6), p(32, 3)
    product = lambda a, b, m, k, n: [
        sum(a[i * k + q] * b[q * n + j] for q in range(k))
        for i in range(m)
        for j in range(n)
    ]
    flip = lambda a, m, n: [a[i * n + j] for j in range(n) for i in range(m)]
    h = product(x, w1, 4, 8, 6)
    relu = [max(v, 0.0) for v in h]
    dh = [v if a > 0 else 0.0 for v, a in zip(product(g, flip(w2, 6, 8), 4, 8, 6), h)]
    write(
        "",
        {"x": ((4, 8), x), "w1": ((8, 6), w1), "w2": ((6, 8), w2), "dy": ((4, 8), g)},
        {
            "y": ((4, 8), product(relu, w2, 4, 6, 8)),
            "dx": ((4, 8), product(dh, flip(w1, 8, 6), 4, 6, 8)),
            "dw1": ((8, 6), product(flip(x, 4, 8), dh, 8, 4, 6)),
            "dw2": ((6, 8), product(flip(relu, 4, 6), g, 6, 4, 8)),
        },
        "megatron",
    )
    write("", {"x": ((4, 8), x)}, {"y": ((4, 8), x)}, "partial")


def microbatches_and_layers():
    """The sum of squares of three layers tanh(x w) over five microbatches, and the gradient of the stacked weights."""
    batches, layers, m, d = 5, 3, 32, 16
    ws = [v / 4 for v in p(layers * d * d, 2)]
    xs = p(batches * m * d, 1)
    weight = lambda l: [ws[(l * d + i) * d : (l * d + i + 1) * d] for i in range(d)]
    loss, gradients = 0.0, [0.0] * len(ws)
    for b in range(batches):
        for row in range(m):
            start = (b * m + row) * d
            values = [xs[start : start + d]]
            for l in range(layers):
                x, w = values[-1], weight(l)
                values.append(
                    [math.tanh(sum(x[i] * w[i][j] for i in range(d))) for j in range(d)]
                )
            loss += sum(v * v for v in values[-1])
            cotangent = [2 * v for v in values[-1]]
            for l in reversed(range(layers)):
                x, w = values[l], weight(l)
                inner = [c * (1 - v * v) for c, v in zip(cotangent, values[l + 1])]
                for i in range(d):
                    for j in range(d):
                        gradients[(l * d + i) * d + j] += x[i] * inner[j]
                cotangent = [sum(inner[j] * w[i][j] for j in range(d)) for i in range(d)]
    write(
        "",
        {"ws": ((layers, d, d), ws), "xs": ((batches, m, d), xs)},
        {"loss": ((), [loss]), "dws": ((layers, d, d), gradients)},
        "jax-reduced-weights",
    )


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        values = json.load(file)
    for case in CASES:
        record = values[case]
        inputs = {n: flatten(v) for n, v in record["in"].items()}
        expected = {
            n: flatten(v)
            for n, v in record.items()
            if n != "in" and not n.startswith("fault")
        }
        if case == "32":
            inputs["rows"], inputs["cols"] = ((4,), [0, 1, 2, 3]), ((4,), [2, 0, 3, 1])
        for n, (shape, flat) in list(expected.items()):
            if n.startswith("y") and shape:
                inputs["d" + n] = (shape, p(len(flat), 3))
        write(case, inputs, expected)
        if case == "01":
            write("01b", inputs, {"y": expected["y"]})
    other_neutral_elements()
    summands()
    write("63b", *attention(6))
    megatron()
    microbatches_and_layers()


if __name__ == "__main__":
    main()
