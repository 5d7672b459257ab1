# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How lit finds and runs the tests of the compiler and the tools.

Substitutions: %models and %numeric are the folders of exported models and of
numeric checks, %python an interpreter, %torch_python the one that `./dev import`
makes. Features: asan, ubsan, tsan; torch-mlir, when that one is there.
With TPC_VERIFY_ROUNDTRIP set, only tests that call tpc-opt run, and every call
also proves that its input prints and parses again.
"""

import os
import subprocess
import sys

import lit.formats


sys.path.insert(0, os.path.dirname(__file__))
from lit_format import CallsTpcOpt  # noqa: E402

verify_roundtrip = bool(os.environ.get("TPC_VERIFY_ROUNDTRIP"))

config.name = "tpc-roundtrip" if verify_roundtrip else "tpc"
config.test_format = (CallsTpcOpt if verify_roundtrip else lit.formats.ShTest)(
    execute_external=False
)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "Models", "Unit", "lib", "bench"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(
    config.tpc_obj_root, "test", "roundtrip" if verify_roundtrip else "lit"
)

config.environment["PATH"] = os.pathsep.join(
    [
        os.path.join(config.tpc_obj_root, "bin"),
        config.llvm_tools_dir,
        config.environment["PATH"],
    ]
)
# Variables do not leak from one CHECK-LABEL block into the next.
config.environment["FILECHECK_OPTS"] = "-enable-var-scope"

config.substitutions.append(
    ("%models", os.path.join(config.test_source_root, "Models"))
)
config.substitutions.append(
    ("%numeric", os.path.join(config.test_source_root, "Numeric"))
)
config.substitutions.append(("%source", config.tpc_src_root))
config.substitutions.append(("%python", config.python))
torch_python = os.path.join(config.tpc_src_root, ".venv", "bin", "python")
if os.access(torch_python, os.X_OK):
    config.substitutions.append(("%torch_python", torch_python))
    # Finding the modules is fast, importing them is not.
    find = "from importlib.util import find_spec as f; exit(not (f('torch') and f('torch_mlir')))"
    if subprocess.call([torch_python, "-c", find]) == 0:
        config.available_features.add("torch-mlir")
if verify_roundtrip:
    config.substitutions.append(
        (r"(?<![\w./-])tpc-opt(?![\w./-])", "tpc-opt --verify-roundtrip")
    )

for name, feature in (
    ("address", "asan"),
    ("undefined", "ubsan"),
    ("thread", "tsan"),
):
    if name in config.sanitize.split(","):
        config.available_features.add(feature)
if config.sanitize:
    # The MLIR library is not instrumented: containers and arenas cross the border
    # without their annotations, and what it keeps to the end of the process is no
    # leak.
    config.environment["ASAN_OPTIONS"] = os.environ.get(
        "ASAN_OPTIONS", "detect_container_overflow=0:detect_leaks=0:allow_user_poisoning=0"
    )
    config.environment["UBSAN_OPTIONS"] = os.environ.get(
        "UBSAN_OPTIONS", "print_stacktrace=1"
    )
