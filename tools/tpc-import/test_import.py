#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of tpc-import; needs torch, torch-mlir and safetensors. Run: .venv/bin/python tools/tpc-import/test_import.py"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = os.path.join(HERE, "..", "..", "test", "Models")
BAD = """
import torch, torch.nn as nn

class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))
    def forward(self, x):
        self.calls += 1
        return x + self.calls

class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.head = nn.Linear(3, 3, bias=False), nn.Linear(3, 3, bias=False)
        self.head.weight = self.embed.weight
        self.register_buffer("scale", torch.ones(3))
    def forward(self, x):
        return self.head(torch.relu(self.embed(x))) * self.scale

X = torch.ones(2, 3)
not_a_function = 3
def counter(): return Counter(), (X,)
def tied(): return Tied(), (X,)
def plain(): return (lambda a, b: (a * b).sum()), (X, X)
def two_results(): return (lambda a: (a + 1, a * 2)), (X,)
def no_tuple(): return Tied()
def no_tensor(): return Tied(), (X, 3)
def no_module(): return 3, (X,)
def short_names(): return Tied(), (X,), ["x", "y"]
def long_output_names(): return Tied(), (X,), ["x"], ["y", "z"]
def half(): return (lambda a, scale: a * scale + torch.arange(9.).reshape(3, 3)), (torch.ones(3, 3, dtype=torch.bfloat16), torch.tensor(2.0))
def norm(): return nn.GroupNorm(2, 6), (torch.ones(2, 6, 4),)
def scan(): return (lambda a: torch.cumsum(a, 0)), (X,)
def taken_name(): return Tied(), (X,), ["scale"]
def gelu(): return (lambda a: nn.functional.gelu(a, approximate="tanh")), (X,)
"""

JAX = """
import jax.numpy as jnp

def model(x, tree):
    return x * tree["layers"][0] + tree["layers"][1] * tree["b"]

X = jnp.ones((2, 3))
def good(): return model, (X, {"layers": [X, X], "b": X})
def no_array(): return model, ("text", {})
def no_function(): return 3, (X,)
def sort(): return (lambda x: jnp.sort(x)), (X,)
def fft(): return (lambda x: jnp.fft.fft(x).real), (X,)
"""


class Import(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.model = os.path.join(cls.folder.name, "bad.py")
        cls.jax_model = os.path.join(cls.folder.name, "jax_model.py")
        for path, text in ((cls.model, BAD), (cls.jax_model, JAX)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_import(self, function, *options, file=None, frontend="torch"):
        out = os.path.join(self.folder.name, "out.mlir")
        done = subprocess.run(
            [
                sys.executable,
                os.path.join(HERE, "tpc-import"),
                frontend,
                f"{file or self.model}:{function}",
                "-o",
                out,
                *options,
            ],
            capture_output=True,
            text=True,
        )
        text = ""
        if done.returncode == 0:
            with open(out, encoding="utf-8") as written:
                text = written.read()
        return done, text

    def names(self, text):
        line = next(line for line in text.splitlines() if "func.func" in line)
        return re.findall(r'tp\.name = "([^"]+)"(, tp\.param)?', line)

    def error(self, function, text, file=None, frontend="torch"):
        done, _ = self.run_import(function, file=file, frontend=frontend)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("tpc-import: error: " + text, done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_the_toy_is_what_is_checked_in(self):
        done, text = self.run_import("toy_loss", file=os.path.join(MODELS, "toy.py"))
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(MODELS, "toy_loss.mlir"), encoding="utf-8") as file:
            expected = file.read()
        # Without the first line, which names files and versions.
        self.assertEqual(text.split("\n", 1)[1], expected.split("\n", 1)[1])

    def test_arguments_and_locations_are_named(self):
        _, text = self.run_import("toy", file=os.path.join(MODELS, "toy.py"))
        p = ", tp.param"
        self.assertEqual(
            self.names(text),
            [
                ("x", ""),
                ("in_proj.weight", p),
                ("in_proj.bias", p),
                ("out_proj.weight", p),
                ("out_proj.bias", p),
                ("y", ""),
            ],
        )
        self.assertRegex(text, r'loc\("out_proj\.bias"\("toy\.py":\d+:0\)\)')
        self.assertNotIn('"/', text)

    def test_tied_weights_are_one_argument_and_buffers_are_no_parameters(self):
        _, text = self.run_import("tied")
        self.assertEqual(
            self.names(text),
            [("x", ""), ("embed.weight", ", tp.param"), ("scale", ""), ("y", "")],
        )

    def test_functions_and_several_results(self):
        self.assertEqual(
            self.names(self.run_import("plain")[1]), [("a", ""), ("b", ""), ("y", "")]
        )
        self.assertEqual(
            self.names(self.run_import("two_results")[1]),
            [("a", ""), ("y0", ""), ("y1", "")],
        )

    def test_options(self):
        weights, inputs = (
            os.path.join(self.folder.name, n)
            for n in ("w.safetensors", "i.safetensors")
        )
        _, text = self.run_import(
            "tied",
            "--weights",
            weights,
            "--inputs",
            inputs,
            "--name",
            "step",
            "--no-locations",
        )
        self.assertIn("func.func @step(", text)
        self.assertNotIn("loc(", text)
        from safetensors import safe_open

        with safe_open(weights, "pt") as file:
            self.assertEqual(sorted(file.keys()), ["embed.weight", "scale"])
        with safe_open(inputs, "pt") as file:
            self.assertEqual(sorted(file.keys()), ["embed.weight", "scale", "x"])

    def test_example_inputs_keep_shape_and_dtype(self):
        import torch
        from safetensors.torch import load_file

        path = os.path.join(self.folder.name, "half.safetensors")
        done, _ = self.run_import("half", "--inputs", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        saved = load_file(path)
        self.assertEqual(saved["a"].dtype, torch.bfloat16)
        self.assertEqual(saved["scale"].shape, ())

    def test_the_tanh_gelu_has_its_constant(self):
        done, text = self.run_import("gelu")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("math.tanh", text)
        self.assertIn("0.79788456", text)

    def test_names_of_constants_are_no_operations(self):
        done, text = self.run_import("norm")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("dialect_resources", text)

    def test_errors_say_what_to_change(self):
        self.error("counter", "the model changes 'calls' while it runs")
        self.error(
            "no_tuple",
            f"'{self.model}:no_tuple' must return (model, example_inputs[, input_names[, output_names]]), got Tied",
        )
        self.error(
            "no_tensor",
            f"example input 1 of '{self.model}:no_tensor': expected a tensor, got int",
        )
        self.error(
            "no_module",
            f"'{self.model}:no_module': expected a module or a function first, got int",
        )
        self.error(
            "short_names",
            f"'{self.model}:short_names': expected 1 input names, got 2: x, y",
        )
        self.error("long_output_names", "expected 1 output names, got 2: y, z")
        self.error("taken_name", "several arguments are named scale")
        self.error(
            "missing", "'bad.py' has no function 'missing'; it has: counter, tied"
        )
        self.error("not_a_function", "'bad.py' has no function 'not_a_function'")
        self.error("toy", "no such file: 'nowhere.py'", file="nowhere.py")
        self.error("3x", f"expected FILE.py:FUNCTION, got '{self.model}:3x'")

    def test_jax_trees_are_parameters(self):
        inputs = os.path.join(self.folder.name, "j.safetensors")
        done, text = self.run_import(
            "good", "--inputs", inputs, file=self.jax_model, frontend="jax"
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        p = ", tp.param"
        self.assertEqual(
            self.names(text),
            [("x", ""), ("b", p), ("layers.0", p), ("layers.1", p), ("y", "")],
        )
        self.assertRegex(text, r'loc\("jax_model\.py":\d+')
        self.assertNotIn('"/', text)
        from safetensors import safe_open

        with safe_open(inputs, "np") as file:
            self.assertEqual(sorted(file.keys()), ["b", "layers.0", "layers.1", "x"])
        _, text = self.run_import(
            "good", "--no-locations", file=self.jax_model, frontend="jax"
        )
        self.assertNotIn("loc(", text)

    def test_jax_errors_say_what_to_change(self):
        for function, text in (
            ("no_array", "example input 'x': expected arrays, got str"),
            (
                "no_function",
                f"'{self.jax_model}:no_function': expected a function first, got int",
            ),
            ("fft", "iree-opt could not lower the model:"),
            (
                "sort",
                "the model uses operations that have no form in linalg on tensors: iree_linalg_ext.sort",
            ),
        ):
            self.error(function, text, file=self.jax_model, frontend="jax")

    def test_a_python_without_torch_says_what_is_missing(self):
        done = subprocess.run(
            [
                sys.executable,
                "-S",
                os.path.join(HERE, "tpc-import"),
                "torch",
                "a.py:f",
                "-o",
                "a.mlir",
            ],
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn(
            "No module named 'torch'; run this with a Python that has torch and torch-mlir",
            done.stderr,
        )


if __name__ == "__main__":
    unittest.main()
