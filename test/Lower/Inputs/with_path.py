# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program that is found as usual with another PATH: PATH PROGRAM ARG..."""

import os
import shutil
import subprocess
import sys

path, program, *arguments = sys.argv[1:]
command = [shutil.which(program), *arguments]
sys.exit(subprocess.call(command, env={**os.environ, "PATH": path}))
