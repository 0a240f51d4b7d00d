"""Search speed of one and of several clients, with default and less frequent garbage collection.

    python benchmarks/clients.py [--set climatefever-open] [--clients 8] [--rounds 3]

Both settings alternate, each round in its own process: all questions of the set once by one client
and once by several, without the reranker. Prints medians over the rounds.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from open_sets import collection, load

from pincite.evaluate.run import configurations
from pincite.pipeline import search
from pincite.records.flow import Question

CALM = 20_000
SETTINGS = {"as Python has it": 0, f"gc.set_threshold({CALM})": CALM}


def measured(name: str, clients: int, threshold: int) -> dict[str, list[float]]:
    """For one client and for several: median and 95th percentile in ms, questions per second."""
    if threshold:
        gc.set_threshold(threshold)
    data = load(name)
    with collection(data) as made:
        (fused,) = configurations(["fused"], made.library.settings)
        stages = made.library.stages_with(fused.settings)

        def seconds(text: str) -> float:
            started = time.perf_counter()
            search(Question(text=text), stages)
            return time.perf_counter() - started

        texts = [question.text for question in data.questions]
        for text in texts[:20]:
            seconds(text)
        found = {}
        for count in (1, clients):
            started = time.perf_counter()
            with ThreadPoolExecutor(count) as pool:
                taken = list(pool.map(seconds, texts))
            rate = len(texts) / (time.perf_counter() - started)
            median, high = 1000 * np.percentile(taken, [50, 95])
            found[str(count)] = [float(median), float(high), rate]
    return found


def elsewhere(arguments: argparse.Namespace, threshold: int) -> dict[str, list[float]]:
    """One round in another process."""
    command = [
        sys.executable,
        __file__,
        "--set",
        arguments.set,
        "--clients",
        str(arguments.clients),
    ]
    done = subprocess.run(
        [*command, "--threshold", str(threshold)], capture_output=True, text=True, check=True
    )
    found: dict[str, list[float]] = json.loads(done.stdout)
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--set", default="climatefever-open")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threshold", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.threshold is not None:
        print(json.dumps(measured(arguments.set, arguments.clients, arguments.threshold)))
        return
    with collection(load(arguments.set)):
        pass  # the library is made before anything is measured
    rounds = [
        {name: elsewhere(arguments, threshold) for name, threshold in SETTINGS.items()}
        for _ in range(arguments.rounds)
    ]
    print(
        f"{arguments.set}, {arguments.rounds} rounds; median ms, 95th percentile, questions per s"
    )
    for count in dict.fromkeys(("1", str(arguments.clients))):
        for name in SETTINGS:
            median, high, rate = np.median([taken[name][count] for taken in rounds], axis=0)
            print(f"  clients {count:<3} {name:<24} {median:6.1f} {high:6.1f} {rate:6.1f}")


if __name__ == "__main__":
    main()
