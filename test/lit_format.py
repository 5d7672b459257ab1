# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The test formats of the other lit runs. A module of its own, because lit
hands test formats to worker processes by name."""

import lit.formats


class CallsTpcOpt(lit.formats.ShTest):
    """Shell tests whose text mentions tpc-opt."""

    def getTestsInDirectory(self, suite, path, lit_config, local_config):
        for test in super().getTestsInDirectory(
            suite, path, lit_config, local_config
        ):
            with open(test.getSourcePath(), encoding="utf-8") as file:
                if "tpc-opt" in file.read():
                    yield test


class CallsTpcRun(lit.formats.ShTest):
    """Shell tests of the folders whose tests run compiled programs."""

    def getTestsInDirectory(self, suite, path, lit_config, local_config):
        if path[:1] in (("Numeric",), ("Cases",)):
            for test in super().getTestsInDirectory(
                suite, path, lit_config, local_config
            ):
                with open(test.getSourcePath(), encoding="utf-8") as file:
                    text = file.read()
                if "tpc-run" in text or "%numeric/" in text:
                    yield test
