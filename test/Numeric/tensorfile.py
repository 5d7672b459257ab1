# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads and writes safetensors files with the standard library alone, because the tests must run where no numpy is.

A tensor is a pair (shape, values): a tuple of sizes and a flat row-major list of Python numbers.
"""

import array
import json
import struct

# name in the file -> (bytes per element, code of struct, None where struct has none)
DTYPES = {
    "F64": (8, "d"),
    "F32": (4, "f"),
    "F16": (2, "e"),
    "BF16": (2, None),
    "I64": (8, "q"),
    "I32": (4, "i"),
    "I16": (2, "h"),
    "I8": (1, "b"),
    "U8": (1, "B"),
    "BOOL": (1, "B"),
}


def count(shape):
    n = 1
    for size in shape:
        n *= size
    return n


def _decode(dtype, raw):
    size, code = DTYPES[dtype]
    if dtype == "BF16":
        halves = struct.unpack(f"<{len(raw) // 2}H", raw)
        return [struct.unpack("<f", struct.pack("<I", h << 16))[0] for h in halves]
    return list(struct.unpack(f"<{len(raw) // size}{code}", raw))


def _encode(dtype, values):
    if dtype == "BF16":
        words = struct.unpack(
            f"<{len(values)}I", struct.pack(f"<{len(values)}f", *values)
        )
        return struct.pack(
            f"<{len(values)}H", *((w + 0x7FFF + ((w >> 16) & 1)) >> 16 for w in words)
        )
    return struct.pack(f"<{len(values)}{DTYPES[dtype][1]}", *values)


def read(path):
    """All tensors of a file: {name: (shape, values)}. ValueError says what is wrong with the file."""
    with open(path, "rb") as file:
        data = file.read()
    if len(data) < 8:
        raise ValueError(
            f"{path}: expected a safetensors header, got {len(data)} bytes"
        )
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + length])
    body = memoryview(data)[8 + length :]
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        shape = tuple(entry["shape"])
        expected = count(shape) * DTYPES[entry["dtype"]][0]
        if end - begin != expected or end > len(body):
            raise ValueError(
                f"{path}: tensor '{name}' expected {expected} bytes, got {end - begin} of {len(body)}"
            )
        tensors[name] = (shape, _decode(entry["dtype"], bytes(body[begin:end])))
    return tensors


def write(path, tensors):
    """Writes {name: (dtype, shape, values)}, names in sorted order: the same tensors give the same bytes."""
    header, body = {}, b""
    for name in sorted(tensors):
        dtype, shape, values = tensors[name]
        raw = _encode(dtype, list(values))
        header[name] = {
            "dtype": dtype,
            "shape": list(shape),
            "data_offsets": [len(body), len(body) + len(raw)],
        }
        body += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + body)


def to_f32(value):
    """The double nearest to `value` that is exact in single precision."""
    return array.array("f", [value])[0]
