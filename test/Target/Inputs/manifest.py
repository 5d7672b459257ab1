# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the device part of an artifact's manifest, and the first bytes of its images."""

import ctypes
import json
import sys

# The runtime's entry points are needed to load it.
ctypes.CDLL(sys.argv[2], mode=ctypes.RTLD_GLOBAL)
library = ctypes.CDLL(sys.argv[1])
manifest = json.loads(
    ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(library, "tpc_artifact_manifest")))
)
print("target", manifest["target"])
for function in manifest["functions"]:
    print("function", function["name"], function["events"], function["host_reads"])
for constant in manifest["constants"]:
    at = ctypes.addressof(ctypes.c_char.in_dll(library, constant["symbol"]))
    print("constant", constant["bytes"], ctypes.string_at(at, constant["bytes"])[:16])
for image in manifest["images"]:
    at = ctypes.addressof(ctypes.c_char.in_dll(library, image["symbol"]))
    content = ctypes.string_at(at, image["bytes"])
    print("image", image["arch"], image["kind"], content[:7], "ends in", content[-1])
for kernel in manifest["kernels"]:
    print("kernel", kernel["name"], kernel["kind"], "at", kernel["loc"], sorted(kernel["statistics"]))
