#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a collective report (`tpc-compile --report=json`) against what a test says it must hold.

A list of collectives is written `KIND[AXIS,..]:BYTES KIND[AXIS,..]:BYTES*COUNT ...`, or `none`; the order does
not matter, and one in a loop counts as often as it runs. An option given several times names alternatives, one of which must be met exactly.
Always checked: wire_bytes against the formulas of each kind, the lower bound against the cost, the totals.
"""

import argparse
import collections
import json
import re
import sys

ITEM = re.compile(r"^(\w+)\[([\w,]+)\]:(\d+)(?:\*(\d+))?$")
# Received per rank, as a share of `bytes`, in a group of n ranks.
WIRE = {
    "all_reduce": lambda n: 2 * (n - 1) / n,
    "all_gather": lambda n: (n - 1) / n,
    "reduce_scatter": lambda n: (n - 1) / n,
    "all_to_all": lambda n: (n - 1) / n,
    "permute": lambda n: 1,
}
PHASES = ("forward", "backward", "update")


def parse(text):
    """The multiset of (kind, axes, bytes) that `text` describes."""
    wanted = collections.Counter()
    if text.strip() == "none":
        return wanted
    for word in text.split():
        match = ITEM.match(word)
        if not match:
            sys.exit(f"error: expected KIND[AXIS,..]:BYTES, got '{word}'")
        kind, axes, size, times = match.groups()
        wanted[(kind, tuple(sorted(axes.split(","))), int(size))] += int(times or 1)
    return wanted


def show(items):
    words = [
        f"{k}[{','.join(a)}]:{b}" + (f"*{n}" if n > 1 else "")
        for (k, a, b), n in sorted(items.items())
    ]
    return " ".join(words) or "none"


def found(report, phase=None):
    actual = collections.Counter()
    for c in report["collectives"]:
        if phase in (None, c["phase"]):
            actual[(c["kind"], tuple(sorted(c["axes"])), c["bytes"])] += c["times"]
    return actual


def close(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b), 1e-12)


def check_formulas(report, uneven, fail):
    """The rules that hold for every report."""
    for c in report["collectives"]:
        where = f"{c['phase']} {c['kind']} of '{c['value']}'"
        n = 1
        for axis in c["axes"]:
            n *= report["mesh"][axis]
        if c["kind"] in WIRE and not uneven:
            expected = WIRE[c["kind"]](n) * c["bytes"]
            if abs(c["wire_bytes"] - expected) >= 1:
                fail(
                    f"{where}: expected {expected:g} wire bytes for {c['bytes']} bytes on {n} ranks, got {c['wire_bytes']}"
                )
        if c["phase"] not in PHASES:
            fail(
                f"{where}: expected a phase of {', '.join(PHASES)}, got '{c['phase']}'"
            )
        if not c["why"].strip():
            fail(f"{where}: expected a reason in 'why'")
        if c["loc"].startswith("/"):
            fail(f"{where}: expected a relative source location, got '{c['loc']}'")
    totals = report["totals"]
    number = sum(c["times"] for c in report["collectives"])
    if (totals["collectives"], totals["wire_bytes"]) != (number, wire_total(report)):
        fail(
            f"expected totals of {number} collectives and {wire_total(report)} wire bytes, got {totals}"
        )
    bound, cost = report.get("lower_bound_vector"), report.get("cost_vector")
    if bound != cost:
        fail(f"expected lower_bound_vector == cost_vector, got {bound} and {cost}")
    if not close(report["lower_bound"], report["cost"]):
        fail(
            f"expected lower_bound == cost, got {report['lower_bound']} and {report['cost']}"
        )


def wire_total(report, phase=None):
    return sum(
        c["times"] * c["wire_bytes"]
        for c in report["collectives"]
        if phase in (None, c["phase"])
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("report")
    for phase in PHASES:
        parser.add_argument(
            f"--{phase}",
            action="append",
            default=[],
            metavar="LIST",
            help=f"exactly these collectives in {phase}",
        )
        parser.add_argument(
            f"--{phase}-count",
            type=int,
            metavar="N",
            help=f"exactly N collectives in {phase}",
        )
        parser.add_argument(
            f"--{phase}-max",
            type=int,
            metavar="WIRE",
            help=f"at most WIRE wire bytes in {phase}",
        )
    parser.add_argument(
        "--all",
        action="append",
        default=[],
        metavar="LIST",
        help="exactly these, whatever the phase",
    )
    parser.add_argument(
        "--max", type=int, metavar="WIRE", help="at most WIRE wire bytes in all phases"
    )
    parser.add_argument(
        "--kinds", metavar="KIND,..", help="no other kind of collective"
    )
    parser.add_argument(
        "--not-above", metavar="REPORT", help="cost at most that of this other report"
    )
    parser.add_argument(
        "--uneven",
        action="store_true",
        help="shards differ in size: do not check wire_bytes",
    )
    args = parser.parse_args()
    with open(args.report, encoding="utf-8") as file:
        report = json.load(file)
    failures = []
    check_formulas(report, args.uneven, failures.append)
    for phase in (*PHASES, None):
        name = phase or "all"
        options = getattr(args, name)
        actual = found(report, phase)
        if options and actual not in [parse(text) for text in options]:
            failures.append(
                f"{name}: expected {' | '.join(show(parse(text)) for text in options)}, got {show(actual)}"
            )
    for phase in PHASES:
        number, limit = getattr(args, f"{phase}_count"), getattr(args, f"{phase}_max")
        if number is not None and sum(found(report, phase).values()) != number:
            failures.append(
                f"{phase}: expected {number} collectives, got {show(found(report, phase))}"
            )
        if limit is not None and wire_total(report, phase) > limit:
            failures.append(
                f"{phase}: expected at most {limit} wire bytes, got {wire_total(report, phase)}: {show(found(report, phase))}"
            )
    if args.max is not None and wire_total(report) > args.max:
        failures.append(
            f"expected at most {args.max} wire bytes, got {wire_total(report)}: {show(found(report))}"
        )
    if args.kinds is not None:
        other = {c["kind"] for c in report["collectives"]} - set(args.kinds.split(","))
        if other:
            failures.append(
                f"expected no collectives but {args.kinds}, got {', '.join(sorted(other))}"
            )
    if args.not_above:
        with open(args.not_above, encoding="utf-8") as file:
            limit = json.load(file)
        if limit["objective"] != report["objective"]:
            failures.append(
                f"expected the objective '{limit['objective']}', got '{report['objective']}'"
            )
        # The vector is lexicographic: under bytes, the wire bytes and then the time.
        if report.get("cost_vector", []) > limit.get("cost_vector", []):
            failures.append(
                f"expected a cost of at most {limit['cost_vector']}, got {report['cost_vector']}"
            )
        if report["cost"] > limit["cost"] * (1 + 1e-9):
            failures.append(
                f"expected a cost of at most {limit['cost']}, got {report['cost']}"
            )
    for text in failures:
        print(f"FAIL {text}")
    for phase in PHASES:
        print(f"{phase}: {show(found(report, phase))}")
    print(
        f"cost {report['cost']} lower bound {report['lower_bound']} wire bytes {wire_total(report)}"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
