#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares gradients of tp-differentiate with finite differences, in f64, on one device.

The functions of cases.py and control_flow_cases.py are differentiated by tpc-opt, lowered by upstream passes alone and called through
ctypes: neither planner nor runtime takes part. For every element of every input the derivative of
L = sum(dy * f(x)) is compared with a central difference. With step h = 2^-17 its error is about h^2 |f'''| / 6
(6e-11 for the functions here, whose third derivatives stay below 10) plus 1e-16 / h (1e-11): the tolerance is
2e-8 relative. Values at kinks, where no difference converges, are given exactly.
"""

import ctypes
import itertools
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile

import cases
import control_flow_cases

STEP = 2.0**-17
TOLERANCE = 2e-8

LOWERING = [
    "--allow-unregistered-dialect",
    "--empty-tensor-to-alloc-tensor",
    "--one-shot-bufferize=bufferize-function-boundaries allow-return-allocs-from-loops function-boundary-type-conversion=identity-layout-map",
    "--buffer-results-to-out-params=modify-public-functions",
    "--convert-linalg-to-loops",
    "--expand-strided-metadata",
    "--lower-affine",
    "--math-expand-ops=ops=rsqrt,fpowi,clampf,ceilf,roundeven,exp2f",
    "--convert-scf-to-cf",
    "--llvm-request-c-wrappers",
    "--convert-math-to-llvm",
    "--convert-math-to-libm",
    "--finalize-memref-to-llvm",
    "--convert-arith-to-llvm",
    "--convert-index-to-llvm",
    "--convert-cf-to-llvm",
    "--convert-func-to-llvm",
    "--reconcile-unrealized-casts",
]


def run(command, text):
    result = subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True)
    if result.returncode:
        sys.exit(f"{command[0]} failed")
    return result.stdout


def build(text, folder):
    """The functions of `text` as a loaded library."""
    text = run(["tpc-opt", "--tp-differentiate", "--cse"], text)
    text = run(["mlir-opt", *LOWERING], text)
    text = run(["mlir-translate", "--mlir-to-llvmir"], text)
    objects, library = os.path.join(folder, "f.o"), os.path.join(folder, "f.so")
    run(["llc", "-O1", "--filetype=obj", "--relocation-model=pic", "-o", objects, "-"], text)
    # Copies between strided buffers are a call into MLIR's own support library.
    libraries = os.path.join(os.path.dirname(os.path.realpath(shutil.which("mlir-opt"))), os.pardir, "lib")
    support = ["-L" + libraries, "-Wl,-rpath," + libraries, "-lmlir_c_runner_utils"]
    subprocess.run(["cc", "-shared", "-o", library, objects, *support, "-lm"], check=True)
    return ctypes.CDLL(library)


class Tensor:
    """A memref descriptor and the buffer behind it."""

    def __init__(self, shape, values=None):
        size = math.prod(shape)
        self.buffer = (ctypes.c_double * max(size, 1))(*(values or []))
        self.size = size
        address = ctypes.addressof(self.buffer)
        strides = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
        self.descriptor = (ctypes.c_int64 * (3 + 2 * len(shape)))(address, address, 0, *shape, *strides)

    def values(self):
        return list(self.buffer[: self.size])


def call(library, case, inputs, seeds):
    """Values of the results and of the gradients."""
    arguments = [Tensor(s, v) for s, v in zip(case.inputs, inputs)]
    if not case.is_scalar_loss():
        arguments += [Tensor(s, v) for s, v in zip(case.results, seeds)]
    outputs = [Tensor(s) for s in itertools.chain(case.results, case.inputs)]
    function = getattr(library, "_mlir_ciface_case_" + case.name)
    function(*[ctypes.byref(tensor.descriptor) for tensor in arguments + outputs])
    values = [tensor.values() for tensor in outputs]
    return values[: len(case.results)], values[len(case.results) :]


def close(got, expected):
    return abs(got - expected) <= TOLERANCE * max(1.0, abs(expected))


def check(library, case):
    """The messages about one case: none when it passes."""
    draw = random.Random(case.name)
    inputs = [case.draw(draw, number, math.prod(shape)) for number, shape in enumerate(case.inputs)]
    seeds = [[draw.uniform(0.5, 2.0) for _ in range(math.prod(shape))] for shape in case.results]
    if case.expected is not None or case.is_scalar_loss():
        seeds = [[1.0] * math.prod(shape) for shape in case.results]

    def loss(point):
        results, _ = call(library, case, point, seeds)
        return sum(s * r for seed, result in zip(seeds, results) for s, r in zip(seed, result))

    _, gradients = call(library, case, inputs, seeds)
    for number, gradient in enumerate(gradients):
        for i, got in enumerate(gradient):
            value = inputs[number][i]
            if case.expected is not None:
                expected = case.expected[number][i]
            else:
                ends = []
                for step in (STEP, -STEP):
                    inputs[number][i] = value + step
                    ends.append(loss(inputs))
                inputs[number][i] = value
                expected = (ends[0] - ends[1]) / (2 * STEP)
            if not close(got, expected):
                yield f"{case.name}: input {number} element {i} at {value!r}: expected {expected!r}, got {got!r}"


def main():
    every = [*cases.every_case(), *control_flow_cases.every_case()]
    with tempfile.TemporaryDirectory() as folder:
        library = build("\n".join(case.text for case in every), folder)
        failures = [message for case in every for message in check(library, case)]
    print("\n".join(failures))
    print(f"{len(every)} functions, {len(failures)} wrong elements")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
