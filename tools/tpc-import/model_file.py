# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads the user's model file and checks what its function returned: the part all frontends share."""

import importlib.util
import inspect
import os
import re
import sys

DIALECTS = ("arith", "cf", "complex", "func", "linalg", "math", "scf", "tensor")


class ImportFailure(Exception):
    """What the user did that cannot be imported; the text is the whole message."""


def load_function(spec):
    """The function that FILE.py:FUNCTION names, and the folder of the file."""
    path, colon, name = spec.rpartition(":")
    if not colon or not path or not name.isidentifier():
        raise ImportFailure(f"expected FILE.py:FUNCTION, got '{spec}'")
    path = os.path.realpath(path)
    if not os.path.isfile(path):
        raise ImportFailure(f"no such file: '{spec.rpartition(':')[0]}'")
    folder = os.path.dirname(path)
    sys.path.insert(0, folder)
    module_spec = importlib.util.spec_from_file_location("tpc_import_model", path)
    module = importlib.util.module_from_spec(module_spec)
    sys.modules["tpc_import_model"] = module
    module_spec.loader.exec_module(module)
    function = getattr(module, name, None)
    if not callable(function):
        defined = [
            n
            for n, v in vars(module).items()
            if inspect.isfunction(v) and v.__module__ == module.__name__
        ]
        raise ImportFailure(
            f"'{os.path.basename(path)}' has no function '{name}'; it has: {', '.join(defined) or 'none'}"
        )
    return function, folder


def shown_path(path, folder):
    """How a location names a file: relative to the model's folder, from its package on, or without its folder."""
    path = os.path.realpath(path)
    package = path.rpartition(os.sep + "site-packages" + os.sep)[2]
    if package != path:
        return package
    if path.startswith(folder + os.sep):
        return os.path.relpath(path, folder)
    return os.path.basename(path)


def unpack(spec, returned):
    """What FUNCTION returned as (model, inputs, input names or None, output names or None)."""
    if not isinstance(returned, tuple) or not 2 <= len(returned) <= 4:
        raise ImportFailure(
            f"'{spec}' must return (model, example_inputs[, input_names[, output_names]]), "
            f"got {type(returned).__name__}"
            + (f" of {len(returned)}" if isinstance(returned, tuple) else "")
        )
    return returned + (None,) * (4 - len(returned))


def parameter_names(function, count):
    """The names of the first `count` positional parameters of a Python function."""
    return [
        p.name
        for p in inspect.signature(function).parameters.values()
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ][:count]


def check_input_names(spec, names, count):
    if len(names) != count:
        raise ImportFailure(
            f"'{spec}': expected {count} input names, "
            f"got {len(names)}: {', '.join(names)}"
        )
    return list(names)


def check_distinct(names):
    repeated = {n for n in names if names.count(n) > 1}
    if repeated:
        raise ImportFailure(
            f"several arguments are named {', '.join(sorted(repeated))}; give other input names"
        )


def default_output_names(names, count):
    if names is None:
        return ["y"] if count == 1 else [f"y{i}" for i in range(count)]
    if len(names) != count:
        raise ImportFailure(
            f"expected {count} output names, got {len(names)}: {', '.join(names)}"
        )
    return list(names)


def check_operations(text):
    """Refuses what the frontend's importer left in a dialect of its own: tpc would not even parse it."""
    # Behind the program come the values of large constants, under names with dots.
    text = text.split("\n{-#", 1)[0]
    found = re.findall(r'^ *(?:%[^=]* = )?"?(\w+)\.(\w+)', text, flags=re.MULTILINE)
    foreign = sorted({f"{d}.{op}" for d, op in found if d not in DIALECTS})
    if foreign:
        raise ImportFailure(
            f"the model uses operations that have no form in linalg on tensors: {', '.join(foreign)}"
        )


def write_module(args, text, version):
    """Writes the .mlir file, headed by the command that made it."""
    check_operations(text)
    with open(args.output, "w", encoding="utf-8") as file:
        file.write(
            f"// Made by: tpc-import {args.frontend} {os.path.basename(args.model)} "
            f"-o {os.path.basename(args.output)} ({version})\n{text}"
        )


def save_tensors(args, state, inputs, save_file):
    """Writes --weights (parameters and buffers) and --inputs (those and the example inputs); `save_file` takes tensors
    by name and a path."""
    for path, tensors in ((args.weights, state), (args.inputs, {**state, **inputs})):
        if path:
            save_file({n: tensors[n] for n in sorted(tensors)}, path)
