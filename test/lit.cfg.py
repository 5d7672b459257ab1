# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How lit finds and runs the tests of the compiler and the tools.

Substitutions: %models and %numeric are the folders of exported models and of
numeric checks, %python an interpreter, %torch_python the one that `./dev import`
makes, %cuda a CUDA toolkit. %mpirun and %torchrun launchers. Features: asan,
ubsan, tsan; torch-mlir, ptxas, mpirun and torchrun, when those are there.
cuda-sim, when the simulated CUDA device is built: `%simulated` before a command
makes all tpc-compile and tpc-run under it use that device. With
TPC_SIMULATED_DEVICE set, all tests that run compiled programs do, save those
that say UNSUPPORTED: simulated-device.
`%assembled`, with ptxas, makes every tpc-compile under a command compile for GPUs
too; with TPC_ASSEMBLED set all tests that run compiled programs do.
With TPC_VERIFY_ROUNDTRIP set, only tests that call tpc-opt run, and every call
also proves that its input prints and parses again.
"""

import os
import shutil
import subprocess
import sys

import lit.formats


sys.path.insert(0, os.path.dirname(__file__))
from lit_format import CallsTpcOpt, CallsTpcRun  # noqa: E402

verify_roundtrip = bool(os.environ.get("TPC_VERIFY_ROUNDTRIP"))

simulated_device = bool(os.environ.get("TPC_SIMULATED_DEVICE"))
assembled = bool(os.environ.get("TPC_ASSEMBLED"))
variant, test_format = "lit", lit.formats.ShTest
if verify_roundtrip:
    variant, test_format = "roundtrip", CallsTpcOpt
if simulated_device:
    variant, test_format = "simulated", CallsTpcRun
if assembled:
    variant, test_format = "assembled", CallsTpcRun

config.name = "tpc" if variant == "lit" else "tpc-" + variant
config.test_format = test_format(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "Models", "Unit", "lib", "bench"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(
    config.tpc_obj_root, "test", variant
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
config.substitutions.append(
    ("%runtime", os.path.join(config.tpc_obj_root, "lib", "libtpc_rt.so"))
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
# Launchers of several processes; torchrun comes with torch.
launchers = [("%mpirun", "mpirun"), ("%torchrun", "torchrun")]
launcher_path = os.pathsep.join([os.path.dirname(torch_python), os.environ["PATH"]])
for substitution, launcher in launchers:
    found = shutil.which(launcher, path=launcher_path)
    if found:
        config.substitutions.append((substitution, found))
        config.available_features.add(launcher)
# Where the compiler finds it, too.
cuda_paths = [
    os.environ.get("CUDA_HOME"),
    os.environ.get("CUDA_PATH"),
    os.path.dirname(os.path.dirname(shutil.which("ptxas") or "")),
    "/usr/local/cuda",
]
for cuda_path in filter(None, cuda_paths):
    if os.access(os.path.join(cuda_path, "bin", "ptxas"), os.X_OK):
        config.available_features.add("ptxas")
        config.substitutions.append(("%cuda", cuda_path))
        config.environment["CUDA_HOME"] = cuda_path
        break
if verify_roundtrip:
    config.substitutions.append(
        (r"(?<![\w./-])tpc-opt(?![\w./-])", "tpc-opt --verify-roundtrip")
    )

# Tools of the same names that use the simulated device stand in front.
simulator = os.path.join(config.tpc_obj_root, "lib", "simulator")
simulated_tools = os.path.join(config.test_source_root, "Device", "bin")
simulated_path = os.pathsep.join([simulated_tools, config.environment["PATH"]])
simulation = {
    "PATH": simulated_path,
    "TPC_BIN": os.path.join(config.tpc_obj_root, "bin"),
    "TPC_SIM_LIB": simulator,
}
if os.path.exists(os.path.join(simulator, "libcuda.so.1")) and os.path.exists(
    os.path.join(config.tpc_obj_root, "lib", "libtpc_rt_cuda.so")
):
    config.available_features.add("cuda-sim")
config.substitutions.append(
    ("%simulated", "env " + " ".join(f"{k}='{v}'" for k, v in simulation.items()))
)
config.substitutions.append(
    ("%libraries", os.path.join(config.tpc_obj_root, "lib"))
)
# One more that compiles for GPUs besides, and keeps a log.
assembly = {
    "PATH": os.pathsep.join(
        [
            os.path.join(config.test_source_root, "Target", "bin"),
            config.environment["PATH"],
        ]
    ),
    "TPC_BIN": os.path.join(config.tpc_obj_root, "bin"),
    "TPC_ASSEMBLED_LOG": os.path.join(config.test_exec_root, "kernels.log"),
}
config.substitutions.append(
    ("%assembled", "env " + " ".join(f"{k}='{v}'" for k, v in assembly.items()))
)
if assembled:
    config.environment.update(assembly)
if simulated_device:
    config.environment.update(simulation)
    config.available_features.add("simulated-device")

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
