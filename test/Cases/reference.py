# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes Inputs/*.safetensors for the restated reports from their recorded values.

  python3 test/Cases/reference.py VALUES.json

VALUES.json maps the number of a case to {"in": {argument: value}, "y": value, "d<argument>": value, ...}, computed on
one device in float64. Inputs are written in f32; a result that is not a scalar gets the cotangent p(3), where p(s) is,
at flat index i, (((7 * i + s) mod 11) - 5) / 4."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Numeric"))
import tensorfile  # noqa: E402

CASES = ["01", "02", "04", "12", "14a", "14b", "15", "24", "25", "36", "45", "48"]


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
    tensorfile.write(
        base + ".inputs.safetensors", {n: ("F32", *v) for n, v in inputs.items()}
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
        for n, (shape, flat) in list(expected.items()):
            if n.startswith("y") and shape:
                inputs["d" + n] = (shape, p(len(flat), 3))
        write(case, inputs, expected)
        if case == "01":
            write("01b", inputs, {"y": expected["y"]})
    other_neutral_elements()
    megatron()


if __name__ == "__main__":
    main()
