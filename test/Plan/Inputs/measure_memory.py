#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a program and compares the memory that its report estimates with what the artifact takes.

measure_memory.py --low L --high H -- OPTIONS of tpc-compile. Real is the workspace of the artifact's manifest and the
local arguments and results; estimate / real must lie between L and H. Prints both."""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

BITS = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16, "i64": 64, "i32": 32, "i8": 8, "i1": 8}


def local_bytes(value, sizes):
    shape = list(value["shape"])
    for entry in value["placement"]:
        if "shard" in entry:
            shape[entry["shard"]] = math.ceil(shape[entry["shard"]] / sizes[entry["axis"]])
    return math.prod(shape) * BITS[value["dtype"]] // 8


def real_bytes(artifact):
    with open(artifact, "rb") as file:
        data = file.read()
    text = data[data.index(b'{"abi":') :].partition(b"\0")[0].decode()
    manifest, _ = json.JSONDecoder().raw_decode(text)
    sizes = {axis["name"]: axis["size"] for axis in manifest["mesh"]}
    return {
        function["name"]: function["workspace_bytes"]
        + sum(local_bytes(v, sizes) for v in function["arguments"] + function["results"])
        for function in manifest["functions"]
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--low", type=float, default=1.0)
    parser.add_argument("--high", type=float, default=1.0)
    parser.add_argument("options", nargs="+")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        artifact = os.path.join(work, "program.so")
        done = subprocess.run(
            ["tpc-compile", *args.options, "--report=json", "-o", artifact], capture_output=True, text=True
        )
        if done.returncode:
            sys.exit(f"tpc-compile failed:\n{done.stderr}")
        real = real_bytes(artifact)
    bad = False
    for function in json.loads(done.stdout)["functions"]:
        estimate, taken = function["peak_bytes"], real[function["name"]]
        ratio = estimate / taken
        bad |= not args.low <= ratio <= args.high
        print(f"{function['name']}: estimate {estimate}, real {taken}, ratio {ratio:.3f}")
    if bad:
        sys.exit(f"error: expected a ratio between {args.low} and {args.high}")


if __name__ == "__main__":
    main()
