"""Compares what the device kernels of a lowered module move with the least
they could: one line per kernel above it, then the count."""
import re
import sys

text = sys.stdin.read()
kernels = re.findall(r"llvm\.func @(\w+)\(.*tp\.kernel = \{(.*?)\}", text)
above = 0
for name, fields in kernels:
    number = {key: int(value) for key, value in re.findall(r"(\w+) = (\d+) : i64", fields)}
    moved = number["read_bytes"] + number["write_bytes"]
    least = number["least_read_bytes"] + number["least_write_bytes"]
    assert moved >= least > 0, (name, fields)
    if moved > least:
        above += 1
        print("%s moves %d bytes, at least %d" % (name, moved, least))
print("%d of %d kernels above the least" % (above, len(kernels)))
