#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a file of random tensors in [-1, 1).

  random_inputs.py OUT.safetensors NAME=F64:6x4 ...
"""

import random
import sys

import tensorfile


def main():
    rng, tensors = random.Random(1), {}
    for word in sys.argv[2:]:
        name, _, kind = word.partition("=")
        kind, _, shape = kind.partition(":")
        shape = tuple(int(size) for size in shape.split("x"))
        values = [rng.uniform(-1, 1) for _ in range(tensorfile.count(shape))]
        tensors[name] = (kind, shape, values)
    tensorfile.write(sys.argv[1], tensors)


if __name__ == "__main__":
    main()
