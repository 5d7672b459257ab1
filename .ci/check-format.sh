#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Checks that all C and C++ is formatted with clang-format 14. With --fix it
# formats in place.
set -euo pipefail
cd "$(dirname "$0")/.."

for tool in clang-format-14 clang-format; do
  if command -v "$tool" >/dev/null && "$tool" --version | grep -q 'version 14\.'; then
    found=$tool
    break
  fi
done
if [ -z "${found:-}" ]; then
  echo "expected clang-format 14 on PATH (Debian package clang-format-14)" >&2
  exit 1
fi

if [ "${1:-}" = --fix ]; then
  mode=(-i)
else
  mode=(--dry-run -Werror)
fi
git ls-files -z --cached --others --exclude-standard -- '*.h' '*.cpp' '*.c' '*.cu' |
  while IFS= read -r -d '' file; do
    # A deleted file stays in the index until it is committed.
    if [ -f "$file" ]; then printf '%s\0' "$file"; fi
  done |
  xargs -0 -r "$found" "${mode[@]}"
