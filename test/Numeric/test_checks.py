#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of the judges themselves: check.py and check_report.py must fail where they should, and say why."""

import copy
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

import check
import tensorfile
from uneven_programs import PROGRAMS

HERE = os.path.dirname(os.path.abspath(__file__))
REPORT = {
    "mesh": {"dp": 2, "tp": 4},
    "objective": "bytes",
    "lower_bound": 120,
    "cost": 120,
    "lower_bound_vector": [120, 7],
    "cost_vector": [120, 7],
    "totals": {"collectives": 1, "wire_bytes": 120},
    "collectives": [
        {
            "phase": "forward",
            "kind": "all_reduce",
            "axes": ["tp"],
            "op": "sum",
            "dtype": "f32",
            "bytes": 80,
            "wire_bytes": 120,
            "times": 1,
            "seconds": 1e-6,
            "value": "y",
            "loc": "toy.py:16",
            "from": "[tp: P(sum)]",
            "to": "[]",
            "why": "the contraction dim is sharded",
        }
    ],
}


class Scripts(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run_script(self, name, *arguments):
        done = subprocess.run(
            [sys.executable, os.path.join(HERE, name), *arguments],
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stdout + done.stderr

    def report(self, *arguments, **changes):
        report = copy.deepcopy(REPORT)
        for key, value in changes.items():
            if key in report:
                report[key] = value
            else:
                report["collectives"][0][key] = value
        with open(self.path("report.json"), "w", encoding="utf-8") as file:
            json.dump(report, file)
        return self.run_script("check_report.py", self.path("report.json"), *arguments)

    def fails(self, result, text):
        self.assertEqual(result[0], 1, result[1])
        self.assertIn(text, result[1])

    def test_tensors_survive_a_round_trip(self):
        tensors = {
            "a": ("F32", (2, 2), [1.5, -2.0, 0.0, 4.0]),
            "b": ("F64", (), [0.1]),
            "c": ("BF16", (1,), [-1.5]),
            "d": ("I64", (0,), []),
            "e": ("F16", (1,), [0.25]),
            "f": ("BOOL", (2,), [1, 0]),
        }
        tensorfile.write(self.path("t"), tensors)
        read = tensorfile.read(self.path("t"))
        self.assertEqual(
            read, {n: (shape, values) for n, (_, shape, values) in tensors.items()}
        )

    def test_broken_files_are_refused(self):
        with open(self.path("short"), "wb") as file:
            file.write(b"123")
        with self.assertRaisesRegex(
            ValueError, "expected a safetensors header, got 3 bytes"
        ):
            tensorfile.read(self.path("short"))
        header = json.dumps(
            {"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}}
        ).encode()
        with open(self.path("lies"), "wb") as file:
            file.write(struct.pack("<Q", len(header)) + header + b"\0" * 4)
        with self.assertRaisesRegex(
            ValueError, "tensor 'a' expected 8 bytes, got 4 of 4"
        ):
            tensorfile.read(self.path("lies"))

    def compare(self, expected, got, *arguments):
        tensorfile.write(self.path("e"), expected)
        tensorfile.write(self.path("g"), got)
        return self.run_script(
            "check.py", "--expect", self.path("e"), self.path("g"), *arguments
        )

    def test_equal_tensors_pass(self):
        status, text = self.compare(
            {"y": ("F64", (2,), [1.0, float("nan")])},
            {"y": ("F32", (2,), [1.000001, float("nan")])},
        )
        self.assertEqual(status, 0, text)
        self.assertIn("ok   y: max error", text)

    def test_differences_fail(self):
        one = {"y": ("F64", (2,), [1.0, 2.0])}
        self.fails(
            self.compare(one, {"y": ("F64", (2,), [1.0, 2.1])}),
            "at element 1: expected 2.0, got 2.1",
        )
        self.fails(
            self.compare(one, {"y": ("F64", (2,), [1.0, float("nan")])}), "FAIL y"
        )
        self.fails(
            self.compare(one, {"y": ("F64", (1, 2), [1.0, 2.0])}),
            "expected shape [2], got [1, 2]",
        )
        self.fails(
            self.compare(one, {"z": ("F64", (), [1.0])}),
            "y: missing from the output, which has z",
        )
        self.fails(
            self.compare(one, one, "--without", "q*"),
            "--without 'q*' matches no tensor",
        )
        self.fails(self.compare(one, one, "--without", "y"), "0 passed")

    def test_a_report_that_holds_passes(self):
        status, text = self.report(
            "--forward",
            "all_gather[tp]:1",
            "--forward",
            "all_reduce[tp]:80",
            "--backward",
            "none",
            "--all",
            "all_reduce[tp]:80*1",
            "--max",
            "120",
            "--forward-count",
            "1",
            "--forward-max",
            "120",
            "--kinds",
            "all_reduce",
        )
        self.assertEqual(status, 0, text)

    def test_what_is_in_a_loop_counts_as_often_as_it_runs(self):
        totals = {"collectives": 3, "wire_bytes": 360}
        status, text = self.report(
            "--all", "all_reduce[tp]:80*3", "--max", "360", times=3, totals=totals
        )
        self.assertEqual(status, 0, text)
        self.fails(
            self.report("--max", "359", times=3, totals=totals),
            "expected at most 359 wire bytes, got 360",
        )
        self.fails(self.report(times=3), "expected totals of 3 collectives and 360")

    def test_a_report_that_does_not_hold_fails(self):
        self.fails(
            self.report("--forward", "none"),
            "forward: expected none, got all_reduce[tp]:80",
        )
        self.fails(
            self.report("--all", "all_reduce[tp]:80*2"),
            "all: expected all_reduce[tp]:80*2, got all_reduce[tp]:80",
        )
        self.fails(
            self.report("--forward-count", "0"), "forward: expected 0 collectives"
        )
        self.fails(
            self.report("--forward-max", "119"),
            "forward: expected at most 119 wire bytes, got 120",
        )
        self.fails(
            self.report("--max", "119"), "expected at most 119 wire bytes, got 120"
        )
        self.fails(
            self.report("--kinds", "all_gather"),
            "expected no collectives but all_gather, got all_reduce",
        )
        self.fails(
            self.report(wire_bytes=60),
            "expected 120 wire bytes for 80 bytes on 4 ranks, got 60",
        )
        self.fails(
            self.report(lower_bound=60), "expected lower_bound == cost, got 60 and 120"
        )
        self.fails(
            self.report(cost_vector=[120, 8]),
            "expected lower_bound_vector == cost_vector, got [120, 7] and [120, 8]",
        )
        self.fails(
            self.report(totals={"collectives": 2, "wire_bytes": 120}),
            "expected totals of 1 collectives and 120 wire bytes, got",
        )
        self.fails(self.report(why=" "), "expected a reason in 'why'")
        self.fails(
            self.report(loc="/tmp/toy.py:3"), "expected a relative source location"
        )
        self.fails(
            self.report(phase="sideways"),
            "expected a phase of forward, backward, update, got 'sideways'",
        )
        self.fails(
            self.report("--forward", "all_reduce"),
            "expected KIND[AXIS,..]:BYTES, got 'all_reduce'",
        )

    def test_costs_are_compared_under_one_objective(self):
        for changes, text in (
            ({"cost": 100}, "expected a cost of at most 100, got 120"),
            (
                {"cost_vector": [120, 6]},
                "expected a cost of at most [120, 6], got [120, 7]",
            ),
            ({"objective": "time"}, "expected the objective 'time', got 'bytes'"),
        ):
            with open(self.path("other.json"), "w", encoding="utf-8") as file:
                json.dump({**REPORT, **changes}, file)
            self.fails(self.report("--not-above", self.path("other.json")), text)

    def test_documents_are_compared_with_what_their_commands_print(self):
        for shown, status in (
            ("a ... c\n", 0),
            ("a b d\n", 1),
            ("a\n", 1),
            ("...\n", 0),
        ):
            with open(self.path("doc.md"), "w", encoding="utf-8") as file:
                file.write(f"text\n```console\n$ echo a b c\n{shown}```\n")
            result = self.run_script(
                "console.py", self.path("doc.md"), "--work", self.path("w")
            )
            self.assertEqual(result[0], status, result[1])
        self.assertIn("--- expected\na\n--- got\na b c\n", self.run_doc("a\n")[1])
        self.assertEqual(self.run_doc("", "false")[0], 1)

    def run_doc(self, shown, command="echo a b c"):
        with open(self.path("doc.md"), "w", encoding="utf-8") as file:
            file.write(f"```console\n$ {command}\n{shown}```\n")
        return self.run_script(
            "console.py", self.path("doc.md"), "--work", self.path("w")
        )

    def test_the_programs_of_uneven_py_have_the_gradients_they_say(self):
        for name, program in PROGRAMS.items():
            shapes = program.shapes(3, 4)
            values = [
                [
                    ((7 * i + 3 * k) % 11 - 5) / 4 + 0.01 * i
                    for i in range(tensorfile.count(s))
                ]
                for k, s in enumerate(shapes)
            ]
            y = program.forward(values, shapes)
            g = [((5 * i) % 7 - 3) / 4 for i in range(len(y))]
            for k, gradient in enumerate(program.backward(values, shapes, g)):
                for i, exact in enumerate(gradient):
                    sides = []
                    for h in (1e-6, -1e-6):
                        moved = [list(v) for v in values]
                        moved[k][i] += h
                        sides.append(
                            sum(
                                a * b for a, b in zip(g, program.forward(moved, shapes))
                            )
                        )
                    self.assertAlmostEqual(
                        (sides[0] - sides[1]) / 2e-6, exact, places=5, msg=name
                    )


if __name__ == "__main__":
    unittest.main()
