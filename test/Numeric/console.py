#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of a document's ```console blocks and compares what they print with what the document shows.

  console.py --work DIR DOCUMENT [FILE...]

A line that begins with `$ ` is a command, run in DIR after the FILEs were copied there; the lines below it are its
output, in which `...` stands for any text. Exit status 1 on the first difference."""

import argparse
import os
import re
import shutil
import subprocess
import sys


def commands(text):
    """(command, expected output) of every command in the document's console blocks."""
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def matches(expected, got):
    pattern = ".*?".join(re.escape(part) for part in expected.strip().split("..."))
    return re.fullmatch(pattern, got.strip(), re.DOTALL) is not None


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("document")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--work", required=True)
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    for path in args.files:
        shutil.copy(path, args.work)
    with open(args.document, encoding="utf-8") as file:
        found = list(commands(file.read()))
    for command, expected in found:
        done = subprocess.run(
            command, shell=True, cwd=args.work, capture_output=True, text=True
        )
        if done.returncode or not matches(expected, done.stdout):
            print(
                f"$ {command}\nexit status {done.returncode}\n--- expected\n{expected}--- got\n{done.stdout}{done.stderr}"
            )
            return 1
    print(f"{len(found)} commands print what {os.path.basename(args.document)} shows")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
