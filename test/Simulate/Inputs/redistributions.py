#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes one function for each change between two placements of a small tensor, on the mesh and of the shape given.

  redistributions.py dp=2,tp=3 5x4 > out.mlir
"""

import itertools
import sys


def placements(axes, rank):
    """All placements, partials being sums, in all nesting orders."""
    states = ["R", *(f"S({dim})" for dim in range(rank)), "P(sum)"]
    found = {}
    for choice in itertools.product(states, repeat=len(axes)):
        entries = [f"{a}: {s}" for a, s in zip(axes, choice) if s != "R"]
        nested = len(set(choice)) == 1 and choice[0][0] == "S"
        for order in itertools.permutations(entries) if nested else [entries]:
            found[", ".join(order)] = None
    return list(found)


def main():
    mesh, shape = sys.argv[1:]
    axes = [part.split("=") for part in mesh.split(",")]
    sizes = ", ".join(f'"{name}" = {size}' for name, size in axes)
    print(f"tp.mesh @mesh [{sizes}]")
    ways = placements([name for name, _ in axes], len(shape.split("x")))
    for number, (one, other) in enumerate(itertools.permutations(ways, 2)):
        a, b = (
            f"tensor<{shape}xf32, #tp.placement<@mesh, [{p}]>>" for p in (one, other)
        )
        print(
            f"func.func @change_{number}(%x: {a}) -> {b} {{ %y = tp.redistribute %x : {a} -> {b} return %y : {b} }}"
        )


if __name__ == "__main__":
    main()
