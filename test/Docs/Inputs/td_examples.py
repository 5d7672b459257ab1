# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every ```mlir block of the .td files below a folder through a command.

usage: td_examples.py FOLDER -- COMMAND...
"""

import pathlib
import re
import subprocess
import sys
import textwrap

BLOCK = re.compile(r"^( *)```mlir\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def main():
    folder = pathlib.Path(sys.argv[1])
    command = sys.argv[sys.argv.index("--") + 1 :]
    blocks = failures = 0
    for path in sorted(folder.rglob("*.td")):
        text = path.read_text()
        for block in BLOCK.finditer(text):
            blocks += 1
            line = text.count("\n", 0, block.start()) + 1
            result = subprocess.run(
                command,
                input=textwrap.dedent(block[2]),
                capture_output=True,
                text=True,
            )
            if result.returncode:
                failures += 1
                print(f"{path}:{line}: this example fails:\n{result.stderr}")
    print(f"{blocks} examples, {failures} failed")
    return 1 if failures or not blocks else 0


if __name__ == "__main__":
    sys.exit(main())
