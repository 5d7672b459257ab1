#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes one fault after the other in a program on the simulated device and counts those that are found.

  find_faults.py --fault drop-wait --first 0 --count 40 --least 5 --finding TEXT -- COMMAND

The N-th run makes the N-th occurrence of the fault. Not every one is wrong: a wait for what is long done orders nothing.
But a run in which something is found fails, and at least `--least` say TEXT. Exit status 1 otherwise.
"""

import argparse
import os
import subprocess
import sys


def main():
    cut = sys.argv.index("--")
    sys.argv, command = sys.argv[:cut], sys.argv[cut + 1 :]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fault", required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--least", type=int, default=1)
    parser.add_argument("--finding", required=True)
    args = parser.parse_args()
    found, made, wrong = 0, 0, 0
    for number in range(args.first, args.first + args.count * args.step, args.step):
        environment = {**os.environ, "TPC_SIM_FAULT": f"{args.fault}:{number}"}
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=120
        )
        if f"fault {args.fault} made" not in done.stderr:
            break
        made += 1
        if "simulated device: error" not in done.stderr:
            continue
        found += args.finding in done.stderr
        if done.returncode == 0:
            wrong += 1
            print(
                f"{args.fault}:{number}: exit status {done.returncode}\n{done.stderr[:2000]}"
            )
    print(
        f"{args.fault}: made {made}, found {found}, of which at least {args.least}; {wrong} not as expected"
    )
    return 0 if found >= args.least and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
