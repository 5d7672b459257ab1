# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the sum of COUNT tensors, as one operation or as a chain of additions.

  many_operands.py one|chain COUNT
"""

import sys

TYPE = "tensor<64xf32>"
MAP = "affine_map<(d0) -> (d0)>"


def addition(result, operands):
    names = ["%%e%d" % i for i in range(len(operands))]
    print(
        '  %s = linalg.generic {indexing_maps = [%s], iterator_types = ["parallel"]} ins(%s : %s) outs(%%e : %s) {'
        % (
            result,
            ", ".join([MAP] * (len(operands) + 1)),
            ", ".join(operands),
            ", ".join([TYPE] * len(operands)),
            TYPE,
        )
    )
    print("  ^bb0(%s, %%o: f32):" % ", ".join(n + ": f32" for n in names))
    total = names[0]
    for number, name in enumerate(names[1:]):
        print("    %%s%d = arith.addf %s, %s : f32" % (number, total, name))
        total = "%%s%d" % number
    print("    linalg.yield %s : f32\n  } -> %s" % (total, TYPE))


form, count = sys.argv[1], int(sys.argv[2])
arguments = ["%%a%d" % i for i in range(count)]
print("func.func @forward(%s) -> %s {" % (", ".join(a + ": " + TYPE for a in arguments), TYPE))
print("  %%e = tensor.empty() : %s" % TYPE)
result = "%r"
if form == "one":
    addition(result, arguments)
else:
    last = arguments[0]
    for number, argument in enumerate(arguments[1:]):
        result = "%%r%d" % number
        addition(result, [last, argument])
        last = result
print("  return %s : %s\n}" % (result, TYPE))
