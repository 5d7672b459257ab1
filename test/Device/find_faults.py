#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes one fault after the other in a program on the simulated device and counts those that are found.

  find_faults.py --fault drop-wait --first 0 --count 40 --least 5 --finding TEXT -- COMMAND
  find_faults.py --fault drop-wait --rank 1 --silent 9,18 -- COMMAND

The N-th run makes the N-th occurrence of the fault, on any rank or on one. Not every one is wrong: a wait for what is long
done orders nothing. But a run in which something is found fails, and at least `--least` say TEXT. With `--silent` all
occurrences are made, and of these and no others nothing is noticed, not even values that differ. Exit status 1 otherwise.
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
    parser.add_argument("--finding", default="")
    parser.add_argument("--rank", type=int)
    parser.add_argument("--silent")
    args = parser.parse_args()
    found, made, wrong, differ, silent = 0, 0, 0, 0, []
    rank = "" if args.rank is None else f"@{args.rank}"
    last = args.first + args.count * args.step
    for number in range(args.first, 10000 if args.silent is not None else last, args.step):
        environment = {**os.environ, "TPC_SIM_FAULT": f"{args.fault}:{number}{rank}"}
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=120
        )
        if f"fault {args.fault} made" not in done.stderr:
            break
        made += 1
        if "simulated device: error" not in done.stderr:
            if done.returncode == 0:
                silent.append(str(number))
            differ += done.returncode == 1
            wrong += done.returncode not in (0, 1)
            continue
        found += args.finding in done.stderr
        if done.returncode == 0:
            wrong += 1
            print(
                f"{args.fault}:{number}: exit status {done.returncode}\n{done.stderr[:2000]}"
            )
    print(
        f"{args.fault}: made {made}, found {found} of at least {args.least}, {differ} by values alone; "
        f"not noticed {','.join(silent) or 'none'}; {wrong} not as expected"
    )
    if args.silent is not None and silent != [n for n in args.silent.split(",") if n]:
        return 1
    return 0 if found >= args.least and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
