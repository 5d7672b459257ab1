#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks who includes whom against the table below.

Prints file:line and the rule broken for each offence; exit status 1 if any.
The build enforces the same through library dependencies; this names the line.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
STAGES = [
    "Import",
    "Place",
    "Autodiff",
    "Plan",
    "Redistribute",
    "Partition",
    "Schedule",
    "Lower",
    "Target",
]
# Includes a layer may use beside its own: prefixes under tpc/.
ALLOWED = {
    "Support": [],
    "Dialect/TP": ["Support"],
    "Interfaces": ["Support", "Dialect/TP"],
    "Rules": ["Support", "Dialect/TP", "Interfaces"],
    **{stage: ["Support", "Dialect/TP", "Interfaces"] for stage in STAGES},
    "Pipeline": ["Support", "Dialect/TP", "Interfaces", "Rules", "InitAll.h"]
    + STAGES,
}
# Upstream dialects the lower layers may know; the others know all of them.
DIALECTS = {
    "Support": [],
    "Dialect/TP": ["Tensor"],
}
# Tools see the compiler through these.
TOOLS = {
    "tpc-opt": ["InitAll.h"],
    "tpc-lsp-server": ["InitAll.h"],
    "tpc-reduce": ["InitAll.h"],
    "tpc-compile": ["InitAll.h", "Pipeline", "Target", "Support", "Dialect/TP"],
    "tpc-run": [],
}
# The only file that the compiler and the runtime share.
SHARED = "tpc_rt/abi.def"

INCLUDE = re.compile(r'^\s*(?:#\s*)?include\s+["<]([^">]+)[">]')


def layer_of(path):
    """The layer a file belongs to, or None for files without rules."""
    parts = path.parts
    if parts[0] == "lib" or parts[:2] == ("include", "tpc"):
        rest = "/".join(parts[1 if parts[0] == "lib" else 2 :])
        for layer in ALLOWED:
            if rest.startswith(layer + "/"):
                return layer
    if parts[0] in ("runtime", "tools"):
        return "/".join(parts[:2]) if parts[0] == "tools" else "runtime"
    return None


def broken_rule(layer, include):
    """The rule that `layer` breaks with `include`, or None."""
    compiler = include.startswith(("tpc/", "mlir/", "mlir-c/", "llvm/", "llvm-c/"))
    tool = layer.removeprefix("tools/")
    if layer == "runtime" or tool == "tpc-run":
        return "includes nothing of the compiler" if compiler else None
    if include.startswith("tpc_rt/") and include != SHARED:
        return f"shares only {SHARED} with the runtime"
    if include.startswith("mlir/"):
        if layer == "Support":
            return "is free of MLIR"
        dialect = re.match(r"mlir/Dialect/([^/]+)/", include)
        if dialect and dialect[1] not in DIALECTS.get(layer, [dialect[1]]):
            return f"does not know the upstream dialect {dialect[1]}"
    if include.startswith("tpc/"):
        allowed = TOOLS.get(tool, []) if layer != tool else [layer] + ALLOWED[layer]
        target = include.removeprefix("tpc/")
        if not any(target == a or target.startswith(a + "/") for a in allowed):
            return "may include " + (", ".join(allowed) or "nothing") + " of tpc/"
    return None


def main():
    offences = 0
    for folder in ("include", "lib", "tools", "runtime"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".c", ".cu", ".td", ".def"):
                continue
            name = path.relative_to(ROOT)
            layer = layer_of(name)
            if layer is None:
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                include = INCLUDE.match(line)
                rule = include and broken_rule(layer, include[1])
                if rule:
                    offences += 1
                    print(f'{name}:{number}: includes "{include[1]}": {layer} {rule}')
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
