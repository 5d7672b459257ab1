# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command that must fail: prints what it said, and checks its status and that it wrote no FILE.

  refuses.py STATUS [--absent FILE] [--messages N] -- COMMAND ...

What it says must be N messages (default one): lines with "error:" or that start with the name of the tool.
"""

import os
import re
import subprocess
import sys


def main():
    cut = sys.argv.index("--")
    status, options, command = int(sys.argv[1]), sys.argv[2:cut], sys.argv[cut + 1 :]
    options = dict(zip(options[::2], options[1::2]))
    absent = options.get("--absent")
    if absent and os.path.exists(absent):
        os.remove(absent)
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    print(done.stderr + done.stdout, end="")
    messages = [line for line in done.stderr.splitlines() if re.search(r"\berror: |^tpc-\w+: ", line)]
    if done.returncode != status:
        sys.exit(f"expected status {status}, got {done.returncode}")
    if absent and os.path.lexists(absent):
        sys.exit(f"expected no {absent}")
    if len(messages) != int(options.get("--messages", "1")):
        sys.exit(f"expected {options.get('--messages', '1')} messages, got {len(messages)}")


if __name__ == "__main__":
    main()
