# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands of pages and compares what they print with what the pages show.

usage: readme_commands.py PAGE.md... --work FOLDER

In ```console blocks a line that begins with "$ " is a command, with the lines it
is continued on; the lines behind it are its output. They run in a folder where
test/ and docs/ are those of the sources and build/bin holds the tools on PATH. Numbers with a
fraction or an exponent, and measured errors, may differ from machine to machine.
"""

import argparse
import difflib
import pathlib
import re
import shutil
import subprocess
import sys

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ERRORS = re.compile(r"largest error .*?;")
FRACTION = re.compile(r"-?\b\d+(?:\.\d+(?:e[-+]?\d+)?|e[-+]?\d+)")
STAGE = re.compile(r'^TPC_STAGE\(\w+, "(\w+)", "(.*)"\)$', re.MULTILINE)


def comparable(text):
    text = ERRORS.sub("largest error ~;", text.strip())
    lines = FRACTION.sub("~", text).splitlines()
    return [line.rstrip() for line in lines]


def console_commands(block):
    """(command, output) pairs of a console block."""
    commands, continued = [], False
    for line in block.splitlines():
        if continued:
            commands[-1][0] += "\n" + line
        elif line.startswith("$ "):
            commands.append([line[2:], ""])
        elif commands:
            commands[-1][1] += line + "\n"
            continue
        continued = line.endswith("\\")
    return commands


def check_console(command, expected, work):
    result = subprocess.run(
        ["bash", "-c", command], cwd=work, capture_output=True, text=True
    )
    if result.returncode:
        return [f"$ {command}", f"exit status {result.returncode}", result.stderr]
    difference = difflib.unified_diff(
        comparable(expected), comparable(result.stdout), "shown", "printed", lineterm=""
    )
    lines = list(difference)
    return [f"$ {command}", *lines] if lines else []


def check_dev(command, source):
    """./dev NAME must be in the table that ./dev help prints."""
    name = command.split("#")[0].split()[1]
    table = subprocess.run(
        [source / "dev", "help"], capture_output=True, text=True
    ).stdout
    if re.search(rf"^  {re.escape(name)}\b", table, re.MULTILINE):
        return []
    return [f"{command}: no such command in ./dev help"]


def check_facts(text, source):
    stages = STAGE.findall((source / "include/tpc/Pipeline/Stages.def").read_text())
    order = []
    for name, meaning in stages:
        row = re.search(rf"^\| \d+ \| \[{name}\].*\| {re.escape(meaning)} \|", text, re.M)
        if not row:
            yield f"no row of the stage table says: {name}: {meaning}"
        else:
            order.append(row.start())
    if order != sorted(order):
        yield "the stage table is not in the order of Stages.def"
    packages = re.search(r"^packages=\((.*?)\)", (source / "dev").read_text(), re.M | re.S)
    for package in packages[1].split():
        if not re.search(rf"(?<![\w-]){re.escape(package)}(?![\w-])", text):
            yield f"package {package} of ./dev is not named"


def check_page(page, source, work):
    """Complaints about one page, and how many commands it has."""
    text = page.read_text()
    complaints, commands = [], 0
    for language, block in BLOCK.findall(text):
        if language == "console":
            for command, expected in console_commands(block):
                complaints += check_console(command, expected, work)
                commands += 1
        elif language == "sh":
            for line in block.splitlines():
                if line.startswith("./dev "):
                    complaints += check_dev(line, source)
                    commands += 1
    if not commands:
        complaints.append("no commands found")
    if page.name == "README.md":
        complaints += check_facts(text, source)
    return [f"{page.name}: {complaint}" for complaint in complaints]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pages", type=pathlib.Path, nargs="+")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    args = parser.parse_args()
    source = pathlib.Path(__file__).resolve().parents[3]
    tools = pathlib.Path(shutil.which("tpc-compile")).parent
    (args.work / "build").mkdir()
    (args.work / "build/bin").symlink_to(tools)
    for folder in ("test", "docs"):
        (args.work / folder).symlink_to(source / folder)
    complaints = []
    for page in args.pages:
        complaints += check_page(page, source, args.work)
    print("\n".join(complaints), end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
