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
# cuBLASLt and NCCL are too large to travel: those of PyTorch's packages or of a CUDA toolkit.
installed=$(python3 -c '
import glob, os
try:
    import nvidia
    folders = [os.path.join(p, s) for p in nvidia.__path__ for s in ("cu13/lib", "cublas/lib", "nccl/lib", "cudnn/lib")]
except ImportError:
    folders = []
folders += glob.glob("/usr/local/cuda*/lib64") + glob.glob("/usr/local/cuda*/targets/x86_64-linux/lib")
print(":".join(f for f in folders if os.path.isdir(f)))')
# For tpc alone: Python and PyTorch keep their own.
export TPC_LIBRARIES="${TPC_FIRST_LIBRARIES:+$TPC_FIRST_LIBRARIES:}$here/lib${installed:+:$installed}"
missing=$(LD_LIBRARY_PATH=$TPC_LIBRARIES ldd "$here/bin/tpc-run" "$here/lib/libtpc_rt_cuda.so" | grep -E 'not found|no version' || true)
if [ -n "$missing" ]; then
  printf 'run.sh: libraries are missing on this machine:\n%s\n' "$missing" >&2
  exit 1
fi
exec python3 "$here/run.py" "$@"
