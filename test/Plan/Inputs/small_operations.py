# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small operations, each as a function of the placements of its operands and result.

An operation has the types of its operands (shape, element), those of its results, and the text of the program between
them: `{0}`, `{1}` are the placed types of the operands, `{r}` is that of the result, and %0 must be the result.
"""

from collections import namedtuple

Operation = namedtuple("Operation", "name operands result text partials")
SUM, ALL = ("sum",), ("sum", "max", "min", "prod")


def generic(types, maps, iterators, body, outs="%e"):
    """A linalg.generic of one result; `types` are those of inputs and result."""
    ins = ", ".join(f"%{chr(97 + i)}" for i in range(len(types) - 1))
    arguments = ", ".join(
        [f"%x{i}: {e}" for i, (_, e) in enumerate(types[:-1])] + [f"%o: {types[-1][1]}"]
    )
    inputs = (
        f"ins({ins} : {', '.join('{%d}' % i for i in range(len(types) - 1))}) "
        if ins
        else ""
    )
    return (
        f"%0 = linalg.generic {{{{indexing_maps = [{', '.join(f'affine_map<{m}>' for m in maps)}], "
        f"iterator_types = [{', '.join(chr(34) + i + chr(34) for i in iterators)}]}}}} {inputs}"
        f"outs({outs} : {{r}}) {{{{ ^bb0({arguments}): {body} }}}} -> {{r}}"
    )


EMPTY = "%e = tensor.empty() : {r} "


def filled(value, element="f32", to="%e"):
    typed = value if value in ("true", "false") else f"{value} : {element}"
    return f"%c = arith.constant {typed} %n = tensor.empty() : {{r}} {to} = linalg.fill ins(%c : {element}) outs(%n : {{r}}) -> {{r}} "


def elementwise(name, body, elements=("f32",), shape=(3, 4), to=None, partials=SUM):
    """`body` makes %y, of the element type of the last operand if not said, of %x0, %x1, ..."""
    to = to or elements[-1]
    dims = ", ".join(f"d{i}" for i in range(len(shape)))
    types = [(shape, e) for e in elements] + [(shape, to)]
    text = EMPTY + generic(
        types,
        [f"({dims}) -> ({dims})"] * len(types),
        ["parallel"] * len(shape),
        f"{body} linalg.yield %y : {to}",
    )
    return Operation(name, types[:-1], types[-1], text, partials)


def reduction(name, value, combine, element="f32", partials=ALL):
    """Reduces the rows of a 3x5 tensor."""
    types = [((3, 5), element), ((3,), element)]
    text = filled(value, element) + generic(
        types,
        ["(i, j) -> (i, j)", "(i, j) -> (i)"],
        ["parallel", "reduction"],
        f"%y = {combine} %x0, %o : {element} linalg.yield %y : {element}",
    )
    return Operation(name, types[:-1], types[-1], text, partials)


def moved(name, shapes, result, text, partials=("sum", "max")):
    return Operation(name, [(s, "f32") for s in shapes], (result, "f32"), text, partials)


def matmul(name, before, operands=((3, 5), (5, 4))):
    text = before + (
        "%0 = linalg.matmul ins(%a, %b : {0}, {1}) outs(%e : {r}) -> {r}"
    )
    return Operation(
        name, [(s, "f32") for s in operands], ((3, 4), "f32"), text, ("sum", "max")
    )


OPERATIONS = [
    elementwise("add", "%y = arith.addf %x0, %x1 : f32", ("f32", "f32"), partials=ALL),
    elementwise("subtract", "%y = arith.subf %x0, %x1 : f32", ("f32", "f32")),
    elementwise("multiply", "%y = arith.mulf %x0, %x1 : f32", ("f32", "f32"), partials=ALL),
    elementwise("divide", "%y = arith.divf %x0, %x1 : f32", ("f32", "f32")),
    elementwise("maximum", "%y = arith.maximumf %x0, %x1 : f32", ("f32", "f32"), partials=("sum", "max", "min")),
    elementwise("power", "%y = math.powf %x0, %x1 : f32", ("f32", "f32"), shape=(5,)),
    elementwise("negate", "%y = arith.negf %x0 : f32", partials=("sum", "max", "min")),
    elementwise("exponential", "%y = math.exp %x0 : f32", partials=("sum", "max", "prod")),
    elementwise("square", "%y = arith.mulf %x0, %x0 : f32", partials=("sum", "prod")),
    elementwise("double", "%y = arith.addf %x0, %x0 : f32", partials=("sum", "max")),
    elementwise("relu", "%z = arith.constant 0.0 : f32 %y = arith.maximumf %x0, %z : f32", partials=("sum", "max")),
    elementwise("add_one", "%z = arith.constant 1.0 : f32 %y = arith.addf %x0, %z : f32", partials=("sum", "max")),
    elementwise("add_zero", "%z = arith.constant 0.0 : f32 %y = arith.addf %x0, %z : f32"),
    elementwise("scale", "%z = arith.constant 2.5 : f32 %y = arith.mulf %x0, %z : f32", partials=ALL),
    elementwise("widen", "%y = arith.extf %x0 : f32 to f64", to="f64"),
    elementwise("to_integer", "%y = arith.fptosi %x0 : f32 to i32", to="i32"),
    elementwise("from_integer", "%y = arith.sitofp %x0 : i32 to f32", ("i32",), to="f32"),
    elementwise("add_integers", "%y = arith.addi %x0, %x1 : i32", ("i32", "i32"), partials=("sum", "or")),
    elementwise("multiply_integers", "%y = arith.muli %x0, %x1 : i32", ("i32", "i32"), shape=(5,)),
    elementwise("or_integers", "%y = arith.ori %x0, %x1 : i32", ("i32", "i32"), shape=(5,), partials=("sum", "or", "and")),
    elementwise("select", "%y = arith.select %x0, %x1, %x2 : f32", ("i1", "f32", "f32")),
    elementwise("axpy", "%z = arith.mulf %x0, %x1 : f32 %y = arith.addf %z, %x2 : f32", ("f32", "f32", "f32"), shape=(5,)),
    elementwise("difference_of_products", "%z = arith.mulf %x0, %x1 : f32 %w = arith.mulf %x0, %x2 : f32 %y = arith.subf %z, %w : f32", ("f32", "f32", "f32"), shape=(5,)),
    elementwise("add_index", "%i = linalg.index 0 : index %k = arith.index_cast %i : index to i32 %f = arith.sitofp %k : i32 to f32 %y = arith.addf %x0, %f : f32"),
    elementwise("mask_by_index", "%i = linalg.index 1 : index %k = arith.constant 2 : index %b = arith.cmpi ult, %i, %k : index %z = arith.constant 0.0 : f32 %y = arith.select %b, %x0, %z : f32"),
    reduction("row_sum", "0.0", "arith.addf"),
    reduction("row_maximum", "0xFF800000", "arith.maximumf"),
    reduction("row_minimum", "0x7F800000", "arith.minimumf"),
    reduction("row_product", "1.0", "arith.mulf"),
    reduction("row_sum_of_integers", "0", "arith.addi", "i32", SUM),
    reduction("row_and", "-1", "arith.andi", "i32", ("sum", "and")),
    reduction("row_or_of_booleans", "false", "arith.ori", "i1", ("or",)),
    reduction("row_sum_from_one", "1.0", "arith.addf", partials=SUM),
    matmul("matmul", filled("0.0")),
    matmul("matmul_from_ones", filled("1.0")),
    Operation("matmul_onto", [((3, 5), "f32"), ((5, 4), "f32"), ((3, 4), "f32")], ((3, 4), "f32"),
              "%e = tensor.cast %c : {2} to {r} %0 = linalg.matmul ins(%a, %b : {0}, {1}) outs(%e : {r}) -> {r}", SUM),
    moved("broadcast", [(4,)], (3, 4), EMPTY + generic([((4,), "f32"), ((3, 4), "f32")], ["(i, j) -> (j)", "(i, j) -> (i, j)"], ["parallel"] * 2, "linalg.yield %x0 : f32")),
    moved("transpose", [(4, 3)], (3, 4), EMPTY + generic([((4, 3), "f32"), ((3, 4), "f32")], ["(i, j) -> (j, i)", "(i, j) -> (i, j)"], ["parallel"] * 2, "linalg.yield %x0 : f32")),
    moved("diagonal", [(5, 5)], (5,), EMPTY + generic([((5, 5), "f32"), ((5,), "f32")], ["(i) -> (i, i)", "(i) -> (i)"], ["parallel"], "linalg.yield %x0 : f32")),
    moved("first_row", [(3, 4)], (4,), EMPTY + generic([((3, 4), "f32"), ((4,), "f32")], ["(i) -> (0, i)", "(i) -> (i)"], ["parallel"], "linalg.yield %x0 : f32")),
    moved("window_sum", [(6,), (3,)], (4,), filled("0.0") + generic([((6,), "f32"), ((3,), "f32"), ((4,), "f32")], ["(i, k) -> (i + k)", "(i, k) -> (k)", "(i, k) -> (i)"], ["parallel", "reduction"], "%z = arith.mulf %x0, %x1 : f32 %y = arith.addf %o, %z : f32 linalg.yield %y : f32")),
    moved("cast", [(3, 4)], (3, 4), "%0 = tensor.cast %a : {0} to {r}"),
    moved("collapse", [(4, 3)], (12,), "%0 = tensor.collapse_shape %a [[0, 1]] : {0} into {r}"),
    moved("collapse_uneven", [(3, 4)], (12,), "%0 = tensor.collapse_shape %a [[0, 1]] : {0} into {r}"),
    moved("collapse_one", [(1, 5)], (5,), "%0 = tensor.collapse_shape %a [[0, 1]] : {0} into {r}"),
    moved("expand", [(12,)], (4, 3), "%0 = tensor.expand_shape %a [[0, 1]] output_shape [4, 3] : {0} into {r}"),
    moved("expand_uneven", [(12,)], (3, 4), "%0 = tensor.expand_shape %a [[0, 1]] output_shape [3, 4] : {0} into {r}"),
    moved("slice", [(4, 5)], (2, 5), "%0 = tensor.extract_slice %a[1, 0] [2, 5] [1, 1] : {0} to {r}"),
    moved("slice_of_one", [(4, 5)], (5,), "%0 = tensor.extract_slice %a[2, 0] [1, 5] [1, 1] : {0} to {r}"),
    moved("strided_slice", [(4, 5)], (2, 5), "%0 = tensor.extract_slice %a[0, 0] [2, 5] [2, 1] : {0} to {r}"),
    moved("insert", [(2, 5), (4, 5)], (4, 5), "%d = tensor.cast %b : {1} to {r} %0 = tensor.insert_slice %a into %d[1, 0] [2, 5] [1, 1] : {0} into {r}"),
    moved("insert_into_zeros", [(2, 5)], (4, 5), filled("0.0") + "%0 = tensor.insert_slice %a into %e[1, 0] [2, 5] [1, 1] : {0} into {r}"),
    moved("pad_with_zeros", [(3, 4)], (5, 4), "%z = arith.constant 0.0 : f32 %0 = tensor.pad %a low[1, 0] high[1, 0] {{ ^bb0(%i: index, %j: index): tensor.yield %z : f32 }} : {0} to {r}"),
    moved("pad_with_ones", [(3, 4)], (5, 4), "%z = arith.constant 1.0 : f32 %0 = tensor.pad %a low[1, 0] high[1, 0] {{ ^bb0(%i: index, %j: index): tensor.yield %z : f32 }} : {0} to {r}"),
    moved("concat", [(2, 3), (3, 3)], (5, 3), "%0 = tensor.concat dim(0) %a, %b : ({0}, {1}) -> {r}", SUM),
    moved("fill_with_zero", [], (3, 4), filled("0.0", to="%0"), ALL),
    moved("fill_with_one", [], (3, 4), filled("1.0", to="%0"), ALL),
    moved("splat_of_two", [], (3, 4), "%c = arith.constant 2.0 : f32 %0 = tensor.splat %c : {r}", ALL),
    moved("constant", [], (5,), "%0 = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : {r}", ALL),
    moved("constant_zero", [], (5,), "%0 = arith.constant dense<0.0> : {r}", ALL),
    moved("constant_infinity", [], (5,), "%0 = arith.constant dense<0x7F800000> : {r}", ALL),
    moved("iota", [], (5,), EMPTY + generic([((5,), "f32")], ["(i) -> (i)"], ["parallel"], "%i = linalg.index 0 : index %k = arith.index_cast %i : index to i32 %y = arith.sitofp %k : i32 to f32 linalg.yield %y : f32"), ALL),
    Operation("gather", [((5, 3), "f32"), ((4,), "i32")], ((4, 3), "f32"),
              "%0 = tp.gather %a[%b] maps [affine_map<(t, j)[i] -> (i, j)>, affine_map<(t, j) -> (t)>] : ({0}, {1}) -> {r}", ("sum", "max")),
    Operation("gather_pairs", [((3, 4), "f32"), ((5,), "i32"), ((5,), "i64")], ((5,), "f32"),
              "%0 = tp.gather %a[%b, %c] maps [affine_map<(t)[i, j] -> (i, j)>, affine_map<(t) -> (t)>, affine_map<(t) -> (t)>] : ({0}, {1}, {2}) -> {r}", SUM),
    Operation("scatter_into_zeros", [((4, 3), "f32"), ((4,), "i32")], ((5, 3), "f32"),
              filled("0.0") + "%0 = tp.scatter %a into %e[%b] maps [affine_map<(t, j)[i] -> (i, j)>, affine_map<(t, j) -> (t)>] : ({0}, {r}, {1}) -> {r}", ("sum", "max")),
    Operation("scatter", [((4,), "f32"), ((4,), "i32"), ((5,), "f32")], ((5,), "f32"),
              "%d = tensor.cast %c : {2} to {r} %0 = tp.scatter %a into %d[%b] maps [affine_map<(t)[i] -> (i)>, affine_map<(t) -> (t)>] : ({0}, {r}, {1}) -> {r}", SUM),
    Operation("cumulative_sum", [((5, 3), "f32")], ((5, 3), "f32"),
              "%i = tensor.cast %a : {0} to {r} %0 = tp.cumsum %i dim 0 : {r}", ("sum", "max")),
    Operation("reverse_exclusive_sum", [((5,), "f32")], ((5,), "f32"),
              "%i = tensor.cast %a : {0} to {r} %0 = tp.cumsum %i dim 0 reverse exclusive : {r}", SUM),
]
