#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what plan.json lists and writes one JSON file; see run.sh.

The order is that of worth: conformance, values, benchmarks, the peer. What the time limit cuts off is listed as not
run. Exit status 1 when anything failed."""

import argparse
import json
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))


class Runner:
    def __init__(self, args):
        self.args = args
        self.begin = time.monotonic()
        self.results = {
            "passed": 0,
            "failed": 0,
            "not_run": [],
            "conformance": 0,
            "numeric": [],
            "bench": {},
        }

    def left(self):
        return self.args.limit - (time.monotonic() - self.begin)

    def run(self, command, environment=None):
        """Exit status and output; a negative status when the time is over."""
        left = self.left()
        if left < 5:
            return -1, "no time left"
        try:
            done = subprocess.run(
                command,
                cwd=HERE,
                capture_output=True,
                text=True,
                timeout=left,
                env={**os.environ, **(environment or {})},
            )
        except subprocess.TimeoutExpired:
            return -1, "no time left"
        return done.returncode, done.stdout + done.stderr

    def count(self, name, status, output):
        if status < 0 and output == "no time left":
            self.results["not_run"].append(name)
            word = "not run"
        else:
            self.results["failed" if status else "passed"] += 1
            word = "FAIL" if status else "ok"
        print(f"{word:8}{name}  ({time.monotonic() - self.begin:.0f} s)", flush=True)
        if word == "FAIL":
            print(output[-3000:], flush=True)

    def conformance(self, plan):
        """Several ranks share the GPU; NCCL, which wants one for each, is in `numeric`."""
        status, output = self.run(
            [
                "bin/tpc-rt-conformance",
                "--gtest_brief=1",
                f"--gtest_filter={plan['conformance']}",
            ],
            {"TPC_RT_CONFORMANCE": "cuda local"},
        )
        passed = re.search(r"PASSED  \] (\d+) test", output)
        self.results["conformance"] = int(passed.group(1)) if passed else 0
        # What skips everything proves nothing.
        if status == 0 and not self.results["conformance"]:
            status = 1
        self.count("conformance cuda x local", status, output)

    def numeric(self, plan):
        runs = [(item, "local") for item in plan["numeric"]]
        runs += [(item, "nccl") for item in plan["numeric"] if item["ranks"] == 1]
        for item, communicator in runs:
            name = f"{item['name']} {communicator}"
            out = os.path.join(HERE, "out.safetensors")
            begin = time.monotonic()
            status, output = self.run(
                [
                    *("bin/tpc-run", item["artifact"], "-n", str(item["ranks"])),
                    *("--comm", communicator, "--inputs", item["inputs"]),
                    *("--outputs", out, "--repeat", "2"),
                ]
            )
            if status == 0:
                status, output = self.run(
                    [
                        *(sys.executable, "check.py", out),
                        *("--expect", item["expected"], *item["tolerance"]),
                    ]
                )
            self.results["numeric"].append(
                {
                    "name": name,
                    "status": status,
                    "seconds": round(time.monotonic() - begin, 3),
                }
            )
            self.count(name, status, output)

    def bench(self, plan):
        for item in plan["bench"]:
            status, output = self.run(
                [
                    "bin/tpc-run",
                    item["artifact"],
                    "-n",
                    "1",
                    "--seed",
                    "1",
                    "--repeat",
                    str(self.args.repeat),
                ]
            )
            step = re.search(
                r"step time: median ([\d.]+) ms, least ([\d.]+) ms", output
            )
            if status == 0 and not step:
                status = 1
            self.count("bench " + item["name"], status, output)
            if status:
                continue
            seconds = float(step.group(1)) / 1e3
            entry = {
                "milliseconds": float(step.group(1)),
                "least_milliseconds": float(step.group(2)),
            }
            if "operations" in item:
                entry["tflops"] = item["operations"] / seconds / 1e12
            if "bytes" in item:
                entry["gigabytes_per_second"] = item["bytes"] / seconds / 1e9
            self.results["bench"][item["name"]] = entry

    def peer(self, plan):
        """The same work in PyTorch on the same GPU; ratios above 1 mean that tpc is faster."""
        for item in plan["bench"]:
            status, output = self.run(
                [
                    sys.executable,
                    "torch_peer.py",
                    json.dumps(item),
                    "--repeat",
                    str(self.args.repeat),
                ]
            )
            self.count("peer " + item["name"], status, output)
            if status:
                continue
            peer = json.loads(output.strip().splitlines()[-1])
            entry = self.results["bench"].setdefault(item["name"], {})
            entry["torch"] = peer
            if "milliseconds" in entry:
                entry["torch_over_tpc"] = peer["milliseconds"] / entry["milliseconds"]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "results", nargs="?", default=os.path.join(HERE, "results.json")
    )
    parser.add_argument("--limit", type=float, default=460, metavar="SECONDS")
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument(
        "--without-peer",
        action="store_true",
        help="where PyTorch or its GPU is missing",
    )
    args = parser.parse_args()
    runner = Runner(args)
    with open(os.path.join(HERE, "plan.json"), encoding="utf-8") as file:
        plan = json.load(file)
    runner.conformance(plan)
    runner.numeric(plan)
    runner.bench(plan)
    if not args.without_peer:
        runner.peer(plan)
    runner.results["seconds"] = round(time.monotonic() - runner.begin, 1)
    with open(args.results, "w", encoding="utf-8") as file:
        json.dump(runner.results, file, indent=1)
    print(
        f"{runner.results['passed']} passed, {runner.results['failed']} failed, "
        f"{len(runner.results['not_run'])} not run; {args.results}"
    )
    return 1 if runner.results["failed"] or runner.results["not_run"] else 0


if __name__ == "__main__":
    sys.exit(main())
