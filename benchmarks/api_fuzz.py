"""Fuzzes the server's API with schemathesis, from its own OpenAPI description.

    PYTHONPATH=src python benchmarks/api_fuzz.py [--examples 15] [--seed 1]

Serves the sample documents twice, without keys and with them; the client's key has every scope. Each
operation gets examples at the edges of its schema, random ones, and sequences of operations. Prints
schemathesis' own summary. No reply may be a server error (5xx), and every body must have a documented
form; otherwise the exit code is 1. "Schema-valid request rejected" refers to rules that a schema cannot
express, such as an empty question. Needs the extras `server` and `test`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

from pincite import Library

SCOPES = ("ask", "ingest", "delete", "metrics", "admin")
MEANT = ("Schema-valid request rejected",)
_FAILURE = re.compile(r"❌ (?:ST\d+ )?([A-Z][^:\n]*): (\d+)")


@contextmanager
def serving(library: Path) -> Iterator[str]:
    """The address of the command's server, without limits of rate."""
    unlimited = {
        f"PINCITE_SERVER__{name}_PER_MINUTE": "0" for name in ("REQUESTS", "ADDRESS_REQUESTS")
    }
    log = library.with_suffix(".log")
    with log.open("a") as written:
        process = subprocess.Popen(
            [sys.executable, "-m", "pincite", "serve", "--library", str(library), "--port", "0"],
            env={**os.environ, **unlimited},
            stderr=written,
        )
        try:
            told = ""
            log.write_text("")
            while "startup complete" not in told:
                assert process.poll() is None, told
                time.sleep(0.1)
                told = log.read_text()
            yield next(line.split()[0] for line in told.splitlines() if line.startswith("http"))
        finally:
            process.terminate()
            process.wait()


def key_of(library: Path) -> str:
    """A new key with every scope; from now on, the server wants one."""
    scopes = [part for scope in SCOPES for part in ("--scope", scope)]
    command = [sys.executable, "-m", "pincite", "access", "add", "fuzz", *scopes]
    made = subprocess.run(
        [*command, "--library", str(library), "--json"], check=True, capture_output=True
    )
    return str(json.loads(made.stdout)["key"])


def fuzz(address: str, key: str, examples: int, seed: int) -> int:
    """Print the summary; how many failures are none that are meant."""
    header = ["-H", f"Authorization: Bearer {key}"] if key else []
    options = ["--max-examples", str(examples), "--seed", str(seed), "--continue-on-failure"]
    command = [str(Path(sys.executable).parent / "st"), "run", f"{address}/openapi.json"]
    told = subprocess.run([*command, *header, *options], capture_output=True, encoding="utf-8")
    _, _, summary = told.stdout.partition(" SUMMARY ")
    print(f"{'with a key' if key else 'without keys'}\n{summary.strip('= ')}")
    failed = {kind: int(number) for kind, number in _FAILURE.findall(summary)}
    return sum(number for kind, number in failed.items() if kind not in MEANT)


def main() -> int:
    """Both runs; 1 where something failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--examples", type=int, default=15)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "library"
        with Library.open(library) as opened:
            opened.ingest([Path(str(files("pincite.interfaces.samples"))) / "documents"])
        for makes_key in (False, True):
            key = key_of(library) if makes_key else ""
            with serving(library) as address:
                wrong += fuzz(address, key, chosen.examples, chosen.seed)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
