# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX to linalg on tensors: jax.jit lowers to StableHLO, and IREE's importer lowers that. Works on the printed text,
because the two come with their own copies of MLIR."""

import os
import re
import shutil
import subprocess
import sys

from model_file import (
    ImportFailure,
    check_distinct,
    check_input_names,
    default_output_names,
    load_function,
    parameter_names,
    save_tensors,
    shown_path,
    unpack,
    write_module,
)

# One level of parentheses inside the location of an argument.
LOCATION = r" loc\((?:[^()]|\([^()]*\))*\)"


def key_name(key):
    """The part of a dotted name that a step into a tree of parameters gives."""
    for attribute in ("key", "idx", "name"):
        if hasattr(key, attribute):
            return str(getattr(key, attribute))
    return str(key)


def flatten(jax, names, inputs):
    """(name, is a parameter, array) of every leaf: an input that is a tree holds parameters, named by their path."""
    leaves = []
    for name, value in zip(names, inputs):
        for path, leaf in jax.tree_util.tree_flatten_with_path(value)[0]:
            if not hasattr(leaf, "shape"):
                raise ImportFailure(
                    f"example input '{name}': expected arrays, got {type(leaf).__name__}"
                )
            leaves.append((".".join(map(key_name, path)) or name, bool(path), leaf))
    return leaves


def find_iree_opt():
    beside = os.path.join(os.path.dirname(sys.executable), "iree-opt")
    tool = beside if os.path.exists(beside) else shutil.which("iree-opt")
    if not tool:
        raise ImportFailure(
            "iree-opt not found beside this Python or in PATH; install iree-base-compiler (see --help)"
        )
    return tool


def to_linalg(text):
    done = subprocess.run(
        [
            find_iree_opt(),
            "-",
            "--iree-stablehlo-input-transformation-pipeline",
            "--inline",
            "--symbol-dce",
            "-mlir-print-debuginfo",
        ],
        input=text,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise ImportFailure(
            f"iree-opt could not lower the model:\n{done.stderr.strip()}"
        )
    return done.stdout


def relative_paths(text, folder):
    """File names relative to the model's folder; those of libraries from their package on."""

    def replace(match):
        return f'loc("{shown_path(match.group(1), folder)}":'

    return re.sub(r'loc\("([^"]+)":', replace, text)


def annotate(text, name, leaves, output_names):
    """Renames the function and puts tp.name and tp.param on its arguments and results."""
    head, signature, rest = re.split(r"(\n *func\.func .*\n)", text, maxsplit=1)
    arguments, results = re.match(
        r"\n *func\.func (?:public )?@\w+\((.*)\) -> (.*) \{\n", signature
    ).groups()
    kinds = re.findall(r"%arg\d+: (tensor<[^<>]*>)", arguments)
    if len(kinds) != len(leaves):
        raise ImportFailure(
            f"expected {len(leaves)} arguments after lowering, got {len(kinds)}"
        )
    outputs = re.findall(r"tensor<[^<>]*>", results)
    output_names = default_output_names(output_names, len(outputs))
    arguments = ", ".join(
        f'%arg{i}: {kind} {{tp.name = "{leaf}"{", tp.param" if parameter else ""}}} loc("{leaf}")'
        for i, (kind, (leaf, parameter, _)) in enumerate(zip(kinds, leaves))
    )
    results = ", ".join(
        f'{kind} {{tp.name = "{n}"}}' for kind, n in zip(outputs, output_names)
    )
    return f"{head}\n  func.func @{name}({arguments}) -> ({results}) {{\n{rest}"


def without_locations(text):
    text = re.sub(r"^#loc\d* = .*\n", "", text, flags=re.MULTILINE)
    return re.sub(LOCATION, "", text)


def save_arrays(arrays, path):
    import numpy
    from safetensors.numpy import save_file

    save_file({n: numpy.asarray(v, order="C") for n, v in arrays.items()}, path)


def import_jax(args):
    try:
        import jax
    except ImportError as error:
        raise ImportFailure(
            f"{error}; run this with a Python that has jax and iree-base-compiler (see --help)"
        ) from error
    # The innermost frame of the user's code, without those of this program.
    jax.config.update("jax_traceback_in_locations_limit", 1)
    function, folder = load_function(args.model)
    model, inputs, input_names, output_names = unpack(args.model, function())
    if not callable(model):
        raise ImportFailure(
            f"'{args.model}': expected a function first, got {type(model).__name__}"
        )
    if input_names is None:
        input_names = parameter_names(model, len(inputs))
    input_names = check_input_names(args.model, input_names, len(inputs))
    leaves = flatten(jax, input_names, inputs)
    check_distinct([n for n, _, _ in leaves])
    lowered = jax.jit(model, keep_unused=True).lower(*inputs)
    text = to_linalg(lowered.as_text(debug_info=True))
    text = annotate(relative_paths(text, folder), args.name, leaves, output_names)
    if args.no_locations:
        text = without_locations(text)
    write_module(args, text, f"jax {jax.__version__}")
    save_tensors(
        args,
        {n: v for n, parameter, v in leaves if parameter},
        {n: v for n, parameter, v in leaves if not parameter},
        save_arrays,
    )
