#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the tensors of two safetensors files by name and prints the largest error of each.

Every tensor of the reference must be in the output with the same shape. An element passes when
|got - expected| <= atol + rtol * |expected|. Exit status 1 when one does not."""

import argparse
import fnmatch
import math
import sys

import tensorfile


def compare(name, expected, got, rtol, atol):
    """One line about the tensor, and whether it passes."""
    if expected[0] != got[0]:
        return f"{name}: expected shape {list(expected[0])}, got {list(got[0])}", False
    worst, worst_at, passed = 0.0, 0, True
    for i, (e, g) in enumerate(zip(expected[1], got[1])):
        if e == g or (math.isnan(e) and math.isnan(g)):
            continue
        error = abs(g - e)
        # Written so that a NaN on one side alone fails.
        if not error <= atol + rtol * abs(e):
            passed = False
        if not error <= worst:
            worst, worst_at = error, i
    text = f"{name}: max error {worst:.3g}"
    if not passed:
        text += f" at element {worst_at}: expected {expected[1][worst_at]!r}, got {got[1][worst_at]!r}"
    return text, passed


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("output", help="the file to judge")
    parser.add_argument("--expect", required=True, metavar="FILE", help="the reference")
    parser.add_argument("--rtol", type=float, default=1e-5)
    parser.add_argument("--atol", type=float, default=1e-6)
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="GLOB",
        help="leave out tensors of the reference with these names; may be repeated",
    )
    args = parser.parse_args()
    try:
        expected, got = tensorfile.read(args.expect), tensorfile.read(args.output)
    except (OSError, ValueError) as error:
        sys.exit(f"error: {error}")
    for glob in args.without:
        names = fnmatch.filter(expected, glob)
        if not names:
            sys.exit(f"error: --without '{glob}' matches no tensor of {args.expect}")
        for name in names:
            del expected[name]
    failed = 0
    for name in sorted(expected):
        if name in got:
            text, passed = compare(
                name, expected[name], got[name], args.rtol, args.atol
            )
        else:
            text, passed = (
                f"{name}: missing from the output, which has {', '.join(sorted(got))}",
                False,
            )
        failed += not passed
        print(("ok   " if passed else "FAIL ") + text)
    print(f"{len(expected) - failed} passed, {failed} failed")
    return 1 if failed or not expected else 0


if __name__ == "__main__":
    sys.exit(main())
