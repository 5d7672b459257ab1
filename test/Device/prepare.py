#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a folder with all that run.sh needs on a machine with a GPU: the runtime, the artifacts, inputs and references.

  prepare.py [--build build] [--arch sm_90] [--small] DIR

Nothing is compiled on that machine, and it needs neither MLIR nor this source tree. --small makes few programs, and
benchmarks of sizes that the simulated device can run. The folder says in plan.json what is to be run; its size is printed, because
it may have to travel."""

import argparse
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
MODELS = os.path.join(ROOT, "test", "Models")

MEGATRON = [
    *("--place", "in_proj.*=tp:S(0)", "--place", "out_proj.weight=tp:S(1)"),
    *("--place", "out_proj.bias=R", "--place", "x=R"),
]
BLOCK = [
    *(
        "--place",
        "[qv].*=tp:S(0)",
        "--place",
        "k.weight=tp:S(0)",
        "--place",
        "up.*=tp:S(0)",
    ),
    *(
        "--place",
        "o.weight=tp:S(1)",
        "--place",
        "down.weight=tp:S(1)",
        "--place",
        "x=R",
    ),
]
STACK = [
    *(
        "--place",
        "*in_proj.weight=tp:S(0),dp:S(0)",
        "--place",
        "*out_proj.weight=tp:S(1),dp:S(0)",
    ),
    *(
        "--use",
        "*in_proj.weight=tp:S(0)",
        "--use",
        "*out_proj.weight=tp:S(1)",
        "--place",
        "x=dp:S(0)",
    ),
]
BF16 = ["--rtol", "1e-2", "--atol", "0.05"]
# Model, meshes, options, tolerances of check.py.
NUMERIC = [
    ("toy", ["tp=1", "tp=2", "tp=4"], MEGATRON, []),
    ("toy_loss", ["tp=1", "tp=2", "tp=4"], MEGATRON, []),
    ("swiglu", ["tp=1", "tp=2"], [], ["--rtol", "1e-4", "--atol", "1e-5"]),
    ("layernorm", ["tp=1", "tp=2"], [], ["--rtol", "1e-4", "--atol", "1e-5"]),
    ("attention", ["tp=1", "tp=2", "tp=4"], [], ["--rtol", "1e-4", "--atol", "1e-5"]),
    ("lookups", ["tp=1", "tp=2"], [], ["--rtol", "1e-4", "--atol", "1e-5"]),
    ("reductions_f64", ["tp=1", "tp=2"], [], []),
    ("mlp_stack3", ["dp=2,tp=2"], STACK, ["--rtol", "1e-4", "--atol", "1e-5"]),
    ("block", ["tp=1", "tp=2", "tp=4"], BLOCK, ["--rtol", "1e-4", "--atol", "1e-5"]),
    ("block_bf16", ["tp=1", "tp=2", "tp=4"], BLOCK, BF16),
]
# With attention in one call, where the folder has the library for it.
NUMERIC_FUSED = [("block_bf16", ["tp=1", "tp=2"], BLOCK, BF16)]

GEMM = """
func.func @gemm(%a: tensor<{m}x{k}x{t}>, %b: tensor<{k}x{n}x{t}>) -> tensor<{m}x{n}x{t}> {{
  %zero = arith.constant 0.0 : {t}
  %empty = tensor.empty() : tensor<{m}x{n}x{t}>
  %init = linalg.fill ins(%zero : {t}) outs(%empty : tensor<{m}x{n}x{t}>) -> tensor<{m}x{n}x{t}>
  %c = linalg.matmul ins(%a, %b : tensor<{m}x{k}x{t}>, tensor<{k}x{n}x{t}>) outs(%init : tensor<{m}x{n}x{t}>) -> tensor<{m}x{n}x{t}>
  return %c : tensor<{m}x{n}x{t}>
}}
"""
STREAM = """
#id = affine_map<(i) -> (i)>
func.func @stream(%a: tensor<{n}xf32>, %b: tensor<{n}xf32>) -> tensor<{n}xf32> {{
  %empty = tensor.empty() : tensor<{n}xf32>
  %c = linalg.generic {{indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}}
      ins(%a, %b : tensor<{n}xf32>, tensor<{n}xf32>) outs(%empty : tensor<{n}xf32>) {{
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  }} -> tensor<{n}xf32>
  return %c : tensor<{n}xf32>
}}
"""


def ranks(mesh):
    count = 1
    for axis in mesh.split(","):
        count *= int(axis.rpartition("=")[2])
    return count


class Folder:
    def __init__(self, args):
        self.args = args
        self.plan = {
            "arch": args.arch,
            # In parts: one that hangs costs its own time alone. The last one is all that the others leave.
            "conformance": (
                ["*Calls*"]
                if args.small
                else [
                    "*Calls*:*Collectives*",
                    "*Streams*:*Recordings*",
                    "-*Calls*:*Collectives*:*Streams*:*Recordings*",
                ]
            ),
            "numeric": [],
            "bench": [],
        }
        for name in ("bin", "lib", "artifacts", "data"):
            os.makedirs(os.path.join(args.folder, name), exist_ok=True)

    def path(self, *names):
        return os.path.join(self.args.folder, *names)

    def copy_runtime(self):
        for tool in ("tpc-run", "tpc-rt-conformance"):
            shutil.copy(os.path.join(self.args.build, "bin", tool), self.path("bin"))
        shutil.copy(os.path.join(HERE, "libraries.py"), self.path("bin"))
        own = os.path.join(self.args.build, "lib")
        for library in ("libtpc_rt.so", "libtpc_rt_cuda.so"):
            shutil.copy(os.path.join(own, library), self.path("lib"))
        # Attention in one call: where tpc was built with cuDNN. The simulated device brings its own.
        attention = os.path.join(own, "libtpc_rt_attention.so")
        self.has_attention = self.args.small or os.path.exists(attention)
        if os.path.exists(attention):
            shutil.copy(attention, self.path("lib"))
        self.copy_needed()

    def copy_needed(self):
        """What the runtime brings from this machine: oneDNN and what that needs, but neither the system's own libraries,
        in front of which others must not be, nor those of CUDA, which are too large."""
        system = ("libc.", "libm.", "libdl.", "librt.", "libpthread.", "ld-linux")
        system += ("libstdc++", "libgcc_s", "linux-vdso", "libtpc_rt")
        cuda = ("libcublas", "libcudnn", "libcudart", "libnvrtc", "libnvJitLink")
        for folder in ("bin", "lib"):
            for name in os.listdir(self.path(folder)):
                if name.endswith(".py"):
                    continue
                listed = subprocess.run(
                    ["ldd", self.path(folder, name)],
                    capture_output=True,
                    text=True,
                    check=True,
                    env={**os.environ, "LD_LIBRARY_PATH": self.path("lib")},
                ).stdout
                for line in listed.splitlines():
                    needed, _, target = line.strip().partition(" => ")
                    if needed.startswith((*system, *cuda)) or not target:
                        continue
                    if target.startswith("not found"):
                        sys.exit(f"prepare.py: {name} needs {needed}, which is not here")
                    if os.path.dirname(target.split(" (")[0]) != self.path("lib"):
                        shutil.copy(target.split(" (")[0], self.path("lib"))

    def compile(self, source, name, options):
        artifact = self.path("artifacts", name + ".so")
        command = [
            os.path.join(self.args.build, "bin", "tpc-compile"),
            *(source, "--target", "cuda", "--gpu-arch", self.args.arch),
            *(*options, "-o", artifact),
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"$ {' '.join(command)}\n{done.stdout}{done.stderr}")
        return os.path.relpath(artifact, self.args.folder)

    def add_numeric(self, models, attention):
        for model, meshes, options, tolerance in models:
            for part in ("inputs", "expected"):
                shutil.copy(
                    os.path.join(MODELS, f"{model}.{part}.safetensors"),
                    self.path("data"),
                )
            for mesh in meshes:
                name = f"{model}.{mesh.replace('=', '').replace(',', '_')}"
                if attention == "fused":
                    name += ".attention"
                artifact = self.compile(
                    os.path.join(MODELS, model + ".mlir"),
                    name,
                    [
                        *("--mesh", mesh, "--grad", "all"),
                        *(f"--attention={attention}", *options),
                    ],
                )
                self.plan["numeric"].append(
                    {
                        "name": name,
                        "artifact": artifact,
                        "ranks": ranks(mesh),
                        "inputs": f"data/{model}.inputs.safetensors",
                        "expected": f"data/{model}.expected.safetensors",
                        "attention": attention == "fused",
                        "tolerance": tolerance,
                    }
                )

    def add_bench(self):
        size = 64 if self.args.small else 8192
        for dtype in ("bf16", "f32"):
            source = self.path("data", f"gemm_{dtype}.mlir")
            with open(source, "w", encoding="utf-8") as file:
                file.write(GEMM.format(m=size, n=size, k=size, t=dtype))
            self.plan["bench"].append(
                {
                    "name": f"gemm_{dtype}",
                    "artifact": self.compile(
                        source, f"gemm_{dtype}", ["--mesh", "tp=1"]
                    ),
                    "operations": 2 * size**3,
                    "size": size,
                    "dtype": dtype,
                }
            )
        # Beyond any cache.
        count = 1 << (10 if self.args.small else 26)
        source = self.path("data", "stream.mlir")
        with open(source, "w", encoding="utf-8") as file:
            file.write(STREAM.format(n=count))
        self.plan["bench"].append(
            {
                "name": "stream",
                "artifact": self.compile(source, "stream", ["--mesh", "tp=1"]),
                "bytes": 3 * 4 * count,
                "count": count,
            }
        )
        model = os.path.join(MODELS, "block_bf16.mlir")
        if not self.args.small:
            model = os.path.join(HERE, "Models", "block_large_bf16.mlir")
        for attention in ["unfused"] + ["fused"] * self.has_attention:
            name = "block" if attention == "unfused" else "block.attention"
            self.plan["bench"].append(
                {
                    "name": name,
                    "artifact": self.compile(
                        model,
                        name,
                        [
                            *("--mesh", "tp=1", "--grad", "params"),
                            f"--attention={attention}",
                        ],
                    ),
                    "function": "block_bf16" if self.args.small else "block_large_bf16",
                    "attention": attention == "fused",
                }
            )

    def finish(self):
        for script in ("run.sh", "run.py", "torch_peer.py"):
            shutil.copy(os.path.join(HERE, script), self.path())
        for script in ("check.py", "tensorfile.py"):
            shutil.copy(os.path.join(ROOT, "test", "Numeric", script), self.path())
        shutil.copy(os.path.join(MODELS, "block.py"), self.path())
        with open(self.path("plan.json"), "w", encoding="utf-8") as file:
            json.dump(self.plan, file, indent=1)
        size = sum(
            os.path.getsize(os.path.join(folder, name))
            for folder, _, names in os.walk(self.args.folder)
            for name in names
        )
        print(
            f"{self.args.folder}: {len(self.plan['numeric'])} programs, "
            f"{len(self.plan['bench'])} benchmarks, {size / 2**20:.1f} MiB"
        )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--small", action="store_true")
    folder = Folder(parser.parse_args())
    folder.copy_runtime()
    folder.add_numeric(NUMERIC[: 2 if folder.args.small else None], "unfused")
    if folder.has_attention:
        folder.add_numeric(NUMERIC_FUSED, "fused")
    folder.add_bench()
    folder.finish()


if __name__ == "__main__":
    main()
