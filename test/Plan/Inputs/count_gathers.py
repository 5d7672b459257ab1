#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the all-gathers of parameters in a report, by phase.

count_gathers.py --forward N --backward M < report.json
count_gathers.py --sweep -- COMMAND: runs COMMAND with budgets between what regather and what keep needs. Each plan must
fit, by its estimate; fewer bytes never mean fewer gathers; a byte less than all parameters gathered again need is
refused."""

import argparse
import json
import subprocess
import sys


def gathers(report, phase):
    return sum(
        (len(c["parts"]) if "parts" in c else 1) * c.get("times", 1)
        for c in report["collectives"]
        if c["kind"] == "all_gather" and c["phase"] == phase and ".w" in c["value"]
    )


def compile_with(command, *more):
    done = subprocess.run([*command, "--report=json", *more], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else done


def sweep(command):
    keep = compile_with(command)
    least = compile_with(command, "--gather-reuse=regather")
    low, high = least["peak_bytes"], keep["peak_bytes"]
    assert low < high, f"expected gathering again to take less than {high}, got {low}"
    last = gathers(keep, "backward")
    seen = set()
    for step in range(5):
        budget = high - 1 - (high - 1 - low) * step // 4
        report = compile_with(command, f"--memory-budget={budget}")
        assert isinstance(report, dict), f"budget {budget}: {report.stderr}"
        assert report["peak_bytes"] <= budget, f"budget {budget}: got {report['peak_bytes']}"
        count = gathers(report, "backward")
        assert count >= last, f"budget {budget}: {count} gathers after {last}"
        last = count
        seen.add(count)
    assert len(seen) > 2, f"expected the number of gathers to follow the budget, got {sorted(seen)}"
    refused = compile_with(command, f"--memory-budget={low // 2}")
    assert not isinstance(refused, dict) and refused.returncode == 1, "expected half the least to be refused"
    assert f"at most {low // 2} bytes" in refused.stderr, refused.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--forward", type=int)
    parser.add_argument("--backward", type=int)
    parser.add_argument("--sweep", action="store_true")
    parser.add_argument("command", nargs="*")
    args = parser.parse_args()
    if args.sweep:
        return sweep(args.command)
    report = json.load(sys.stdin)
    got = gathers(report, "forward"), gathers(report, "backward")
    if got != (args.forward, args.backward):
        sys.exit(f"error: expected {args.forward} forward and {args.backward} backward gathers of parameters, got {got}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
