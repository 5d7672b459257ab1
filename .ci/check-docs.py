#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that what must be documented is, and that links lead somewhere.

- every operation, attribute and pass of the .td files has a summary, a
  description and a runnable example (an ```mlir block; test/Docs runs them);
- every relative link of a .md file names a file, and its #anchor a heading.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Operations of these classes, and passes.
DOCUMENTED = ("Op", "AttrDef", "TypeDef", "PassBase")
LINK = re.compile(r"\[[^\]\[]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?) *$", re.MULTILINE)
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def find_tblgen():
    for name in (
        os.environ.get("LLVM_TBLGEN"),
        "/usr/lib/llvm-22/bin/llvm-tblgen",
        "llvm-tblgen-22",
        "llvm-tblgen",
    ):
        path = name and shutil.which(name)
        if path:
            return pathlib.Path(path).resolve()
    sys.exit("expected llvm-tblgen of LLVM 22 on PATH or in LLVM_TBLGEN")


def check_td(tblgen, path):
    """Complaints about the records defined in one .td file."""
    result = subprocess.run(
        [
            tblgen,
            "--dump-json",
            f"-I{ROOT}/include",
            f"-I{tblgen.parent.parent}/include",
            path,
        ],
        capture_output=True,
        text=True,
    )
    if result.returncode:
        yield f"{path.relative_to(ROOT)}: {result.stderr.strip()}"
        return
    records = json.loads(result.stdout)
    for kind in DOCUMENTED:
        for name in records["!instanceof"].get(kind, []):
            record = records[name]
            where, line = record["!locs"][0].rsplit(":", 1)
            if where != path.name:
                continue
            where = f"{path.relative_to(ROOT)}:{line}: {name}"
            if not record["summary"].strip():
                yield f"{where} has no summary"
            if not record["description"].strip():
                yield f"{where} has no description"
            elif "```mlir" not in record["description"]:
                yield f"{where} has no ```mlir example"


def anchor_of(heading):
    """The anchor that Markdown viewers give a heading."""
    text = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def check_links(path):
    text = path.read_text()
    prose = FENCE.sub(lambda block: "\n" * block[0].count("\n"), text)
    for link in LINK.finditer(prose):
        target = link[1]
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        where = f"{path.relative_to(ROOT)}:{prose.count(chr(10), 0, link.start()) + 1}"
        destination = (path.parent / file).resolve() if file else path
        if not destination.exists():
            yield f"{where}: {target} does not exist"
        elif anchor and destination.suffix == ".md":
            headings = FENCE.sub("", destination.read_text())
            if anchor not in map(anchor_of, HEADING.findall(headings)):
                yield f"{where}: {target}: no such heading"


def main():
    complaints = []
    tblgen = find_tblgen()
    for path in sorted((ROOT / "include").rglob("*.td")):
        complaints += check_td(tblgen, path)
    pages = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]
    for path in pages:
        complaints += check_links(path)
    print("\n".join(complaints), end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
