"""Measures Pincite and its peers on one collection, one process after the other.

    python -m benchmarks.peers.run --passages 20000 --peer-python PEERS/bin/python
    python -m benchmarks.peers.run --passages 100000 --vectors shared --filler summaries.txt

Run it from the root of the project with Pincite's own Python. A system that has been measured on
the same collection is not measured again (`--again` does), so that a run can be interrupted.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import random
import re
import secrets
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.open_sets import SHARED, WORK, answerable
from benchmarks.open_sets import load as load_set
from benchmarks.peers.collection import (
    MOST_TOKENS,
    Collection,
    CollectionError,
    cutter,
    load,
    pool,
    save,
)
from benchmarks.peers.measures import rows
from benchmarks.peers.report import page, section
from benchmarks.peers.systems import OURS, SYSTEMS
from benchmarks.peers.weights import onnx_folder
from pincite.evaluate.datasets import Dataset
from pincite.models.encoders.built_in import token_counter
from pincite.text.sentences import sentence_spans

ROOT = Path(__file__).parents[2]
HOME = WORK / "peers"
WEIGHTS = "all-MiniLM-L6-v2"
RESULTS = "{vectors}-vectors-{cores}-cores-{clients}-clients-{depth}-deep"
"""One folder for what can be compared."""

ASKED = (
    "squad2-open",
    "product-docs",
    "clapnq-open",
    "nq-open",
    "cranfield",
    "time",
    "pubmedqa-open",
    "hotpotqa-sample",
)
OTHERS = (
    "cisi",
    "legalbench-open",
    "tatqa-open",
    "climatefever-open",
    "expertqa-open",
    "pdfqa-open",
    "healthver-open",
    "multihoprag-open",
)
"""English sets without texts of those asked about: nothing in them answers unjudged by design."""

DEFAULTS = ("pincite", "llamaindex", "haystack", "chroma", "chroma-torch", "lancedb", "txtai")


def main() -> int:
    """Make the collection, measure what is missing, print and write the tables."""
    arguments = _arguments()
    try:
        folder = _collection_folder(arguments)
    except CollectionError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    results = folder / RESULTS.format(**vars(arguments))
    results.mkdir(exist_ok=True)
    failed = [name for name in arguments.systems if not _is_measured(name, results, arguments)]
    if any(results.glob("*.json")):
        print(_section(results))
    if arguments.markdown:
        arguments.markdown.write_text(page([*_sections()]), encoding="utf-8")
    if failed:
        print(f"not measured: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--passages", type=int, default=20_000)
    parser.add_argument(
        "--systems",
        nargs="+",
        choices=SYSTEMS,
        default=DEFAULTS,
        metavar="NAME",
        help=f"of: {', '.join(SYSTEMS)}",
    )
    parser.add_argument("--queries", type=int, default=50, help="questions of each set")
    parser.add_argument("--filler", type=Path, help="a passage on each line, to reach --passages")
    parser.add_argument(
        "--vectors",
        choices=("own", "shared"),
        default="own",
        help="shared: peers are given vectors made once; their ingest speed is then index only",
    )
    parser.add_argument(
        "--peer-python",
        type=Path,
        default=Path(sys.executable),
        help="where the peers are installed",
    )
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--depth", type=int, default=10, help="passages asked for")
    parser.add_argument(
        "--most-seconds", type=float, default=60, help="for the questions of several clients"
    )
    parser.add_argument("--again", action="store_true", help="measure what has been measured")
    parser.add_argument("--markdown", type=Path, help="write the page of all collections here")
    arguments = parser.parse_args()
    arguments.run = secrets.token_hex(4)
    return arguments


# --- The collection -------------------------------------------------------------------------------


def _collection_folder(arguments: argparse.Namespace) -> Path:
    """Make the collection unless it has been made from the same files in the same way."""
    folder = HOME / "collections" / f"{arguments.passages}-{_key(arguments)}"
    if (folder / "facts.json").exists():
        return folder
    tokens = token_counter()
    made = pool(
        (asked_of(name, arguments.queries) for name in ASKED),
        (load_set(name) for name in OTHERS),
        _filler(arguments.filler),
        cutter(sentence_spans, tokens),
        size=arguments.passages,
    )
    save(made, folder)
    (folder / "facts.json").write_text(json.dumps(_facts(made, tokens, arguments), indent=1))
    return folder


def asked_of(name: str, most: int) -> Dataset:
    """A set with `most` of its questions, and one more to warm up."""
    data = load_set(name)
    return replace(data, questions=answerable(data, most + 1))


def _key(arguments: argparse.Namespace) -> str:
    """Identifies what the collection is made of."""
    found = hashlib.sha256(f"{MOST_TOKENS} {arguments.queries} {ASKED} {OTHERS}".encode())
    files = [SHARED / "data" / name / "corpus.jsonl" for name in (*ASKED, *OTHERS)]
    for path in [*files, *([arguments.filler] if arguments.filler else [])]:
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:12]


def _filler(path: Path | None) -> list[str]:
    """The lines of a file in a fixed order that has nothing to do with theirs."""
    if path is None:
        return []
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    random.Random(1).shuffle(lines)
    return lines


def _facts(
    made: Collection, tokens: Callable[[str], int], arguments: argparse.Namespace
) -> dict[str, Any]:
    filler = " --filler FILE" if arguments.filler else ""
    return {
        "options": f"--passages {arguments.passages} --queries {arguments.queries}{filler}",
        "passages": len(made.passages),
        "passages_by_set": dict(Counter(passage.set for passage in made.passages).most_common()),
        "questions": len(made.questions),
        "mean_tokens": mean(tokens(passage.text) for passage in made.passages),
        "processor": _processor(),
    }


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.+)", path.read_text()) if path.exists() else None
    return found[1].strip() if found else platform.machine()


# --- Measuring ------------------------------------------------------------------------------------


def _is_measured(name: str, results: Path, arguments: argparse.Namespace) -> bool:
    """Measure one system in a process of its own, unless its figures are there."""
    output = results / f"{name}.json"
    if output.exists() and not arguments.again:
        print(f"{name}: measured before", file=sys.stderr)
        return True
    output.unlink(missing_ok=True)
    print(f"{name}: measuring", file=sys.stderr, flush=True)
    python = Path(sys.executable) if name == OURS else arguments.peer_python
    with tempfile.TemporaryDirectory(prefix=f"{name}-", dir=HOME) as home:
        try:
            options = _worker_options(name, results.parent, arguments)
            _run(python, "worker", [*options, "--output", str(output), "--home", home])
        except subprocess.CalledProcessError:
            return False
    return output.exists()


def _worker_options(name: str, folder: Path, arguments: argparse.Namespace) -> list[str]:
    weights = HOME / WEIGHTS
    if name != OURS and not (onnx_folder(weights) / "model.onnx").exists():
        _run(arguments.peer_python, "weights", ["prepare", str(weights)])
    options = [name, "--collection", str(folder), "--run", arguments.run]
    options += ["--weights", str(weights)]
    for option in ("cores", "depth", "clients", "most_seconds"):
        options += [f"--{option.replace('_', '-')}", str(getattr(arguments, option))]
    if arguments.vectors == "shared" and SYSTEMS[name].takes_vectors:
        vectors = folder / "vectors.npy"
        if not vectors.exists():
            made = [str(weights), str(folder / "passages.jsonl"), str(vectors)]
            _run(arguments.peer_python, "weights", ["vectors", *made])
        options += ["--vectors", str(vectors)]
    return options


def _run(python: Path, module: str, options: Sequence[str]) -> None:
    """Run a module of this package; what it prints goes to stderr. Raises CalledProcessError."""
    subprocess.run(
        [str(python), "-m", f"benchmarks.peers.{module}", *options],
        cwd=ROOT,
        check=True,
        stdout=sys.stderr,
    )


# --- Telling --------------------------------------------------------------------------------------


def _section(results: Path) -> str:
    """The tables of one folder of results, its systems in the order of the registry."""
    folder = results.parent
    facts = json.loads((folder / "facts.json").read_text())
    found = [results / f"{name}.json" for name in SYSTEMS]
    measured = [json.loads(path.read_text()) for path in found if path.exists()]
    questions = load(folder).questions
    table = [row for result in measured for row in rows(result, questions)]
    return section(facts, measured, table)


def _sections() -> Iterator[str]:
    """Of every folder with results, small collections first."""
    folders = {path.parent for path in (HOME / "collections").glob("*/*-deep/*.json")}
    for results in sorted(folders, key=lambda p: (int(p.parent.name.partition("-")[0]), p.name)):
        yield _section(results)


if __name__ == "__main__":
    sys.exit(main())
