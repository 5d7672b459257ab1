"""Runs every program of kernel_programs.py on the CPU, with the tools in TPC_BIN,
and on the simulated device, with those in PATH, and compares the results:
integers exactly, floats up to what a sum of the program's length may lose."""
import argparse
import os
import re
import shutil
import subprocess
import sys

import kernel_programs

EPSILON = {"f32": 2.0**-23, "f64": 2.0**-52, "f16": 2.0**-10, "bf16": 2.0**-7}
# What adds up many elements: with 16 bits the CPU rounds each of the sums.
SUMS = ("sums", "whole", "cumsum", "softmax", "norm", "additions")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit("%s\n%s%s" % (" ".join(command), done.stdout, done.stderr))
    return done.stdout


parser = argparse.ArgumentParser()
parser.add_argument("--work", required=True)
parser.add_argument("--check", required=True)
parser.add_argument("--only", action="append", help="programs to run; all if not given")
parser.add_argument("type", help="of the elements, or a file of functions")
parser.add_argument("sizes", type=int, nargs="*")
options = parser.parse_args()
targets = (("cpu", os.environ["TPC_BIN"]), ("device", os.path.dirname(shutil.which("tpc-compile"))))
os.makedirs(options.work, exist_ok=True)
compared = 0
is_file = options.type.endswith(".mlir")
for size in [1] if is_file else options.sizes:
    functions = [] if is_file else list(kernel_programs.programs(options.type, size))
    if options.only:
        functions = [text for text in functions if any("@%s(" % name in text for name in options.only)]
    stem = os.path.join(options.work, "%s_%d" % (os.path.basename(options.type), size))
    if is_file:
        shutil.copy(options.type, stem + ".mlir")
        with open(stem + ".mlir") as file:
            functions = re.findall(r"func.func @\w+\(", file.read())
    else:
        with open(stem + ".mlir", "w") as file:
            file.write("\n".join(functions))
    for target, tools in targets:
        run(os.path.join(tools, "tpc-compile"), stem + ".mlir", "--mesh", "x=1", "-o", "%s.%s.so" % (stem, target))
    for name in [re.search(r"@(\w+)\(", text).group(1) for text in functions]:
        for target, tools in targets:
            run(os.path.join(tools, "tpc-run"), "%s.%s.so" % (stem, target), "-n", "1", "--seed", "3", "--function",
                name, "--outputs", "%s.%s.safetensors" % (stem, target))
        epsilon = EPSILON.get("f32" if is_file and "sums" in name else options.type, 0)
        length = max(size, 64) if any(part in name for part in SUMS) else 1
        run(sys.executable, options.check, "--expect", stem + ".cpu.safetensors", stem + ".device.safetensors",
            "--rtol", str(2 * epsilon), "--atol", str(epsilon * length))
        compared += 1
print("%s: %d programs agree" % (os.path.basename(options.type), compared))
