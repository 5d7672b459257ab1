"""Programs that make one device kernel of every kind, for an element type and
a size: `programs(type, size)` gives pairs of a name and a function."""

FLOATS = ("f32", "f64", "bf16", "f16")
TYPES = FLOATS + ("i32", "i64", "i1")


def tensor(shape, type):
    return "tensor<%s>" % "x".join([str(n) for n in shape] + [type])


def dims(count):
    return ", ".join("d%d" % d for d in range(count))


class Function:
    """The text of a function that is written line by line."""

    def __init__(self, name, arguments, type):
        self.name, self.arguments, self.type = name, arguments, type
        self.lines, self.count = [], 0

    def add(self, text):
        self.count += 1
        name = "%%v%d" % self.count
        self.lines.append("  %s = %s" % (name, text))
        return name

    def empty(self, shape, type=None):
        return self.add("tensor.empty() : " + tensor(shape, type or self.type))

    def fill(self, shape, value, type=None):
        type = type or self.type
        scalar = self.add("arith.constant %s : %s" % (value, type))
        empty, whole = self.empty(shape, type), tensor(shape, type)
        return self.add("linalg.fill ins(%s : %s) outs(%s : %s) -> %s" % (scalar, type, empty, whole, whole))

    def generic(self, extents, kinds, inputs, output, body):
        """`inputs` and `output`: value, shape, map results (and type)."""
        operands = [(v, s, m, (t or [self.type])[0]) for v, s, m, *t in inputs + [output]]
        maps = ", ".join("affine_map<(%s) -> (%s)>" % (dims(len(extents)), m) for _, _, m, _ in operands)
        iterators = ", ".join('"reduction"' if k == "r" else '"parallel"' for k in kinds)
        types = [tensor(s, t) for _, s, _, t in operands]
        block = ", ".join("%%%s: %s" % (n, t) for n, (_, _, _, t) in zip("abcdefgh"[:len(inputs)] + "o", operands))
        ins = ", ".join(v for v, _, _, _ in operands[:-1])
        text = "linalg.generic {indexing_maps = [%s], iterator_types = [%s]} " % (maps, iterators)
        if inputs:
            text += "ins(%s : %s) " % (ins, ", ".join(types[:-1]))
        text += "outs(%s : %s) {\n  ^bb0(%s):\n" % (operands[-1][0], types[-1], block)
        text += "".join("    %s\n" % line for line in body)
        return self.add(text + "  } -> " + types[-1])

    def done(self, *results):
        values = ", ".join(v for v, _ in results)
        types = ", ".join(t for _, t in results)
        arguments = ", ".join("%%%s: %s" % (n, t) for n, t in self.arguments)
        return "func.func @%s(%s) -> (%s) {\n%s\n  return %s : %s\n}\n" % (
            self.name, arguments, types, "\n".join(self.lines), values, types)


def operation(type, float_name, int_name, bool_name):
    return float_name if type in FLOATS else bool_name if type == "i1" else int_name


def body_of(type, *operations):
    """Operations as (result, float, int, bool, operands), then the yield."""
    lines = ["%%%s = %s %s : %s" % (r, operation(type, f, i, b), o, type) for r, f, i, b, o in operations]
    return lines + ["linalg.yield %%%s : %s" % (operations[-1][0], type)]


def sum_body(type):
    return body_of(type, ("r", "arith.addf", "arith.addi", "arith.xori", "%o, %a"))


def max_body(type):
    return body_of(type, ("r", "arith.maximumf", "arith.maxsi", "arith.ori", "%o, %a"))


def zero(type):
    return "0.0" if type in FLOATS else "0"


def low(type):
    return {"f32": "0xFF800000", "f64": "0xFFF0000000000000", "f16": "0xFC00", "bf16": "0xFF80",
            "i1": "0", "i32": "-2147483648", "i64": "-9223372036854775808"}[type]


def elementwise(type, n):
    f = Function("elementwise", [("x", tensor([n], type)), ("y", tensor([n], type))], type)
    r = f.generic([n], "p", [("%x", [n], "d0"), ("%y", [n], "d0")], (f.empty([n]), [n], "d0"),
                  body_of(type, ("m", "arith.mulf", "arith.muli", "arith.andi", "%a, %b"),
                          ("r", "arith.addf", "arith.addi", "arith.xori", "%m, %a")))
    return f.done((r, tensor([n], type)))


def broadcast(type, n, m):
    f = Function("broadcast", [("x", tensor([n, m], type)), ("y", tensor([m], type)), ("z", tensor([n], type))], type)
    r = f.generic([n, m], "pp", [("%x", [n, m], "d0, d1"), ("%y", [m], "d1"), ("%z", [n], "d0")],
                  (f.empty([n, m]), [n, m], "d0, d1"),
                  body_of(type, ("m", "arith.mulf", "arith.muli", "arith.andi", "%a, %b"),
                          ("r", "arith.addf", "arith.addi", "arith.xori", "%m, %c")))
    return f.done((r, tensor([n, m], type)))


def transpose(type, n, m):
    f = Function("transpose", [("x", tensor([n, m], type)), ("y", tensor([m, n], type))], type)
    r = f.generic([m, n], "pp", [("%x", [n, m], "d1, d0"), ("%y", [m, n], "d0, d1")],
                  (f.empty([m, n]), [m, n], "d0, d1"),
                  body_of(type, ("r", "arith.addf", "arith.addi", "arith.xori", "%a, %b")))
    return f.done((r, tensor([m, n], type)))


def reduction(name, type, n, m, axis, body, start):
    kept, target = (m, "d1") if axis == 0 else (n, "d0")
    f = Function(name, [("x", tensor([n, m], type)), ("y", tensor([kept], type))], type)
    kinds = "rp" if axis == 0 else "pr"
    begin = "%y" if start is None else f.fill([kept], start)
    r = f.generic([n, m], kinds, [("%x", [n, m], "d0, d1")], (begin, [kept], target), body)
    return f.done((r, tensor([kept], type)))


def whole(type, n):
    f = Function("whole", [("x", tensor([n], type))], type)
    r = f.generic([n], "r", [("%x", [n], "d0")], (f.fill([], zero(type)), [], ""), sum_body(type))
    return f.done((r, tensor([], type)))


def softmax(type, rows, n):
    f = Function("softmax", [("x", tensor([rows, n], type))], type)
    x, full, row = [rows, n], "d0, d1", "d0"
    top = f.generic(x, "pr", [("%x", x, full)], (f.fill([rows], low(type)), [rows], row), max_body(type))
    powers = f.generic(x, "pp", [("%x", x, full), (top, [rows], row)], (f.empty(x), x, full),
                       ["%d = arith.subf %a, %b : " + type, "%r = math.exp %d : " + type, "linalg.yield %r : " + type])
    total = f.generic(x, "pr", [(powers, x, full)], (f.fill([rows], "0.0"), [rows], row), sum_body(type))
    r = f.generic(x, "pp", [(powers, x, full), (total, [rows], row)], (f.empty(x), x, full),
                  ["%r = arith.divf %a, %b : " + type, "linalg.yield %r : " + type])
    return f.done((r, tensor(x, type)))


def norm(type, rows, n):
    """Two results of a row, one of which an outer product needs."""
    f = Function("norm", [("x", tensor([rows, n], type)), ("g", tensor([n], type))], type)
    x, full, row = [rows, n], "d0, d1", "d0"
    squares = f.generic(x, "pr", [("%x", x, full)], (f.fill([rows], "0.0"), [rows], row),
                        ["%s = arith.mulf %a, %a : " + type, "%r = arith.addf %o, %s : " + type,
                         "linalg.yield %r : " + type])
    scale = f.generic([rows], "p", [(squares, [rows], row)], (f.empty([rows]), [rows], row),
                      ["%one = arith.constant 1.0 : " + type, "%s = arith.addf %a, %one : " + type,
                       "%q = math.sqrt %s : " + type, "%r = arith.divf %one, %q : " + type, "linalg.yield %r : " + type])
    r = f.generic(x, "pp", [("%x", x, full), (scale, [rows], row), ("%g", [n], "d1")], (f.empty(x), x, full),
                  ["%s = arith.mulf %a, %b : " + type, "%r = arith.mulf %s, %c : " + type, "linalg.yield %r : " + type])
    return f.done((r, tensor(x, type)), (scale, tensor([rows], type)))


def cumsum(name, type, n, m, dim, options):
    whole = tensor([n, m], type)
    f = Function(name, [("x", whole)], type)
    r = f.add("tp.cumsum %%x dim %d %s: %s" % (dim, options, whole))
    return f.done((r, whole))


def selection(name, type, n, m, axis, body):
    """A value and where it is, chosen by `body`."""
    kept, target = (m, "d1") if axis == 0 else (n, "d0")
    kinds = '"reduction", "parallel"' if axis == 0 else '"parallel", "reduction"'
    f = Function(name, [("x", tensor([n, m], type))], type)
    start, at = f.fill([kept], low(type)), f.fill([kept], "0", "i64")
    values, places = tensor([kept], type), tensor([kept], "i64")
    lines = ["%%i = linalg.index %d : index" % axis, "%j = arith.index_cast %i : index to i64"] + body
    f.lines.append(
        "  %%r:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (%s)>, "
        "affine_map<(d0, d1) -> (%s)>], iterator_types = [%s]} ins(%%x : %s) outs(%s, %s : %s, %s) {\n"
        "  ^bb0(%%a: %s, %%o: %s, %%p: i64):\n%s    linalg.yield %%v, %%w : %s, i64\n  } -> (%s, %s)" %
        (target, target, kinds, tensor([n, m], type), start, at, values, places, type, type,
         "".join("    %s\n" % line for line in lines), type, values, places))
    return f.done(("%r#0", values), ("%r#1", places))


def largest(type, n, m, axis=1):
    """The first of the greatest, as PyTorch has it."""
    compare = "arith.cmpf ogt" if type in FLOATS else "arith.cmpi sgt"
    return selection("largest" if axis else "largest_columns", type, n, m, axis, [
        "%%c = %s, %%a, %%o : %s" % (compare, type), "%%v = arith.select %%c, %%a, %%o : %s" % type,
        "%w = arith.select %c, %j, %p : i64"])


def first_of_largest(type, n, m):
    """The first of the greatest, or of the NaN, as JAX has it."""
    compare = ("arith.cmpf ogt", "arith.cmpf une", "arith.cmpf oeq") if type in FLOATS else (
        "arith.cmpi sgt", "arith.cmpi ne", "arith.cmpi eq")
    return selection("first_of_largest", type, n, m, 1, [
        "%%more = %s, %%o, %%a : %s" % (compare[0], type), "%%none = %s, %%o, %%o : %s" % (compare[1], type),
        "%keep = arith.ori %more, %none : i1", "%%same = %s, %%o, %%a : %s" % (compare[2], type),
        "%first = arith.cmpi slt, %p, %j : i64", "%tie = arith.andi %same, %first : i1",
        "%keeps = arith.ori %keep, %tie : i1", "%%v = arith.select %%keep, %%o, %%a : %s" % type,
        "%w = arith.select %keeps, %p, %j : i64"])


def mask(type, n, m):
    """Elements chosen by their place."""
    f = Function("mask", [("x", tensor([n, m], type))], type)
    r = f.generic([n, m], "pp", [("%x", [n, m], "d0, d1")], (f.empty([n, m]), [n, m], "d0, d1"),
                  ["%i = linalg.index 0 : index", "%j = linalg.index 1 : index",
                   "%c = arith.cmpi sge, %i, %j : index", "%z = arith.constant " + zero(type) + " : " + type,
                   "%r = arith.select %c, %a, %z : " + type, "linalg.yield %r : " + type])
    return f.done((r, tensor([n, m], type)))


def boxes(type, n, m):
    """Slices, joined and padded."""
    x = tensor([n, m], type)
    f = Function("boxes", [("x", x)], type)
    part = tensor([n, m - m // 2], type)
    left = f.add("tensor.extract_slice %%x[0, %d] [%d, %d] [1, 1] : %s to %s" % (m // 2, n, m - m // 2, x, part))
    both = tensor([n, 2 * m - m // 2], type)
    joined = f.add("tensor.concat dim(1) %s, %%x : (%s, %s) -> %s" % (left, part, x, both))
    scalar = f.add("arith.constant %s : %s" % (zero(type), type))
    wide = tensor([n + 3, 2 * m - m // 2], type)
    padded = f.add("tensor.pad %s low[1, 0] high[2, 0] {\n  ^bb0(%%i: index, %%j: index):\n    tensor.yield %s : %s\n"
                   "  } : %s to %s" % (joined, scalar, type, both, wide))
    return f.done((padded, wide))


def lookup(type, n, m):
    table, indices, rows = tensor([7, m], type), tensor([n], "i32"), tensor([n, m], type)
    f = Function("lookup", [("t", table), ("i", indices)], type)
    r = f.add("tp.gather %%t[%%i] maps [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1) -> (d0)>] : "
              "(%s, %s) -> %s" % (table, indices, rows))
    return f.done((r, rows))


def additions(type, n, m):
    table, indices, rows = tensor([7, m], type), tensor([n], "i32"), tensor([n, m], type)
    f = Function("additions", [("t", table), ("i", indices), ("x", rows)], type)
    r = f.add("tp.scatter %%x into %%t[%%i] maps [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1) -> (d0)>] "
              ": (%s, %s, %s) -> %s" % (rows, table, indices, table))
    return f.done((r, table))


def programs(type, n):
    """All that the type has, of sizes around `n`."""
    m = 33 if n > 33 else n
    rows = 64 if n < 8192 else 32
    yield elementwise(type, n)
    yield broadcast(type, m, n)
    yield broadcast(type, n, 8).replace("@broadcast", "@broadcast_vectors")
    yield transpose(type, n, m)
    yield reduction("row_sums", type, m, n, 1, sum_body(type), zero(type))
    yield reduction("row_sums_from", type, m, n, 1, sum_body(type), None)
    yield reduction("row_tops", type, m, n, 1, max_body(type), low(type))
    yield reduction("column_sums", type, n, m, 0, sum_body(type), zero(type))
    yield reduction("column_sums_from", type, n, m, 0, sum_body(type), None)
    yield reduction("column_tops", type, n, m, 0, max_body(type), low(type))
    yield whole(type, n)
    yield mask(type, m, n)
    yield boxes(type, m, n)
    yield lookup(type, n, m)
    yield lookup(type, n, 8).replace("@lookup", "@lookup_vectors")
    if type != "i1":
        yield additions(type, n, m)
        yield largest(type, m, n)
        yield largest(type, n, m, axis=0)
        yield first_of_largest(type, m, n)
        for name, options in (("cumsum", ""), ("cumsum_before", "exclusive "), ("cumsum_back", "reverse ")):
            yield cumsum(name, type, m, n, 1, options)
        yield cumsum("cumsum_columns", type, n, m, 0, "")
    if type in FLOATS:
        yield softmax(type, rows, n)
        yield norm(type, rows, n)


if __name__ == "__main__":
    # NAME|all TYPE SIZE: the text of that program, or of all.
    import sys

    wanted, element_type, size = sys.argv[1:]
    for text in programs(element_type, int(size)):
        if wanted == "all" or "@%s(" % wanted in text:
            print(text)
