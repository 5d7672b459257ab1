# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports every model of this folder and records what PyTorch computes for it in float64.

  .venv/bin/python test/Models/export.py [NAME...]

writes NAME.mlir with tpc-import, NAME.inputs.safetensors (example inputs, parameters, and for every result of floats
that is not a scalar its cotangent, named `d` + result, all in the model's dtype but for integers) and
NAME.expected.safetensors (results, and gradients with respect to every floating-point argument, named `d` + argument,
in float64 from the same inputs).
For one scalar result the cotangent is 1, and otherwise each result has one, as in the autodiff stage of tpc.
"""

import importlib
import os
import subprocess
import sys

import torch
from safetensors.torch import save_file

MODELS = {
    "toy": "toy",
    "toy_loss": "toy",
    "toy16": "toy",
    "toy16_loss": "toy",
    "toy128": "toy",
    "toy128_loss": "toy",
    "toy_f64": "toy",
    "toy_loss_f64": "toy",
    "swiglu": "projections",
    "qkv": "projections",
    "qkv_batched": "projections",
    "mlp_stack1": "mlp_stack",
    "mlp_stack3": "mlp_stack",
    "mlp_stack3_transposed": "mlp_stack",
    "mlp_stack3_narrow": "mlp_stack",
    "layernorm": "attention",
    "attention": "attention",
    "scalars": "scalars",
    "scalars_f64": "scalars",
    "reductions_f64": "scalars",
    "lookups": "lookups",
    "block": "block",
    "block_bf16": "block",
    "mlp_relu": "mlp_activations",
    "mlp_relu_bf16": "mlp_activations",
    "mlp_gelu": "mlp_activations",
    "mlp_gelu_bf16": "mlp_activations",
    "mlp_gelu_odd_bf16": "mlp_activations",
    "sdpa_causal_bf16": "sdpa",
    "sdpa_grouped_bf16": "sdpa",
    "attention_written_bf16": "sdpa",
    "attention_grouped_bf16": "sdpa",
    "language": "language",
}
HERE = os.path.dirname(os.path.abspath(__file__))
IMPORT = os.path.join(HERE, "..", "..", "tools", "tpc-import", "tpc-import")


def record(name, made):
    module, inputs, input_names, output_names = made
    state = (
        dict(module.named_parameters()) if isinstance(module, torch.nn.Module) else {}
    )
    arguments = {
        **dict(zip(input_names, inputs)),
        **{n: p.detach().clone() for n, p in state.items()},
    }
    doubled = {
        n: v.double().requires_grad_() if v.is_floating_point() else v
        for n, v in arguments.items()
    }
    xs = [doubled[n] for n in input_names]
    if isinstance(module, torch.nn.Module):
        results = torch.func.functional_call(
            module.double(), {n: doubled[n] for n in state}, tuple(xs)
        )
    else:
        results = module(*xs)
    results = dict(
        zip(output_names, results if isinstance(results, tuple) else (results,))
    )
    dtype = inputs[0].dtype
    torch.manual_seed(1000)
    cotangents = {}
    for n, v in results.items():
        if v.is_floating_point() and (len(results) > 1 or v.dim() > 0):
            cotangents["d" + n] = torch.randn(v.shape).to(dtype)
    total = sum(
        (v * cotangents["d" + n].double()).sum() if "d" + n in cotangents else v
        for n, v in results.items()
        if v.is_floating_point()
    )
    wanted = [n for n, v in doubled.items() if v.is_floating_point()]
    gradients = torch.autograd.grad(
        total, [doubled[n] for n in wanted], allow_unused=True
    )
    expected = {n: v.detach() for n, v in results.items()}
    for n, g in zip(wanted, gradients):
        expected["d" + n] = torch.zeros_like(doubled[n]) if g is None else g
    contiguous = lambda d: {n: d[n].contiguous().clone() for n in sorted(d)}
    save_file(
        contiguous({**arguments, **cotangents}),
        os.path.join(HERE, name + ".inputs.safetensors"),
    )
    save_file(contiguous(expected), os.path.join(HERE, name + ".expected.safetensors"))


def run_import(frontend, file, name):
    command = [IMPORT, frontend, f"{file}.py:{name}", "-o", f"{name}.mlir"]
    subprocess.run([sys.executable, *command], cwd=HERE, check=True)


def main():
    sys.path.insert(0, HERE)
    for name in sys.argv[1:] or [*MODELS, "toy_jax"]:
        if name == "toy_jax":
            # toy_loss in JAX: the inputs and references of that hold.
            run_import("jax", name, name)
        else:
            run_import("torch", MODELS[name], name)
            record(name, getattr(importlib.import_module(MODELS[name]), name)())
        print(name)


if __name__ == "__main__":
    main()
