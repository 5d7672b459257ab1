#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Places small operations in every way and compares the verifier with what running them on all ranks gives.

  enumerate_placements.py --mesh tp=2 --work DIR [--only NAME,...] [--verbose]

Each way to place the operands and the result of an operation is one function. `tpc-opt --tp-verify-placements` says
which of them mean what they say; `tpc-opt --tp-simulate`, which knows no rule, which of them do. What the verifier
accepts must agree in the simulation for all seeds. What it refuses although it agrees must, on one axis, be so for one
of the reasons below. On several axes only sums are tried, and only what is accepted is simulated, with one seed.
"""

import argparse
import itertools
import os
import re
import subprocess
import sys

from small_operations import OPERATIONS

SEEDS = (1, 2, 3)


def placements(rank, partials, axes):
    """All placements of a tensor of `rank` dims: tuples of (axis, state) in nesting order, replicated axes left out."""
    states = [f"S({dim})" for dim in range(rank)]
    found = []
    for kind in partials:
        for choice in itertools.product(["R", *states, f"P({kind})"], repeat=len(axes)):
            entries = [(a, s) for a, s in zip(axes, choice) if s != "R"]
            for order in itertools.permutations(entries):
                # The order matters between shards of one dim only.
                shards = [s for _, s in order if s[0] == "S"]
                if order == tuple(entries) or len(set(shards)) < len(shards):
                    found.append(order)
    return list(dict.fromkeys(found))


def kinds(operation, element):
    """Of partials. Floats are joined neither by `and` nor by `or`."""
    return [k for k in operation.partials if k not in ("and", "or") or element[0] == "i"]


def ways(operation, axes):
    return itertools.product(
        *(
            placements(
                len(shape),
                kinds(operation, element) if len(axes) == 1 else ["sum"],
                axes,
            )
            for shape, element in [*operation.operands, operation.result]
        )
    )


def function(name, operation, way):
    """One line, so that the line number of an error says which one it is in."""
    types = []
    for (shape, element), placement in zip(
        [*operation.operands, operation.result], way
    ):
        dims = "".join(f"{length}x" for length in shape)
        entries = ", ".join(f"{axis}: {state}" for axis, state in placement)
        types.append(f"tensor<{dims}{element}, #tp.placement<@mesh, [{entries}]>>")
    arguments = ", ".join(
        f"%{chr(97 + number)}: {text}" for number, text in enumerate(types[:-1])
    )
    body = operation.text.format(*types[:-1], r=types[-1])
    return f"func.func @{name}({arguments}) -> {types[-1]} {{ {body} return %0 : {types[-1]} }}"


def errors(path, *options):
    """The text of the first error that the passes give in each line."""
    done = subprocess.run(
        ["tpc-opt", path, *options, "--mlir-print-op-on-diagnostic=false", "-o", os.devnull],
        capture_output=True,
        text=True,
    )
    found = {}
    for line, text in re.findall(
        re.escape(path) + r":(\d+):\d+: error: (.*)", done.stderr
    ):
        found.setdefault(int(line), text)
    if done.returncode != (1 if found else 0):
        sys.exit(done.stderr)
    return found


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


# Why the verifier refuses what agrees. `way` is the state per tensor on the only axis, `accepted` what is accepted of
# the operation.


def a_free_step_is_left_out(operation, way, accepted):
    """An operand is held in full where a shard of it, or the value at coordinate 0 alone, is wanted. To cut it is free,
    but it is an operation of its own: local shapes are those of the placements."""
    return any(
        other[-1] == way[-1]
        and all(one == state or state == "R" for state, one in zip(way[:-1], other))
        for other in accepted
    )


def sums_alone_pass_through(operation, way, accepted):
    """A maximum would pass through what is monotonous and a product through products, but a rule names sums only
    (Spec.md, section 4)."""
    return any(state[0] == "P" for state in way[:-1]) and any(
        state[0] == "P" and state != "P(sum)" for state in way
    )


def copies_join_to_themselves(operation, way, accepted):
    """The maximum of copies is the value itself, so a copy on every rank would be a partial. The algebra has one way
    to make a partial: coordinate 0 holds the value (Spec.md, section 2)."""
    return way[-1] in ("P(max)", "P(min)", "P(and)", "P(or)") and all(
        state == "R" for state in way[:-1]
    )


def the_number_is_special(operation, way, accepted):
    """Zeros multiply to zero, and infinities to infinity; only what is neutral for all numbers is free."""
    return operation.name in (
        "fill_with_zero",
        "constant_zero",
        "constant_infinity",
    ) and way in (("P(prod)",), ("P(sum)",))


def the_dim_is_cut_or_joined(operation, way, accepted):
    """A dim that is cut, padded, joined, or read through a composite index carries no factor (Spec.md, section 4);
    here the elements happen to lie where they are needed."""
    return operation.name in (
        "diagonal",
        "window_sum",
        "collapse",
        "collapse_uneven",
        "expand",
        "expand_uneven",
        "slice",
        "strided_slice",
        "insert",
        "insert_into_zeros",
        "pad_with_zeros",
        "pad_with_ones",
        "concat",
    ) and any(state[0] == "S" for state in way)


def the_integers_are_small(operation, way, accepted):
    """A sum of integers may wrap around where the sum of their conversions does not."""
    return operation.name == "from_integer" and way == ("P(sum)", "P(sum)")


def wider_than_a_bit(operation, way, accepted):
    """Reductions by `and` and `or` are recognised on i1 only."""
    return operation.name == "row_and" and way == ("S(1)", "P(and)")


def zeros_are_wanted_in_full(operation, way, accepted):
    """An insertion into zeros takes the zeros replicated, and has the type of them."""
    return operation.name == "insert_into_zeros" and way == ("P(sum)", "P(sum)")


REASONS = [
    a_free_step_is_left_out,
    copies_join_to_themselves,
    sums_alone_pass_through,
    the_number_is_special,
    the_dim_is_cut_or_joined,
    the_integers_are_small,
    wider_than_a_bit,
    zeros_are_wanted_in_full,
]


def on_one_axis(way):
    return tuple(placement[0][1] if placement else "R" for placement in way)


def describe(operation, way):
    texts = [", ".join(f"{a}: {s}" for a, s in placement) or "R" for placement in way]
    return f"{operation.name} {'; '.join(texts[:-1])} -> {texts[-1]}"


def judge(operation, cases, refused, differing, one_axis, verbose):
    """`cases` are (line, way). Prints what is accepted and why the rest is not; returns the number of wrong answers."""
    accepted = [way for line, way in cases if line not in refused]
    wrong, reasons = 0, {}
    for line, way in cases:
        if line not in refused and line in differing:
            wrong += 1
            print(f"WRONG: accepted {describe(operation, way)}: {differing[line]}")
        if line in refused and line not in differing and one_axis:
            states = [on_one_axis(other) for other in accepted]
            reason = next(
                (r for r in REASONS if r(operation, on_one_axis(way), states)), None
            )
            wrong += reason is None
            if reason:
                reasons.setdefault(reason.__name__, []).append(way)
            else:
                print(f"WRONG: refused {describe(operation, way)}: {refused[line]}")
    print(
        f"{operation.name}: {len(cases)} ways, {len(accepted)} accepted"
        + "".join(f"; {len(w)} refused: {r}" for r, w in sorted(reasons.items()))
    )
    if verbose:
        for reason, found in sorted(reasons.items()):
            for way in found:
                print(f"  {describe(operation, way)}: {reason}")
    return wrong


def check(mesh, args):
    axes = [part.split("=") for part in mesh.split(",")]
    names = [name for name, _ in axes]
    cases = [
        (operation, way)
        for operation in OPERATIONS
        if not args.only or operation.name in args.only
        for way in ways(operation, names)
    ]
    path = os.path.join(args.work, re.sub(r"\W", "", mesh) + ".mlir")
    sizes = ", ".join(f'"{name}" = {size}' for name, size in axes)
    lines = [f"tp.mesh @mesh [{sizes}]"]
    for number, (operation, way) in enumerate(cases):
        lines.append(function(f"{operation.name}_{number}", operation, way))
    write(path, lines)
    subprocess.run(["tpc-opt", path, "-o", os.devnull], check=True)
    refused = errors(path, "--tp-verify-placements")
    differing = {}
    # What is accepted may exchange data itself, and is simulated with what it exchanges.
    accepted = ["" if line in refused else text for line, text in enumerate(lines, 1)]
    for seed in SEEDS if len(axes) == 1 else SEEDS[:1]:
        simulate = f"--tp-simulate=exchange=false values=reals seed={seed}"
        write(path, accepted)
        differing.update(errors(path, "--tp-expand-data-movement", simulate))
        if len(axes) == 1:
            others = [
                text if line == 1 or line in refused else ""
                for line, text in enumerate(lines, 1)
            ]
            write(path, others)
            differing.update(errors(path, simulate))
    wrong = 0
    # The mesh has the first line.
    numbered = enumerate(cases, 2)
    for operation, group in itertools.groupby(numbered, lambda case: case[1][0]):
        own = [(line, way) for line, (_, way) in group]
        wrong += judge(
            operation, own, refused, differing, len(axes) == 1, args.verbose
        )
    print(f"{len(cases)} ways on {mesh}, {wrong} wrong")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mesh", required=True, metavar="NAME=SIZE,...")
    parser.add_argument("--work", required=True, metavar="DIR")
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument(
        "--verbose", action="store_true", help="list what is refused though it agrees"
    )
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    return 1 if check(args.mesh, args) else 0


if __name__ == "__main__":
    sys.exit(main())
