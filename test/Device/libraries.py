#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opens what tpc needs of CUDA, where it would find it itself, and prints a line of each: its version, or why not."""

import ctypes

# What gives the version, if something does, and whether it writes it through a pointer.
LIBRARIES = [
    ("libcuda.so.1", "cuDriverGetVersion", True),
    ("libcublasLt.so.13", "cublasLtGetVersion", False),
    ("libnccl.so.2", "ncclGetVersion", True),
    ("libcudnn.so.9", "cudnnGetVersion", False),
    ("libtpc_rt_attention.so", None, False),
]

for name, symbol, writes in LIBRARIES:
    try:
        library = ctypes.CDLL(name)
        if not symbol:
            print(f"{name}: found", flush=True)
            continue
        function = getattr(library, symbol)
        written = ctypes.c_int(0)
        returned = function(ctypes.byref(written)) if writes else function()
        print(f"{name}: version {written.value if writes else returned}", flush=True)
    except (OSError, AttributeError) as error:
        print(f"{name}: {error}", flush=True)
