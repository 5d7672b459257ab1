#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# All checks that need a GPU, in under 8 minutes on one H200; results in results.json (or the file given). Runs in a
# folder that prepare.py has made.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
if [ ! -f "$here/plan.json" ]; then
  echo "run.sh: no plan.json beside it; make the folder first: test/Device/prepare.py DIR" >&2
  exit 2
fi
export LD_LIBRARY_PATH="${TPC_FIRST_LIBRARIES:+$TPC_FIRST_LIBRARIES:}$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
exec python3 "$here/run.py" "$@"
