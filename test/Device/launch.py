#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Starts a command as the processes of a launcher, with the variables that it sets.

What the ranks print comes out rank by rank, in front of it who says it, then the
statuses. Nobody outlives the limit: what is left then is ended and said to hang.

    launch.py --launcher srun -n 4 -- tpc-run step.so --comm nccl
"""

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time


def variables(launcher, rank, ranks):
    """What the launcher says to a process."""
    names = {
        "tpc": ("TPC_RANK", "TPC_WORLD_SIZE", "TPC_LOCAL_RANK"),
        "torchrun": ("RANK", "WORLD_SIZE", "LOCAL_RANK"),
        "mpirun": (
            "OMPI_COMM_WORLD_RANK",
            "OMPI_COMM_WORLD_SIZE",
            "OMPI_COMM_WORLD_LOCAL_RANK",
        ),
        "hydra": ("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"),
        "srun": ("SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"),
    }[launcher]
    result = dict(zip(names, (str(rank), str(ranks), str(rank))))
    if launcher == "torchrun":
        result["TORCHELASTIC_RUN_ID"] = "none"
    if launcher == "srun":
        result.update(SLURM_JOB_ID="8", SLURM_STEP_ID="1")
    return result


def free_port():
    """One that is free, and whose next one is."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            try:
                second.bind(("127.0.0.1", first.getsockname()[1] + 1))
            except OSError:
                continue
            return first.getsockname()[1]


def of_rank(text):
    """`2:VALUE`"""
    rank, _, value = text.partition(":")
    return int(rank), value


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--launcher", default="torchrun")
    parser.add_argument("-n", type=int, required=True)
    parser.add_argument("--file", action="store_true", help="ranks meet by a file")
    parser.add_argument("--missing", type=int, help="a rank that is not started")
    parser.add_argument(
        "--set", type=of_rank, action="append", default=[], metavar="RANK:NAME=VALUE"
    )
    parser.add_argument(
        "--argument",
        type=of_rank,
        action="append",
        default=[],
        metavar="RANK:ARGUMENT",
        help="in place of the first argument",
    )
    parser.add_argument(
        "--kill",
        type=of_rank,
        metavar="RANK:CALL",
        help="end this rank when the simulated device has logged the call",
    )
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("command", nargs="+")
    return parser.parse_args()


def main():
    options = parse()
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ)
        if options.file:
            environment["TPC_RENDEZVOUS"] = os.path.join(folder, "meet")
        else:
            environment.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free_port()))
        log = os.path.join(folder, "log")
        children, files = {}, {}
        for rank in range(options.n):
            if rank == options.missing:
                continue
            own = environment | variables(options.launcher, rank, options.n)
            if options.kill and options.kill[0] == rank:
                own["TPC_SIM_LOG"] = log
            for of, assignment in options.set:
                if of == rank:
                    name, _, own[name] = assignment.partition("=")
            command = list(options.command)
            for of, argument in options.argument:
                if of == rank:
                    command[1] = argument
            files[rank] = open(os.path.join(folder, f"out{rank}"), "w+b")
            children[rank] = subprocess.Popen(
                command, env=own, stdout=files[rank], stderr=subprocess.STDOUT
            )
        end = time.monotonic() + options.limit
        waiting = options.kill
        while any(child.poll() is None for child in children.values()):
            if waiting and os.path.exists(log):
                with open(log, encoding="utf-8") as text:
                    if f'"{waiting[1]}"' in text.read():
                        children[waiting[0]].send_signal(signal.SIGKILL)
                        waiting = None
            if time.monotonic() > end:
                break
            time.sleep(0.02)
        for rank, child in children.items():
            hangs = child.poll() is None
            if hangs:
                child.kill()
            status = child.wait()
            files[rank].seek(0)
            for line in files[rank].read().decode().splitlines():
                print(f"{rank}: {line}")
            files[rank].close()
            print(f"{rank}: " + ("hangs" if hangs else f"status {status}"))
    return int(any(child.returncode for child in children.values()))


if __name__ == "__main__":
    sys.exit(main())
