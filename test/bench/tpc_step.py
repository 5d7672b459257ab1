# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a compiled train step of the step bench on local ranks through the C API. Prints seconds per step, and the loss.

  tpc_step.py '{"artifact": .., "library": .., "data": .., "ranks": 2, "warmup": 3, "steps": 8}'

Every step starts from the same parameters: a host keeps new and old parameters in two buffers and swaps them, which
costs nothing, so no copy is part of the time."""

import ctypes
import json
import sys
import time

import numpy as np


class Value(ctypes.Structure):
    """tpc_rt_value_t"""

    _fields_ = [
        ("size", ctypes.c_int32),
        ("dtype", ctypes.c_int32),
        ("name", ctypes.c_char_p),
        ("rank", ctypes.c_int32),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("local_shape", ctypes.POINTER(ctypes.c_int64)),
        ("local_bytes", ctypes.c_int64),
        ("placement", ctypes.c_char_p),
        ("is_param", ctypes.c_int32),
        ("is_donated", ctypes.c_int32),
    ]


class WorldOptions(ctypes.Structure):
    """tpc_rt_world_options_t"""

    _fields_ = [
        ("size", ctypes.c_int32),
        ("ranks", ctypes.c_int32),
        ("threads_per_rank", ctypes.c_int32),
        ("profile", ctypes.c_int32),
        ("deadline_seconds", ctypes.c_double),
        ("communicator", ctypes.c_char_p),
    ]


class Runtime:
    """The functions of libtpc_rt, raising where they fail."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.tpc_rt_status_message.restype = ctypes.c_char_p
        self.library.tpc_rt_status_message.argtypes = [ctypes.c_void_p]
        self.library.tpc_rt_tensor_data.restype = ctypes.c_void_p

    def __call__(self, name, *arguments):
        function = getattr(self.library, "tpc_rt_" + name)
        function.restype = ctypes.c_void_p
        status = function(*arguments)
        if status:
            sys.exit(f"{name}: {self.library.tpc_rt_status_message(status).decode()}")

    def make(self, name, *arguments):
        """A function whose last parameter is a new handle."""
        handle = ctypes.c_void_p()
        self(name, *arguments, ctypes.byref(handle))
        return handle

    def values(self, side, module):
        """(name, shape) of the arguments or results of the first function."""
        found = []
        for i in range(getattr(self.library, f"tpc_rt_module_{side}_count")(module, 0)):
            value = Value(size=ctypes.sizeof(Value))
            self(f"module_{side}", module, 0, i, ctypes.byref(value))
            found.append((value.name.decode(), tuple(value.shape[: value.rank])))
        return found


def main():
    sizes = json.loads(sys.argv[1])
    runtime, data = Runtime(sizes["library"]), np.load(sizes["data"])
    module = runtime.make("module_load", sizes["artifact"].encode())
    options = WorldOptions(size=ctypes.sizeof(WorldOptions), ranks=sizes["ranks"])
    world = runtime.make("world_create", ctypes.byref(options))
    call = runtime.make("call_create", world, module, 0)
    for i, (name, shape) in enumerate(runtime.values("argument", module)):
        array = np.ascontiguousarray(data[name])
        if array.shape != shape:
            sys.exit(f"{name}: expected shape {shape}, got {array.shape}")
        tensor = runtime.make(
            "tensor_create", 0, len(shape), (ctypes.c_int64 * len(shape))(*shape)
        )
        ctypes.memmove(
            runtime.library.tpc_rt_tensor_data(tensor), array.ctypes.data, array.nbytes
        )
        runtime("call_set_argument", call, i, tensor)
        runtime.library.tpc_rt_tensor_release(tensor)
    seconds = []
    for _ in range(sizes["warmup"] + sizes["steps"]):
        start = time.perf_counter()
        runtime("call_run", call)
        seconds.append(time.perf_counter() - start)
    names = [name for name, _ in runtime.values("result", module)]
    loss = runtime.make("call_get_result", call, names.index("loss"))
    value = ctypes.cast(
        runtime.library.tpc_rt_tensor_data(loss), ctypes.POINTER(ctypes.c_float)
    )[0]
    print(json.dumps({"seconds": seconds[sizes["warmup"] :], "loss": value}))


if __name__ == "__main__":
    main()
