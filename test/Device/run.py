#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what plan.json lists and writes one JSON file; see run.sh.

The order is that of worth: conformance, values of single ranks, benchmarks, the other values, the peer. What the time
limit cuts off is listed as not run. Exit status 1 when anything failed or was cut off; without PyTorch there is no peer,
which is no failure."""

import argparse
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


class Runner:
    def __init__(self, args):
        self.args = args
        self.begin = time.monotonic()
        self.is_cut = False
        self.results = {
            "passed": 0,
            "failed": 0,
            "not_run": [],
            "failures": {},
            "conformance": 0,
            "numeric": [],
            "bench": {},
        }

    def left(self):
        return self.args.limit - (time.monotonic() - self.begin)

    def run(self, command, most, environment=None):
        """Exit status, standard output and both outputs; a negative status when the time of all is over. A command has
        `most` seconds; one that takes longer has failed, unless it had less because of that."""
        left = self.left()
        if left < 5:
            return -1, "", "no time left"
        environment = {**os.environ, **(environment or {})}
        if command[0].startswith("bin/"):
            environment["LD_LIBRARY_PATH"] = ":".join(
                filter(
                    None,
                    [
                        os.environ.get("TPC_LIBRARIES"),
                        os.environ.get("LD_LIBRARY_PATH"),
                    ],
                )
            )
        most *= self.args.patience
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            try:
                child = subprocess.Popen(
                    command,
                    cwd=HERE,
                    stdout=out,
                    stderr=err,
                    env=environment,
                    start_new_session=True,
                )
                status = child.wait(timeout=min(most, left))
            except OSError as error:
                return 1, "", str(error)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                # What it held of the GPU is the next one's.
                child.wait(timeout=20)
                status = None
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode(errors="replace"))
        if status is None and left < most:
            return -1, texts[0], "the time is over"
        if status is None:
            return 1, texts[0], f"{texts[0]}{texts[1]}did not end in {most:.0f} s"
        return abs(status), texts[0], texts[0] + texts[1]

    def count(self, name, status, output):
        if status < 0:
            self.results["not_run"].append(name)
            self.is_cut = True
            word = "not run"
        else:
            self.results["failed" if status else "passed"] += 1
            word = "FAIL" if status else "ok"
        print(f"{word:8}{name}  ({time.monotonic() - self.begin:.0f} s)", flush=True)
        if word == "FAIL":
            print(output[-3000:], flush=True)
            self.results["failures"][name] = output[-3000:]
        self.write()

    def write(self):
        """After every item, so that nothing that is known is lost."""
        self.results["seconds"] = round(time.monotonic() - self.begin, 1)
        with open(self.args.results + ".tmp", "w", encoding="utf-8") as file:
            json.dump(self.results, file, indent=1)
        os.replace(self.args.results + ".tmp", self.args.results)

    def describe(self):
        """What runs here: the GPU and its driver, what tpc's libraries are, and PyTorch, if there is one."""
        gpu = self.run(
            ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
            20,
        )
        has_torch = importlib.util.find_spec("torch") is not None
        torch = (1, "")
        if has_torch:
            torch = self.run(
                [sys.executable, "-c", "import torch; print(torch.__version__)"], 90
            )
            if torch[0]:
                self.count("import torch", torch[0], torch[2])
        self.results["gpu"] = gpu[1].strip()
        libraries = self.run(["bin/libraries.py"], 60)
        self.results["libraries"] = libraries[1].splitlines()
        print(libraries[2], end="", flush=True)
        self.has_attention = "libtpc_rt_attention.so: found" in libraries[1]
        self.results["torch"] = torch[1].strip() if torch[0] == 0 else None
        self.write()

    def is_left_out(self, item, name):
        """Attention in one call needs cuDNN, which may be missing; that is no failure."""
        if not item.get("attention") or self.has_attention:
            return False
        self.results["not_run"].append(f"{name}: cuDNN is missing")
        print(f"{'not run':8}{name}: cuDNN is missing", flush=True)
        return True

    def conformance(self, plan):
        """Several ranks share the GPU; NCCL, which wants one for each, is in `numeric`."""
        for suite in plan["conformance"]:
            status, _, output = self.run(
                [
                    "bin/tpc-rt-conformance",
                    "--gtest_brief=1",
                    f"--gtest_filter={suite}",
                ],
                60,
                {"TPC_RT_CONFORMANCE": "cuda local"},
            )
            passed = re.search(r"PASSED  \] (\d+) test", output)
            number = int(passed.group(1)) if passed else 0
            self.results["conformance"] += number
            # What skips everything proves nothing.
            if status == 0 and not number:
                status = 1
            self.count(f"conformance cuda x local {suite}", status, output)

    def numeric(self, items, communicators):
        for item, communicator in [(i, c) for i in items for c in communicators]:
            name = f"{item['name']} {communicator}"
            if self.is_left_out(item, name):
                continue
            out = os.path.join(HERE, "out.safetensors")
            begin = time.monotonic()
            if os.path.exists(out):
                os.unlink(out)
            status, _, output = self.run(
                [
                    *("bin/tpc-run", item["artifact"], "-n", str(item["ranks"])),
                    *("--comm", communicator, "--inputs", item["inputs"]),
                    *("--outputs", out, "--repeat", "2"),
                ],
                45,
            )
            if status == 0:
                status, _, output = self.run(
                    [
                        *(sys.executable, "check.py", out),
                        *("--expect", item["expected"], *item["tolerance"]),
                    ],
                    45,
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
            if self.is_left_out(item, "bench " + item["name"]):
                continue
            status, _, output = self.run(
                [
                    "bin/tpc-run",
                    item["artifact"],
                    "-n",
                    "1",
                    "--seed",
                    "1",
                    "--repeat",
                    str(self.args.repeat),
                ],
                60,
            )
            step = re.search(
                r"step time: median ([\d.]+) ms, least ([\d.]+) ms", output
            )
            if status == 0 and not step:
                status = 1
            if status:
                self.count("bench " + item["name"], status, output)
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
            self.count("bench " + item["name"], status, output)

    def peer(self, plan):
        """The same work in PyTorch on the same GPU; ratios above 1 mean that tpc is faster."""
        if not self.results["torch"]:
            self.results["not_run"].append("peer: there is no PyTorch")
            return
        for item in plan["bench"]:
            if item["name"] not in self.results["bench"]:
                continue
            status, said, output = self.run(
                [
                    sys.executable,
                    "torch_peer.py",
                    json.dumps(item),
                    "--repeat",
                    str(self.args.repeat),
                ],
                90,
            )
            peer = None
            if status == 0:
                try:
                    answers = [x for x in said.splitlines() if x.startswith("{")]
                    peer = json.loads(answers[-1])
                    milliseconds = float(peer["milliseconds"])
                except (IndexError, KeyError, TypeError, ValueError):
                    status, output = 1, "no answer with milliseconds: " + output
            if status == 0:
                entry = self.results["bench"][item["name"]]
                entry["torch"] = peer
                entry["torch_over_tpc"] = milliseconds / entry["milliseconds"]
            self.count("peer " + item["name"], status, output)


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
        "--patience",
        type=float,
        default=1,
        metavar="FACTOR",
        help="times the seconds that each command has",
    )
    parser.add_argument(
        "--without-peer",
        action="store_true",
        help="where PyTorch or its GPU is missing",
    )
    args = parser.parse_args()
    runner = Runner(args)
    with open(os.path.join(HERE, "plan.json"), encoding="utf-8") as file:
        plan = json.load(file)
    runner.describe()
    runner.conformance(plan)
    single = [item for item in plan["numeric"] if item["ranks"] == 1]
    runner.numeric(single, ["local", "nccl"])
    runner.bench(plan)
    runner.numeric([i for i in plan["numeric"] if i["ranks"] > 1], ["local"])
    if not args.without_peer:
        runner.peer(plan)
    runner.write()
    print(
        f"{runner.results['passed']} passed, {runner.results['failed']} failed, "
        f"{len(runner.results['not_run'])} not run; {args.results}"
    )
    return 1 if runner.results["failed"] or runner.is_cut else 0


if __name__ == "__main__":
    sys.exit(main())
