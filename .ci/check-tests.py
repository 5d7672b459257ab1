#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every error text of the sources appears in some test.

The text of an error is taken to be the longest string literal of the statement
that emits it. Statements whose literals are all short are skipped: they only
frame a text that comes from elsewhere. So are those that call themselves a bug
of tpc: they guard what no input reaches.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EMITS = re.compile(
    r"\b(?:emit\w*(?:Error|Failure)|createStringError|fail|error|failWith)\s*\("
)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"(?:\s*"((?:[^"\\\n]|\\.)*)")*')
PIECE = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
SHORTEST = 12


def statements(text):
    """(line, statement) from each call that emits an error to its end."""
    for call in EMITS.finditer(text):
        depth, position, in_string = 0, call.start(), False
        while position < len(text):
            char = text[position]
            if in_string:
                if char == "\\":
                    position += 1
                elif char == '"':
                    in_string = False
            elif char == '"':
                in_string = True
            elif char in "([{":
                depth += 1
            elif char in ")]}":
                depth -= 1
                if depth < 0:
                    break
            elif char == ";" and depth <= 0:
                break
            position += 1
        yield text.count("\n", 0, call.start()) + 1, text[call.start() : position]


def literals(statement):
    for group in LITERAL.finditer(statement):
        text = "".join(PIECE.findall(group[0]))
        # Formats and escapes end a piece: what is printed there is not known.
        for piece in re.split(r"%[-0-9.]*[a-zA-Z]+|\{\d*\}|\\n", text):
            yield piece.replace('\\"', '"').replace("\\\\", "\\").strip()


def tests():
    folders = ["test", "runtime/conformance", "runtime/test"]
    suffixes = {".mlir", ".test", ".py", ".cpp", ".c", ".h", ".txt"}
    texts = []
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes and "Models" not in path.parts:
                texts.append(path.read_text(errors="replace"))
    # C++ and Python tests escape quotes and join literals.
    joined = "\n".join(texts).replace('\\"', '"')
    return re.sub(r'"\s*\n\s*(?:[fR])?"', "", joined)


def main():
    known = tests()
    missing = 0
    for folder in ("lib", "tools", "runtime"):
        for path in sorted((ROOT / folder).rglob("*.cpp")):
            name = path.relative_to(ROOT)
            if name.parts[:2] in (("runtime", "conformance"), ("runtime", "test")):
                continue
            source = re.sub(
                r"//[^\n]*", lambda c: "" if '"' not in c[0] else c[0], path.read_text()
            )
            seen = set()
            for line, statement in statements(source):
                found = list(literals(statement))
                if any(re.search(r"\bis a (?:tpc bug|bug of tpc)", text) for text in found):
                    continue
                longest = max(found, key=len, default="")
                if len(longest) < SHORTEST or longest in seen:
                    continue
                seen.add(longest)
                if longest not in known:
                    missing += 1
                    print(f"{name}:{line}: in no test: {longest}")
    if missing:
        print(f"{missing} error texts are in no test")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
