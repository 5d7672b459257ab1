# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the CHECK lines of the walkthrough from what the tools print.

usage: update.py BUILD/bin

Everything above the first CHECK line stays. A comment between CHECK lines stays
in front of the line it stood before, found by what stays of its text when numbers change.
A test that pipes through grep gets what grep leaves.
"""

import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent
RUN = re.compile(r"^// RUN: (.*?) \| FileCheck", re.MULTILINE)
CHECK = re.compile(r"^// CHECK(?:-NEXT)?: ?(.*)$")


def key(line):
    """What a line is, whatever its numbers, names and texts are."""
    return re.sub(r'"[^"]*"|%\w+|\d+', "", line).strip()


def comments_of(lines):
    """(comments, key of the CHECK line they stand before), in order."""
    found, pending = [], []
    for line in lines:
        check = CHECK.match(line)
        if not check:
            pending.append(line)
        elif pending:
            found.append((pending, key(check[1])))
            pending = []
    return found


def update(path, tools):
    text = path.read_text()
    command = RUN.search(text)[1].replace("%S", str(FOLDER))
    output = subprocess.run(
        f"PATH={tools}:$PATH; {command}",
        shell=True,
        executable="/bin/bash",
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    lines = text.splitlines()
    first = next((i for i, l in enumerate(lines) if CHECK.match(l)), len(lines))
    comments = comments_of(lines[first:])
    written = lines[:first]
    start = True
    for line in output.rstrip().splitlines():
        if comments and comments[0][1] == key(line):
            written += comments.pop(0)[0]
        written.append(f"// CHECK{'' if start else '-NEXT'}: {line}".rstrip())
        start = False
    for lost, before in comments:
        print(f"{path.name}: no line for the comment {lost}: {before}")
    path.write_text("\n".join(written) + "\n")


if __name__ == "__main__":
    for test in sorted(FOLDER.glob("0*.mlir")):
        update(test, pathlib.Path(sys.argv[1]).resolve())
