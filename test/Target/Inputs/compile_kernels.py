#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles models for GPUs and prints, per model, its kernels and their most
registers; fails where one does not compile or a kernel spills.

    compile_kernels.py --archs sm_80,sm_90 --work DIR MODEL.mlir... -- OPTIONS
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys


def compile_one(model, arguments):
    output = os.path.join(arguments.work, model.stem + ".so")
    command = ["tpc-compile", str(model), "--target", "cuda"]
    command += ["--gpu-arch", arguments.archs, "--report=json", "-o", output]
    done = subprocess.run(
        command + arguments.options, capture_output=True, text=True
    )
    if done.returncode:
        return model, None, done.stderr
    return model, json.loads(done.stdout), ""


def main():
    options = []
    line = sys.argv[1:]
    if "--" in line:
        options = line[line.index("--") + 1 :]
        line = line[: line.index("--")]
    parser = argparse.ArgumentParser()
    parser.add_argument("--archs", default="sm_80,sm_90")
    parser.add_argument("--work", required=True)
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args(line)
    arguments.options = options
    os.makedirs(arguments.work, exist_ok=True)

    failed = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(compile_one, m, arguments) for m in arguments.models]
        for job in jobs:
            model, report, error = job.result()
            if report is None:
                print(f"{model.name}: does not compile: {error.strip()}")
                failed = True
                continue
            totals = report["kernel_totals"]
            most, stacks = {}, set()
            for kernel in report["kernels"]:
                for arch, numbers in kernel["statistics"].items():
                    most[arch] = max(most.get(arch, 0), numbers["registers"])
                    if numbers["stack_bytes"]:
                        stacks.add(kernel["name"])
                    if numbers["spill_bytes"]:
                        failed = True
                        print(
                            f"{model.name}: {kernel['name']} ({kernel['kind']} at "
                            f"{kernel['loc']}) spills {numbers['spill_bytes']} B on {arch}"
                        )
            if set(most) != set(arguments.archs.split(",")) and totals["kernels"]:
                failed = True
                print(f"{model.name}: statistics of {sorted(most)} alone")
            registers = ", ".join(f"{a} {n}" for a, n in sorted(most.items()))
            print(
                f"{model.name}: {totals['kernels']} kernels, {totals['minimal']} of "
                f"least traffic, {totals['spilling']} with spills, most registers: "
                f"{registers}, {len(stacks)} with a stack"
            )
    return failed


if __name__ == "__main__":
    sys.exit(main())
