#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times one benchmark of plan.json in PyTorch (compiled) on the GPU and prints a line of JSON.

A step is timed as tpc-run times its own: on the host, until the GPU is done. What the GPU itself takes, by its events,
is there besides."""

import argparse
import json
import statistics
import time

import torch

import block


def make(item):
    """A function without arguments that does the work once."""
    if item["name"].startswith("gemm"):
        dtype = {"bf16": torch.bfloat16, "f32": torch.float32}[item["dtype"]]
        a, b = (
            torch.randn(item["size"], item["size"], device="cuda", dtype=dtype)
            for _ in range(2)
        )
        return lambda: a @ b
    if item["name"] == "stream":
        a, b = (torch.randn(item["count"], device="cuda") for _ in range(2))
        return torch.compile(lambda: a + b)
    torch.set_default_device("cuda")
    module, (x,), _, _ = getattr(block, item["function"])()
    compiled = torch.compile(module)
    cotangent = torch.randn_like(x)

    def step():
        for parameter in module.parameters():
            parameter.grad = None
        compiled(x).backward(cotangent)

    return step


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("item")
    parser.add_argument("--repeat", type=int, default=20)
    args = parser.parse_args()
    step = make(json.loads(args.item))
    for _ in range(3):
        step()
    torch.cuda.synchronize()
    times, device_times = [], []
    for _ in range(args.repeat):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start = time.perf_counter()
        begin.record()
        step()
        end.record()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - start) * 1e3)
        device_times.append(begin.elapsed_time(end))
    print(
        json.dumps(
            {
                "milliseconds": statistics.median(times),
                "least_milliseconds": min(times),
                "device_milliseconds": statistics.median(device_times),
                "torch": torch.__version__,
            }
        )
    )


if __name__ == "__main__":
    main()
