# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions whose gradients gradients.py checks: every line of the table of scalar derivatives, and every rule of
the structured and tensor operations."""

import math


class Case:
    """A function `case_<name>` (libm has the bare names) with f64 inputs and results of the given shapes. Values of input i are drawn from
    `domains[i]`, or are `points[i]`. `expected` replaces the finite difference: d(result)/d(input) per element."""

    def __init__(self, name, inputs, results, body, domains=None, points=None, expected=None):
        self.name, self.inputs, self.results = name, inputs, results
        self.domains, self.points, self.expected = domains, points, expected
        arguments = ", ".join(f"%x{i}: {tensor(shape)} {{tp.grad}}" for i, shape in enumerate(inputs))
        types = ", ".join(tensor(shape) for shape in results)
        values = ", ".join(f"%y{i}" for i in range(len(results)))
        self.text = f"func.func @case_{name}({arguments}) -> ({types}) {{\n{body}\n  return {values} : {types}\n}}"

    def is_scalar_loss(self):
        return self.results == [()]

    def draw(self, random, number, size):
        if self.points is not None:
            return list(self.points[number])
        low, high = self.domains[number] if self.domains else (-2.0, 2.0)
        return [random.uniform(low, high) for _ in range(size)]


def tensor(shape, element="f64"):
    return "tensor<" + "".join(f"{dim}x" for dim in shape) + element + ">"


def generic(result, inputs, out, maps, iterators, body, init=None, scalars=None):
    """A linalg.generic on (name, shape) pairs. `maps` are written over d0, d1, ...; the block arguments are
    %a, %b, ... and %out; `body` sets %r. `init`: a scalar the output is filled with, or a value name."""
    names = "abcdefg"
    dims = ", ".join(f"d{i}" for i in range(len(iterators)))
    spelled = ", ".join(f"affine_map<({dims}) -> ({m})>" for m in maps)
    kinds = ", ".join({"p": '"parallel"', "r": '"reduction"'}[i] for i in iterators)
    block = ", ".join(f"%{names[i]}: f64" for i in range(len(inputs)))
    lines = []
    if init is None or isinstance(init, float):
        lines.append(f"  %{result}_out = tensor.empty() : {tensor(out)}")
        init_value = f"%{result}_out"
        if init is not None:
            value = {math.inf: "0x7FF0000000000000", -math.inf: "0xFFF0000000000000"}.get(init, repr(init))
            lines.append(f"  %{result}_cst = arith.constant {value} : f64")
            lines.append(
                f"  %{result}_init = linalg.fill ins(%{result}_cst : f64) outs({init_value} : {tensor(out)}) -> {tensor(out)}"
            )
            init_value = f"%{result}_init"
    else:
        init_value = init
    ins = ""
    if inputs:
        ins = f"ins({', '.join('%' + n for n, _ in inputs)} : {', '.join(tensor(s) if s is not None else 'f64' for _, s in inputs)}) "
    lines.append(
        f"  %{result} = linalg.generic {{indexing_maps = [{spelled}], iterator_types = [{kinds}]}} {ins}"
        f"outs({init_value} : {tensor(out)}) {{\n  ^bb0({block}{', ' if block else ''}%out: f64):\n    {body}\n"
        f"    linalg.yield %r : f64\n  }} -> {tensor(out)}"
    )
    return "\n".join(lines)


def elementwise(name, body, domains, points=None, expected=None):
    """`body` maps the scalars %a, %b, ... to %r."""
    count = len(domains or points)
    size = len(points[0]) if points else 5
    return Case(
        name,
        [(size,)] * count,
        [(size,)],
        generic("y0", [(f"x{i}", (size,)) for i in range(count)], (size,), ["d0"] * (count + 1), "p", body),
        domains,
        points,
        expected,
    )


def op(name, operation, *domains):
    """One scalar operation on as many scalars as there are domains."""
    operands = ", ".join(f"%{c}" for c in "abc"[: len(domains)])
    return elementwise(f"{name}", f"%r = {operation} {operands} : f64", list(domains))


ANY, POSITIVE, UNIT = (-2.0, 2.0), (0.3, 3.0), (-0.8, 0.8)
LOW, HIGH = (-2.0, -0.1), (0.1, 2.0)
ABOVE_ONE = (1.2, 3.0)

ONE = "%one = arith.constant 1.0 : f64\n    "
HALF = "%half = arith.constant 0.5 : f64\n    "
ZERO = "%zero = arith.constant 0.0 : f64\n    "


def scalar_cases():
    """Every line of ArithMathAdjoint.def."""
    yield op("addf", "arith.addf", ANY, ANY)
    yield op("subf", "arith.subf", ANY, ANY)
    yield op("mulf", "arith.mulf", ANY, ANY)
    yield op("divf", "arith.divf", ANY, POSITIVE)
    yield op("remf", "arith.remf", (2.1, 2.8), (0.9, 1.0))
    yield op("negf", "arith.negf", ANY)
    for kind in ("maximumf", "maxnumf", "minimumf", "minnumf"):
        yield op(f"{kind}_left", f"arith.{kind}", HIGH, LOW)
        yield op(f"{kind}_right", f"arith.{kind}", LOW, HIGH)
    select = "%c0 = arith.cmpf {}, %a, %b : f64\n    %r = arith.select %c0, %s, %t : f64"
    values = "%s = math.exp %a : f64\n    %t = arith.mulf %a, %b : f64\n    "
    yield elementwise("select_true", values + select.format("olt"), [LOW, HIGH])
    yield elementwise("select_false", values + select.format("ogt"), [LOW, HIGH])
    convert = "%n = arith.truncf %a : f64 to f32\n    %w = arith.extf %n : f32 to f64\n    %r = arith.mulf %w, %b : f64"
    # Points an f32 holds exactly; differences would see its steps.
    points = [[0.5, -1.25], [2.0, 0.75]]
    yield elementwise("extf_truncf", convert, None, points, [[2.0, 0.75], [0.5, -1.25]])
    for name in ("exp", "exp2", "expm1", "sin", "cos", "sinh", "cosh", "tanh", "atan", "asinh", "erf", "erfc"):
        yield op(name, f"math.{name}", ANY)
    for name in ("log", "log2", "log10", "log1p", "sqrt", "rsqrt", "cbrt"):
        yield op(name, f"math.{name}", POSITIVE)
    for name in ("tan", "asin", "acos", "atanh"):
        yield op(name, f"math.{name}", UNIT)
    yield op("acosh", "math.acosh", ABOVE_ONE)
    yield op("atan2", "math.atan2", ANY, POSITIVE)
    yield op("powf", "math.powf", POSITIVE, ANY)
    for power in (3, 1, 0, -2):
        body = f"%n = arith.constant {power} : i32\n    %r = math.fpowi %a, %n : f64, i32"
        yield elementwise(f"fpowi_{'m' if power < 0 else ''}{abs(power)}", body, [POSITIVE])
    yield op("absf_positive", "math.absf", HIGH)
    yield op("absf_negative", "math.absf", LOW)
    yield op("copysign_same", "math.copysign", HIGH, HIGH)
    yield op("copysign_other", "math.copysign", HIGH, LOW)
    for name in ("ceil", "floor", "round", "roundeven", "trunc"):
        body = f"%t = math.{name} %a : f64\n    %r = arith.mulf %t, %b : f64"
        yield elementwise(f"{name}", body, [(0.6, 0.9), ANY])
    yield op("fma", "math.fma", ANY, ANY, ANY)


def kink_cases():
    """Where there is no derivative: the value that is documented."""
    for kind in ("maximumf", "maxnumf", "minimumf", "minnumf"):
        yield elementwise(f"{kind}_tie", f"%r = arith.{kind} %a, %b : f64", None, [[1.5]] * 2, [[0.5], [0.5]])
    yield elementwise("absf_zero", "%r = math.absf %a : f64", None, [[0.0]], [[0.0]])
    relu = ZERO + "%p = arith.cmpf ugt, %a, %zero : f64\n    %r = arith.select %p, %a, %zero : f64"
    yield elementwise("relu", relu, None, [[-1.0, 0.0, 1.0]], [[0.0, 0.0, 1.0]])
    yield elementwise(
        "powf_zero_base", "%r = math.powf %a, %b : f64", None, [[0.0, 0.0], [2.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]
    )
    # Far out, where exp overflows and the chain rule over the parts would give zero times infinity.
    sigmoid = ONE + "%n = arith.negf %a : f64\n    %e = math.exp %n : f64\n    %s = arith.addf %e, %one : f64\n    "
    sigmoid += "%q = arith.divf %one, %s : f64\n    "
    yield elementwise("sigmoid", sigmoid + "%r = arith.mulf %q, %one : f64", [ANY])
    yield elementwise("sigmoid_far", sigmoid + "%r = arith.addf %q, %q : f64", None, [[-800.0, 800.0]], [[0.0, 0.0]])
    yield elementwise("silu", sigmoid + "%r = arith.mulf %a, %q : f64", [ANY])
    yield elementwise("silu_far", sigmoid + "%r = arith.mulf %a, %q : f64", None, [[-800.0, 800.0]], [[0.0, 1.0]])


MUL_ADD = "%p = arith.mulf %a, %b : f64\n    %r = arith.addf %out, %p : f64"
SUM = "%r = arith.addf %out, %a : f64"
COPY = "%r = arith.addf %a, %zero : f64"


def structured_cases():
    """Maps, reductions and inits of structured operations."""
    m, k, n = 2, 3, 4
    for name, a, b in (("nn", "d0, d2", "d2, d1"), ("nt", "d0, d2", "d1, d2"), ("tn", "d2, d0", "d2, d1"), ("tt", "d2, d0", "d1, d2")):
        shapes = [(m, k) if name[0] == "n" else (k, m), (k, n) if name[1] == "n" else (n, k)]
        text = generic("y0", list(zip(("x0", "x1"), shapes)), (m, n), [a, b, "d0, d1"], "ppr", MUL_ADD, 0.0)
        yield Case(f"matmul_{name}", shapes, [(m, n)], text)
    yield Case(
        "batch_matmul",
        [(2, m, k), (2, k, n)],
        [(2, m, n)],
        generic("y0", [("x0", (2, m, k)), ("x1", (2, k, n))], (2, m, n), ["d0, d1, d3", "d0, d3, d2", "d0, d1, d2"], "pppr", MUL_ADD, 0.0),
    )
    yield Case(
        "matmul_into_argument",
        [(m, k), (k, n), (m, n)],
        [(m, n)],
        generic("y0", [("x0", (m, k)), ("x1", (k, n))], (m, n), ["d0, d2", "d2, d1", "d0, d1"], "ppr", MUL_ADD, "%x2"),
    )
    yield Case(
        "matmul_with_itself",
        [(m, m)],
        [(m, m)],
        generic("y0", [("x0", (m, m)), ("x0", (m, m))], (m, m), ["d0, d2", "d2, d1", "d0, d1"], "ppr", MUL_ADD, 0.0),
    )
    yield Case("named_matmul", [(m, k), (k, n)], [(m, n)],
        f"  %z = arith.constant dense<0.0> : {tensor((m, n))}\n"
        f"  %y0 = linalg.matmul ins(%x0, %x1 : {tensor((m, k))}, {tensor((k, n))}) outs(%z : {tensor((m, n))}) -> {tensor((m, n))}")
    yield Case("square", [(5,)], [(5,)], generic("y0", [("x0", (5,)), ("x0", (5,))], (5,), ["d0"] * 3, "p", "%r = arith.mulf %a, %b : f64"))
    yield Case("broadcast", [(n,), (m, n)], [(m, n)], generic("y0", [("x0", (n,)), ("x1", (m, n))], (m, n), ["d1", "d0, d1", "d0, d1"], "pp", "%r = arith.mulf %a, %b : f64"))
    yield Case("broadcast_unit_dim", [(m, 1), (m, n)], [(m, n)], generic("y0", [("x0", (m, 1)), ("x1", (m, n))], (m, n), ["d0, 0", "d0, d1", "d0, d1"], "pp", "%r = arith.mulf %a, %b : f64"))
    yield Case("drop_unit_dims", [(1, n, 1)], [(n,)], generic("y0", [("x0", (1, n, 1))], (n,), ["0, d0, 0", "d0"], "p", "%r = math.exp %a : f64"))
    yield Case("broadcast_scalar", [(), (m, n)], [(m, n)], generic("y0", [("x0", ()), ("x1", (m, n))], (m, n), ["", "d0, d1", "d0, d1"], "pp", "%r = arith.divf %b, %a : f64"), [POSITIVE, ANY])
    yield Case("transpose", [(m, n)], [(n, m)], generic("y0", [("x0", (m, n))], (n, m), ["d1, d0", "d0, d1"], "pp", "%r = math.exp %a : f64"))
    yield Case("row_sum", [(m, n)], [(m,)], generic("y0", [("x0", (m, n))], (m,), ["d0, d1", "d0"], "pr", SUM, 0.0))
    yield Case("row_sum_keeps_dim", [(m, n)], [(m, 1)], generic("y0", [("x0", (m, n))], (m, 1), ["d0, d1", "d0, 0"], "pr", SUM, 0.0))
    yield Case("sum_of_squares", [(m, n)], [()], generic("y0", [("x0", (m, n))], (), ["d0, d1", ""], "rr", "%p = arith.mulf %a, %a : f64\n    %r = arith.addf %p, %out : f64", 0.0))
    yield Case("running_difference", [(m, n), (m,)], [(m,)], generic("y0", [("x0", (m, n))], (m,), ["d0, d1", "d0"], "pr", "%e = math.exp %a : f64\n    %r = arith.subf %out, %e : f64", "%x1"))
    yield Case("masked_sum", [(m, n)], [(m,)], generic("y0", [("x0", (m, n))], (m,), ["d0, d1", "d0"], "pr",
        "%i = linalg.index 1 : index\n    %j = linalg.index 0 : index\n    %p = arith.cmpi ugt, %i, %j : index\n"
        "    %s = arith.addf %out, %a : f64\n    %r = arith.select %p, %s, %out : f64", 0.0))
    yield Case("sum_over_absent_loop", [(m, n), (m, k)], [(m,)], generic("y0", [("x0", (m, n)), ("x1", (m, k))], (m,), ["d0, d1", "d0, d2", "d0"], "prr", "%s = arith.addf %a, %b : f64\n    %r = arith.addf %out, %s : f64", 0.0))
    yield Case("index_scales", [(m, n)], [(n, m)], generic("y0", [("x0", (m, n))], (n, m), ["d1, d0", "d0, d1"], "pp",
        "%i = linalg.index 0 : index\n    %j = arith.index_cast %i : index to i64\n    %w = arith.sitofp %j : i64 to f64\n    %r = arith.mulf %w, %a : f64"))
    yield Case("init_is_read", [(5,), (5,)], [(5,)], generic("y0", [("x0", (5,))], (5,), ["d0", "d0"], "p", "%r = arith.mulf %a, %out : f64", "%x1"))
    for kind, init in (("maximumf", -math.inf), ("maxnumf", -math.inf), ("minimumf", math.inf), ("minnumf", math.inf)):
        body = f"%s = arith.mulf %a, %a : f64\n    %r = arith.{kind} %out, %s : f64"
        yield Case(f"row_{kind}", [(m, n)], [(m,)], generic("y0", [("x0", (m, n))], (m,), ["d0, d1", "d0"], "pr", body, init))
    compared = "%p = arith.cmpf ogt, %a, %out : f64\n    %r = arith.select %p, %a, %out : f64"
    yield Case("row_max_by_compare", [(m, n)], [(m, 1)], generic("y0", [("x0", (m, n))], (m, 1), ["d0, d1", "d0, 0"], "pr", compared, -math.inf))
    largest = "%r = arith.maximumf %a, %out : f64"
    yield Case("max_ties", [(1, 4)], [(1,)], generic("y0", [("x0", (1, 4))], (1,), ["d0, d1", "d0"], "pr", largest, -math.inf),
        points=[[3.0, 1.0, 3.0, 2.0]], expected=[[0.5, 0.0, 0.5, 0.0]])
    yield Case("max_ties_with_init", [(1, 3), (1,)], [(1,)], generic("y0", [("x0", (1, 3))], (1,), ["d0, d1", "d0"], "pr", largest, "%x1"),
        points=[[3.0, 1.0, 3.0], [3.0]], expected=[[1 / 3, 0.0, 1 / 3], [1 / 3]])
    yield Case("max_init_wins", [(1, 3), (1,)], [(1,)], generic("y0", [("x0", (1, 3))], (1,), ["d0, d1", "d0"], "pr", largest, "%x1"),
        points=[[3.0, 1.0, 3.0], [4.0]], expected=[[0.0, 0.0, 0.0], [1.0]])
    two = f"""  %e = tensor.empty() : {tensor((m, n))}
  %y0, %y1 = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}} ins(%x0, %x1 : {tensor((m, n))}, {tensor((n,))}) outs(%e, %e : {tensor((m, n))}, {tensor((m, n))}) {{
  ^bb0(%a: f64, %b: f64, %o: f64, %p: f64):
    %s = arith.mulf %a, %b : f64
    %t = math.exp %s : f64
    linalg.yield %s, %t : f64, f64
  }} -> ({tensor((m, n))}, {tensor((m, n))})"""
    yield Case("two_results", [(m, n), (n,)], [(m, n), (m, n)], two)
    argmax = f"""  %e = tensor.empty() : {tensor((m,))}
  %lowest = arith.constant 0xFFF0000000000000 : f64
  %f = linalg.fill ins(%lowest : f64) outs(%e : {tensor((m,))}) -> {tensor((m,))}
  %z = arith.constant dense<0> : {tensor((m,), "i64")}
  %y0, %index = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}} ins(%x0 : {tensor((m, n))}) outs(%f, %z : {tensor((m,))}, {tensor((m,), "i64")}) {{
  ^bb0(%a: f64, %o: f64, %j: i64):
    %i = linalg.index 1 : index
    %k = arith.index_cast %i : index to i64
    %s = arith.maximumf %a, %o : f64
    %p = arith.cmpf ogt, %a, %o : f64
    %t = arith.select %p, %k, %j : i64
    linalg.yield %s, %t : f64, i64
  }} -> ({tensor((m,))}, {tensor((m,), "i64")})"""
    yield Case("max_with_index", [(m, n)], [(m,)], argmax)
    # Taps that overlap, lie side by side, leave gaps, and are apart; rows that no tap reads; a constant in front.
    for name, stride, dilation, offset, taps, pixels, length in (
        ("", 1, 1, 0, 3, 4, 6), ("patches", 2, 1, 0, 2, 3, 6), ("overlapping", 2, 1, 0, 3, 3, 8), ("gaps", 3, 1, 0, 2, 3, 9),
        ("dilated", 1, 2, 0, 3, 3, 7), ("dilated_strided", 2, 2, 0, 2, 3, 7), ("offset", 1, 1, 1, 2, 4, 7),
    ):
        read = f"d0 * {stride} + d1 * {dilation} + {offset}"
        yield Case("convolution" + (name and "_" + name), [(length,), (taps,)], [(pixels,)],
            generic("y0", [("x0", (length,)), ("x1", (taps,))], (pixels,), [read, "d1", "d0"], "pr", MUL_ADD, 0.0))
    yield Case("strided_read", [(6,)], [(3,)], generic("y0", [("x0", (6,))], (3,), ["d0 * 2 + 1", "d0"], "p", "%r = math.exp %a : f64"))
    yield Case("convolution_2d", [(2, 5, 6), (3, 2, 2, 3)], [(3, 4, 2)], generic("y0", [("x0", (2, 5, 6)), ("x1", (3, 2, 2, 3))], (3, 4, 2),
        ["d3, d1 + d4, d2 * 2 + d5", "d0, d3, d4, d5", "d0, d1, d2"], "ppprrr", MUL_ADD, 0.0))
    padded = "  %c = arith.constant 0.0 : f64\n  %t = tensor.pad %x0 low[1] high[2] {\n  ^bb0(%i: index):\n    tensor.yield %c : f64\n  } : tensor<6xf64> to tensor<9xf64>\n"
    yield Case("convolution_of_padding", [(6,), (4,)], [(6,)], padded + generic("y0", [("t", (9,)), ("x1", (4,))], (6,), ["d0 + d1", "d1", "d0"], "pr", MUL_ADD, 0.0))


def tensor_cases():
    """Operations that move elements."""
    square = lambda source, shape: generic("y0", [(source, shape)] * 2, shape, [", ".join(f"d{i}" for i in range(len(shape)))] * 3, "p" * len(shape), "%r = arith.mulf %a, %b : f64")
    yield Case("expand_shape", [(6,)], [(2, 3)], "  %t = tensor.expand_shape %x0 [[0, 1]] output_shape [2, 3] : tensor<6xf64> into tensor<2x3xf64>\n" + square("t", (2, 3)))
    yield Case("collapse_shape", [(2, 3)], [(6,)], "  %t = tensor.collapse_shape %x0 [[0, 1]] : tensor<2x3xf64> into tensor<6xf64>\n" + square("t", (6,)))
    yield Case("cast", [(4,)], [(4,)], "  %t = tensor.cast %x0 : tensor<4xf64> to tensor<4xf64>\n" + square("t", (4,)))
    yield Case("extract_slice", [(4, 5)], [(2, 2)], "  %t = tensor.extract_slice %x0[1, 0] [2, 2] [1, 2] : tensor<4x5xf64> to tensor<2x2xf64>\n" + square("t", (2, 2)))
    yield Case("extract_slice_drops_dim", [(4, 5)], [(3,)], "  %t = tensor.extract_slice %x0[2, 1] [1, 3] [1, 1] : tensor<4x5xf64> to tensor<3xf64>\n" + square("t", (3,)))
    yield Case("insert_slice", [(2, 2), (4, 5)], [(4, 5)], "  %t = tensor.insert_slice %x0 into %x1[1, 2] [2, 2] [1, 1] : tensor<2x2xf64> into tensor<4x5xf64>\n" + square("t", (4, 5)))
    yield Case("pad", [(2, 3)], [(4, 4)], "  %c = arith.constant 1.5 : f64\n  %t = tensor.pad %x0 low[1, 0] high[1, 1] {\n  ^bb0(%i: index, %j: index):\n    tensor.yield %c : f64\n  } : tensor<2x3xf64> to tensor<4x4xf64>\n" + square("t", (4, 4)))
    yield Case("concat", [(2, 3), (2, 2)], [(2, 5)], "  %t = tensor.concat dim(1) %x0, %x1 : (tensor<2x3xf64>, tensor<2x2xf64>) -> tensor<2x5xf64>\n" + square("t", (2, 5)))
    yield Case("extract_fill", [(3,)], [(2, 2)], "  %i = arith.constant 1 : index\n  %s = tensor.extract %x0[%i] : tensor<3xf64>\n  %e = tensor.empty() : tensor<2x2xf64>\n  %t = linalg.fill ins(%s : f64) outs(%e : tensor<2x2xf64>) -> tensor<2x2xf64>\n" + square("t", (2, 2)))
    yield Case("extract_splat", [()], [(2, 2)], "  %s = tensor.extract %x0[] : tensor<f64>\n  %t = tensor.splat %s : tensor<2x2xf64>\n" + square("t", (2, 2)))
    yield Case("from_elements", [(2,)], [(2, 2)], "  %i = arith.constant 0 : index\n  %j = arith.constant 1 : index\n  %s = tensor.extract %x0[%i] : tensor<2xf64>\n  %u = tensor.extract %x0[%j] : tensor<2xf64>\n  %t = tensor.from_elements %s, %u, %s, %u : tensor<2x2xf64>\n" + square("t", (2, 2)))
    scalars = "  %s = tensor.extract %x0[] : tensor<f64>\n  %e = math.exp %s : f64\n  %q = arith.mulf %e, %s : f64\n"
    yield Case("scalar_arithmetic", [()], [(2, 2)], scalars + "  %t = tensor.splat %q : tensor<2x2xf64>\n" + square("t", (2, 2)))
    yield Case("scalar_operand", [(), (4,)], [(4,)], "  %s = tensor.extract %x0[] : tensor<f64>\n" + generic("y0", [("s", None), ("x1", (4,))], (4,), ["", "d0", "d0"], "p", "%r = arith.mulf %a, %b : f64"))


def program_cases():
    """Several operations together: shared values, softmax, normalisation, a loss."""
    s = (2, 4)
    rows = ["d0, d1", "d0", "d0, d1"]
    largest = generic("m", [("x0", s)], (2,), ["d0, d1", "d0"], "pr", "%r = arith.maximumf %a, %out : f64", -math.inf)
    exponents = generic("e", [("x0", s), ("m", (2,))], s, rows, "pp", "%d = arith.subf %a, %b : f64\n    %r = math.exp %d : f64")
    sums = generic("z", [("e", s)], (2,), ["d0, d1", "d0"], "pr", SUM, 0.0)
    softmax = [largest, exponents, sums]
    divide = generic("y0", [("e", s), ("z", (2,))], s, rows, "pp", "%r = arith.divf %a, %b : f64")
    yield Case("softmax", [s], [s], "\n".join([*softmax, divide]))
    yield Case("exponents_of_softmax", [s], [s], "\n".join([largest, exponents.replace("%e", "%y0")]))
    logsum = "%l = math.log %a : f64\n    %r = arith.addf %l, %b : f64"
    total = generic("y0", [("z", (2,)), ("m", (2,))], (2,), ["d0"] * 3, "p", logsum)
    yield Case("log_sum_exp", [s], [(2,)], "\n".join([*softmax, total]))
    yield Case("log_sum_without_maximum", [s], [(2,)], "\n".join([*softmax, generic("y0", [("z", (2,))], (2,), ["d0"] * 2, "p", "%r = math.log %a : f64")]))
    norm = "\n".join([
        generic("q", [("x0", s)], (2,), ["d0, d1", "d0"], "pr", "%p = arith.mulf %a, %a : f64\n    %r = arith.addf %out, %p : f64", 0.0),
        generic("i", [("q", (2,))], (2,), ["d0", "d0"], "p", "%n = arith.constant 4.0 : f64\n    %u = arith.constant 1.0e-5 : f64\n    %m = arith.divf %a, %n : f64\n    %v = arith.addf %m, %u : f64\n    %r = math.rsqrt %v : f64"),
        generic("y0", [("x0", s), ("i", (2,)), ("x1", (4,))], s, ["d0, d1", "d0", "d1", "d0, d1"], "pp", "%t = arith.mulf %a, %b : f64\n    %r = arith.mulf %t, %c : f64"),
    ])
    yield Case("rms_norm", [s, (4,)], [s], norm)
    loss = "\n".join([
        generic("h", [("x0", (2, 3)), ("x1", (3, 4))], s, ["d0, d2", "d2, d1", "d0, d1"], "ppr", MUL_ADD, 0.0),
        generic("t", [("h", s), ("x2", (4,))], s, ["d0, d1", "d1", "d0, d1"], "pp", "%u = arith.addf %a, %b : f64\n    %r = math.tanh %u : f64"),
        generic("g", [("t", s), ("t", s)], s, ["d0, d1"] * 3, "pp", "%r = arith.mulf %a, %b : f64"),
        generic("k", [("g", s), ("t", s)], s, ["d0, d1"] * 3, "pp", "%r = arith.addf %a, %b : f64"),
        generic("y0", [("k", s), ("h", s)], (), ["d0, d1", "d0, d1", ""], "rr", "%d = arith.subf %a, %b : f64\n    %p = arith.mulf %d, %d : f64\n    %r = arith.addf %out, %p : f64", 0.0),
    ])
    yield Case("loss_with_shared_values", [(2, 3), (3, 4), (4,)], [()], loss)


def every_case():
    return [*scalar_cases(), *kink_cases(), *structured_cases(), *tensor_cases(), *program_cases()]
