#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles one model for several meshes, runs each artifact on its ranks and compares with a reference.

  sweep.py MODEL.mlir --work DIR --meshes tp=1 tp=2 dp=2,tp=2 [--inputs F --expect F] -- OPTIONS OF tpc-compile

Every run also compares with the one-device program (tpc-run --check). Prints one line for each mesh, and what the
tools said where one failed; exit status 1 then."""

import argparse
import os
import subprocess
import sys

import check
import tensorfile


def ranks(mesh):
    n = 1
    for axis in mesh.split(","):
        n *= int(axis.rpartition("=")[2])
    return n


def run(command):
    """None, or what a failing command printed."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        return None
    return f"$ {' '.join(command)}\nexit status {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"


def judge(expected, output, args):
    """The lines of the tensors that differ."""
    got, lines = tensorfile.read(output), []
    for name in sorted(expected):
        if name not in got:
            lines.append(
                f"{name}: missing from the output, which has {', '.join(sorted(got))}"
            )
            continue
        text, passed = check.compare(
            name, expected[name], got[name], args.rtol, args.atol
        )
        if not passed:
            lines.append(text)
    return "\n".join(lines)


def attempt(mesh, args, options):
    """None, or why the model fails on this mesh."""
    base = os.path.join(args.work, mesh.replace("=", "").replace(",", "_"))
    failure = run(
        ["tpc-compile", args.model, "--mesh", mesh, *options, "-o", base + ".so"]
    )
    if failure:
        return failure
    command = [
        "tpc-run",
        base + ".so",
        "-n",
        str(ranks(mesh)),
        "--outputs",
        base + ".safetensors",
        "--check",
    ]
    failure = run(command + (["--inputs", args.inputs] if args.inputs else []))
    if failure or not args.expect:
        return failure
    expected = tensorfile.read(args.expect)
    for name in args.without:
        del expected[name]
    return judge(expected, base + ".safetensors", args) or None


def main():
    options = []
    if "--" in sys.argv:
        cut = sys.argv.index("--")
        sys.argv, options = sys.argv[:cut], sys.argv[cut + 1 :]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model")
    parser.add_argument("--work", required=True, metavar="DIR")
    parser.add_argument("--meshes", nargs="+", required=True)
    parser.add_argument("--inputs", metavar="FILE")
    parser.add_argument("--expect", metavar="FILE")
    parser.add_argument(
        "--without",
        nargs="*",
        default=[],
        metavar="NAME",
        help="tensors of the reference to leave out",
    )
    parser.add_argument("--rtol", type=float, default=1e-5)
    parser.add_argument("--atol", type=float, default=1e-6)
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    failed = 0
    for mesh in args.meshes:
        failure = attempt(mesh, args, options)
        failed += failure is not None
        print(f"FAIL {mesh}\n{failure}" if failure else f"ok   {mesh}", flush=True)
    print(f"{len(args.meshes) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
