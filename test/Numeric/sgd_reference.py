# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs and expected results of a model with an SGD update, from the recorded gradients of the model.

  sgd_reference.py MODEL RATE MOMENTUM OUT

MODEL.inputs.safetensors and MODEL.expected.safetensors are those of test/Models; written are OUT.inputs.safetensors,
with a momentum for each parameter, and OUT.expected.safetensors: results, new parameters and new momenta.
"""

import sys

import tensorfile


def main():
    model, rate, keep, out = (
        sys.argv[1],
        float(sys.argv[2]),
        float(sys.argv[3]),
        sys.argv[4],
    )
    inputs = tensorfile.read(model + ".inputs.safetensors")
    recorded = tensorfile.read(model + ".expected.safetensors")
    parameters = [n for n in inputs if "d" + n in recorded and "." in n]
    expected = {n: v for n, v in recorded.items() if not n.startswith("d")}
    for name in parameters:
        shape, old = inputs[name]
        gradient = recorded["d" + name][1]
        # Numbers of the size of the gradients, exact in f32.
        momentum = [((7 * i) % 11 - 5) / 1024 for i in range(len(old))]
        speed = [keep * m + g for m, g in zip(momentum, gradient)]
        inputs["momentum." + name] = (shape, momentum)
        expected["momentum." + name] = (shape, speed)
        expected[name] = (shape, [w - rate * s for w, s in zip(old, speed)])
    for kind, dtype, values in (("inputs", "F32", inputs), ("expected", "F64", expected)):
        tensorfile.write(
            f"{out}.{kind}.safetensors", {n: (dtype, *v) for n, v in values.items()}
        )


if __name__ == "__main__":
    main()
