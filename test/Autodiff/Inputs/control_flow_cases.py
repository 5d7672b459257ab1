# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions with loops and branches whose gradients gradients.py checks."""

import re

import cases
from cases import MUL_ADD, SUM, Case, tensor

INDICES = "\n".join(f"  %c{i} = arith.constant {i} : index" for i in range(6)) + "\n"
V, M = (3,), (3, 3)
TANH = "%u = arith.addf %a, %b : f64\n    %r = math.tanh %u : f64"


def generic(*arguments):
    """One of `cases`, whose values of the body are named apart from those around it."""
    before, block, rest = cases.generic(*arguments).partition("^bb0")
    body, close, after = rest.partition("}")
    return before + block + re.sub(r"%(\w)", r"%_\1", body) + close + after


def loop(result, trips, carried, body, yields, variable="i"):
    """A loop whose `carried` are (name, initial value, shape or type)."""
    spelled = lambda shape: shape if isinstance(shape, str) else tensor(shape)
    types = ", ".join(spelled(shape) for _, _, shape in carried)
    arguments = ", ".join(f"%{name} = %{init}" for name, init, _ in carried)
    count = f":{len(carried)}" if len(carried) > 1 else ""
    values = ", ".join("%" + name for name in yields)
    return (
        f"  %{result}{count} = scf.for %{variable} = %c0 to %c{trips} step %c1 iter_args({arguments}) -> ({types}) {{\n"
        f"{body}\n  scf.yield {values} : {types}\n  }}"
    )


def branch(result, condition, shape, then, then_yield, other, other_yield):
    yielded = lambda name: f"\n  scf.yield %{name} : {tensor(shape)}\n"
    return (
        f"  %{result} = scf.if %{condition} -> ({tensor(shape)}) {{\n{then}{yielded(then_yield)}"
        f"  }} else {{\n{other}{yielded(other_yield)}  }}"
    )


def pointwise(result, names, shape, body):
    dims = ", ".join(f"d{i}" for i in range(len(shape)))
    return generic(result, [(name, shape) for name in names], shape, [dims] * (len(names) + 1), "p" * len(shape), body)


def multiply(result, a, b, shape):
    return pointwise(result, [a, b], shape, "%r = arith.mulf %a, %b : f64")


def vector_matrix(result, a, b):
    return generic(result, [(a, V), (b, M)], V, ["d1", "d1, d0", "d0"], "pr", MUL_ADD, 0.0)


def row(result, source, index, shape):
    """Slice `index` along the first dim of a tensor."""
    rest = "".join(", 0" for _ in shape[1:])
    sizes, ones = ", ".join(["1", *map(str, shape[1:])]), ", ".join("1" for _ in shape)
    return f"  %{result} = tensor.extract_slice %{source}[%{index}{rest}] [{sizes}] [{ones}] : {tensor(shape)} to {tensor(shape[1:])}"


def put(result, value, into, index, shape):
    rest = "".join(", 0" for _ in shape[1:])
    sizes, ones = ", ".join(["1", *map(str, shape[1:])]), ", ".join("1" for _ in shape)
    return f"  %{result} = tensor.insert_slice %{value} into %{into}[%{index}{rest}] [{sizes}] [{ones}] : {tensor(shape[1:])} into {tensor(shape)}"


def case(name, inputs, results, *lines, **more):
    return Case(name, inputs, results, INDICES + "\n".join(lines), **more)


def loop_cases():
    yield case("loop_captures", [V, V], [V], loop("y0", 3, [("h", "x0", V)], multiply("t", "h", "x1", V), ["t"]))
    yield case("loop_once", [V, V], [V], loop("y0", 1, [("h", "x0", V)], multiply("t", "h", "x1", V), ["t"]))
    yield case("loop_captures_its_init", [V], [V], loop("y0", 3, [("h", "x0", V)], multiply("t", "h", "x0", V), ["t"]))
    rnn = [row("x", "x0", "i", (4, 3)), vector_matrix("w", "h", "x1"), pointwise("t", ["w", "x"], V, TANH), put("a", "t", "all", "i", (4, 3))]
    yield case("recurrence", [(4, 3), M, V], [(4, 3), V],
        f"  %e = tensor.empty() : {tensor((4, 3))}",
        loop("l", 4, [("all", "e", (4, 3)), ("h", "x2", V)], "\n".join(rnn), ["a", "t"]),
        pointwise("y0", ["l#0"], (4, 3), "%r = arith.mulf %a, %a : f64"), pointwise("y1", ["l#1"], V, "%r = arith.mulf %a, %a : f64"))
    layers = [row("w", "x0", "i", (4, 3, 3)), row("b", "x1", "i", (4, 3)), vector_matrix("m", "h", "w"), pointwise("t", ["m", "b"], V, TANH)]
    yield case("stacked_layers", [(4, 3, 3), (4, 3), V], [V], loop("y0", 4, [("h", "x2", V)], "\n".join(layers), ["t"]))
    backward = ["  %j = arith.subi %c3, %i : index", row("x", "x0", "j", (4, 3)), multiply("t", "h", "x", V), pointwise("s", ["t", "x"], V, TANH)]
    yield case("reads_in_reverse", [(4, 3), V], [V], loop("y0", 4, [("h", "x1", V)], "\n".join(backward), ["s"]))
    summed = [row("x", "x0", "i", (4, 3)), generic("t", [("x", V), ("x", V)], (), ["d0", "d0", ""], "r", MUL_ADD, "%s")]
    yield case("sums_a_loss", [(4, 3)], [()],
        f"  %zero = arith.constant dense<0.0> : {tensor(())}",
        loop("y0", 4, [("s", "zero", ())], "\n".join(summed), ["t"]))
    yield case("swaps", [V, V], [V],
        loop("l", 3, [("a", "x0", V), ("b", "x1", V)], multiply("t", "a", "b", V), ["b", "t"]), multiply("y0", "l#0", "l#1", V))
    yield case("one_result_unused", [V, V], [V],
        loop("l", 3, [("a", "x0", V), ("b", "x1", V)], "\n".join([multiply("t", "a", "a", V), multiply("u", "b", "x0", V)]), ["t", "u"]), multiply("y0", "l#0", "x1", V))
    yield case("carried_unchanged", [V, V], [V, V],
        loop("l", 3, [("a", "x0", V), ("b", "x1", V)], multiply("t", "a", "b", V), ["t", "b"]),
        multiply("y0", "l#0", "l#0", V), multiply("y1", "l#1", "l#1", V))
    # What the loop begins with matters to the first iteration alone.
    yield case("replaced", [V, V], [V, V],
        f"  %e = arith.constant dense<1.0> : {tensor(V)}",
        loop("l", 3, [("a", "x0", V), ("b", "e", V)], multiply("t", "a", "b", V), ["x1", "t"]),
        multiply("y0", "l#0", "l#0", V), multiply("y1", "l#1", "l#1", V))
    integers = f"""  %e = tensor.empty() : {tensor(V, "i64")}
  %o = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}} ins(%n : {tensor(V, "i64")}) outs(%e : {tensor(V, "i64")}) {{
  ^bb0(%a: i64, %out: i64):
    %k = arith.index_cast %i : index to i64
    %r = arith.addi %a, %k : i64
    linalg.yield %r : i64
  }} -> {tensor(V, "i64")}
  %g = tensor.empty() : {tensor(V)}
  %t = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}} ins(%h, %o : {tensor(V)}, {tensor(V, "i64")}) outs(%g : {tensor(V)}) {{
  ^bb0(%a: f64, %b: i64, %out: f64):
    %f = arith.sitofp %b : i64 to f64
    %r = arith.mulf %a, %f : f64
    linalg.yield %r : f64
  }} -> {tensor(V)}"""
    yield case("carries_integers", [V], [V],
        f"  %n0 = arith.constant dense<1> : {tensor(V, 'i64')}",
        loop("l", 4, [("n", "n0", tensor(V, "i64")), ("h", "x0", V)], integers, ["o", "t"]), multiply("y0", "l#1", "x0", V))
    in_place = [row("x", "a", "i", (4, 3)), multiply("t", "x", "h", V), put("b", "t", "a", "i", (4, 3))]
    yield case("updates_in_place", [(4, 3), V], [(4, 3), V],
        loop("l", 4, [("a", "x0", (4, 3)), ("h", "x1", V)], "\n".join(in_place), ["b", "t"]),
        multiply("y0", "l#0", "l#0", (4, 3)), multiply("y1", "l#1", "l#1", V))
    largest = generic("m", [("h", (2, 3))], (2,), ["d0, d1", "d0"], "pr", "%r = arith.maximumf %a, %out : f64", float("-inf"))
    rows = ["d0, d1", "d0", "d0, d1"]
    softmax = [largest,
        generic("e", [("h", (2, 3)), ("m", (2,))], (2, 3), rows, "pp", "%d = arith.subf %a, %b : f64\n    %r = math.exp %d : f64"),
        generic("z", [("e", (2, 3))], (2,), ["d0, d1", "d0"], "pr", SUM, 0.0),
        generic("s", [("e", (2, 3)), ("z", (2,)), ("x1", (2, 3))], (2, 3), [rows[0], rows[1], rows[0], rows[0]], "pp", "%q = arith.divf %a, %b : f64\n    %r = arith.mulf %q, %c : f64")]
    yield case("softmax_in_a_loop", [(2, 3), (2, 3)], [(2, 3)], loop("y0", 3, [("h", "x0", (2, 3))], "\n".join(softmax), ["s"]))
    inner = [row("w", "v", "j", (2, 3)), pointwise("u", ["g", "w"], V, TANH), multiply("q", "u", "h", V)]
    nested = [row("v", "x0", "i", (3, 2, 3)), loop("n", 2, [("g", "h", V)], "\n".join(inner), ["q"], "j"), multiply("t", "n", "h", V)]
    yield case("loop_in_a_loop", [(3, 2, 3), V], [V], loop("y0", 3, [("h", "x1", V)], "\n".join(nested), ["t"]))
    innermost = loop("o", 2, [("f", "g", V)], multiply("p", "f", "x1", V), ["p"], "k")
    yield case("three_loops", [V, V], [V], loop("y0", 2, [("h", "x0", V)],
        loop("n", 3, [("g", "h", V)], "\n".join([innermost, pointwise("q", ["o", "h"], V, TANH)]), ["q"], "j"), ["n"]))
    reshaped = ["  %f = tensor.expand_shape %h [[0, 1]] output_shape [3, 1] : tensor<3xf64> into tensor<3x1xf64>",
        multiply("t", "f", "f", (3, 1)), "  %g = tensor.collapse_shape %t [[0, 1]] : tensor<3x1xf64> into tensor<3xf64>", multiply("u", "g", "x1", V)]
    yield case("reshapes_in_a_loop", [V, V], [V], loop("y0", 3, [("h", "x0", V)], "\n".join(reshaped), ["u"]))
    slices = ["  %s = tensor.extract_slice %h[1] [2] [1] : tensor<3xf64> to tensor<2xf64>", multiply("t", "s", "s", (2,)),
        "  %p = tensor.insert_slice %t into %x1[0] [2] [1] : tensor<2xf64> into tensor<3xf64>", multiply("u", "p", "h", V)]
    yield case("slices_in_a_loop", [V, V], [V], loop("y0", 3, [("h", "x0", V)], "\n".join(slices), ["u"]))


def branch_cases():
    positive = "  %s = tensor.extract %x0[%c0] : tensor<3xf64>\n  %zero = arith.constant 0.0 : f64\n  %c = arith.cmpf ogt, %s, %zero : f64"
    both = branch("y0", "c", V, pointwise("t", ["x0", "x1"], V, TANH), "t", multiply("u", "x1", "x1", V) + "\n" + multiply("v", "u", "x1", V), "v")
    for name, low, high in (("then", 0.1, 2.0), ("else", -2.0, -0.1)):
        yield case(f"branch_{name}", [V, V], [V], positive, both, domains=[(low, high), (-2.0, 2.0)])
        yield case(f"branch_gives_what_is_outside_{name}", [V, V], [V], positive,
            branch("b", "c", V, "", "x1", multiply("u", "x1", "x0", V), "u"), multiply("y0", "b", "b", V), domains=[(low, high), (-2.0, 2.0)])
    first = "  %c = arith.cmpi ult, %i, %c2 : index"
    in_loop = [first, row("w", "x1", "i", (4, 3)),
        branch("b", "c", V, pointwise("t", ["h", "w"], V, TANH) + "\n" + multiply("t2", "t", "t", V), "t2", row("v", "x1", "i", (4, 3)) + "\n" + multiply("u", "h", "v", V), "u")]
    yield case("branch_in_a_loop", [V, (4, 3)], [V], loop("y0", 4, [("h", "x0", V)], "\n".join(in_loop), ["b"]))
    on_carried = ["  %s = tensor.extract %h[%c1] : tensor<3xf64>\n  %zero = arith.constant 0.25 : f64\n  %c = arith.cmpf ogt, %s, %zero : f64",
        branch("b", "c", V, multiply("t", "h", "h", V), "t", multiply("u", "h", "x1", V), "u")]
    yield case("branch_on_what_is_carried", [V, V], [V], loop("y0", 3, [("h", "x0", V)], "\n".join(on_carried), ["b"]), domains=[(0.4, 0.6), (0.9, 1.5)])
    yield case("loop_in_a_branch", [V, V], [V], positive,
        branch("y0", "c", V, loop("l", 3, [("h", "x0", V)], multiply("t", "h", "x1", V), ["t"]), "l", "", "x1"), domains=[(0.1, 2.0), (-2.0, 2.0)])
    yield case("branch_in_a_branch", [V, V], [V], positive, "  %one = arith.constant 1.0 : f64\n  %d = arith.cmpf ogt, %s, %one : f64",
        branch("y0", "c", V, multiply("t", "x0", "x1", V) + "\n" + branch("n", "d", V, multiply("o", "t", "t", V), "o", "", "t"), "n", "", "x1"), domains=[(1.1, 2.0), (-2.0, 2.0)])
    # A scalar that is read from a carried tensor inside of the loop.
    scalar = ["  %s = tensor.extract %h[%c1] : tensor<3xf64>", "  %q = math.sin %s : f64", "  %f = tensor.splat %q : tensor<3xf64>", multiply("t", "f", "h", V)]
    yield case("scalar_in_a_loop", [V], [V], loop("y0", 3, [("h", "x0", V)], "\n".join(scalar), ["t"]))


def every_case():
    return [*loop_cases(), *branch_cases()]
