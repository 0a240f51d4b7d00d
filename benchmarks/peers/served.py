"""Search over HTTP under load: Pincite's server beside small apps of LlamaIndex and txtai.

    python -m benchmarks.peers.served --peer-python PEERS/bin/python [--passages 5000] [--clients 16]

Run it from the root of the project with Pincite's own Python. Each app holds the same passages and is
one process of FastAPI around the search that its documentation shows, as `run.py` measures it. Pincite
is `pincite serve` with one process and with two. Clients search without a pause, each question once;
another process asks for /health ten times a second.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

PEERS = ("llamaindex", "txtai")
DEPTH = 10
QUESTIONS = 100
"""Questions of each set."""
PASSAGES_IN_A_FILE = 25
READY_SECONDS = 1200


def serve(name: str, collection: Path, weights: Path, port: int) -> None:
    """In the environment of the peers: ingest the passages, then serve until stopped."""
    import uvicorn
    from fastapi import FastAPI

    from benchmarks.peers.collection import load
    from benchmarks.peers.systems import SYSTEMS

    entry = SYSTEMS[name]
    passages = load(collection).passages
    texts = {passage.id: passage.text for passage in passages}
    app = FastAPI()
    with tempfile.TemporaryDirectory() as home:
        module = import_module(f"benchmarks.peers.systems.{entry.module}")
        opened = module.open_system(Path(home), weights, own_vectors=True, **entry.options)
        opened.ingest(passages, None)
        search = opened.searches()["hybrid"]

        @app.get("/health")
        async def health() -> dict[str, str]:
            return {"status": "ok"}

        @app.post("/search")
        def found(asked: dict[str, Any]) -> list[dict[str, str]]:
            return [{"id": one, "text": texts[one]} for one in search(asked["question"], DEPTH)]

        uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


def main() -> None:
    """Serve each in turn, load it, print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer-python", type=Path)
    parser.add_argument("--weights", type=Path, help="made by benchmarks.peers.weights prepare")
    parser.add_argument("--passages", type=int, default=5_000)
    parser.add_argument("--systems", nargs="+", default=["pincite", *PEERS])
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--serve", nargs=3, metavar=("NAME", "COLLECTION", "PORT"))
    chosen = parser.parse_args()
    if chosen.serve:
        name, collection, port = chosen.serve
        serve(name, Path(collection), chosen.weights, int(port))
        return
    from benchmarks.peers.collection import load

    print("| server | searches a second | p50 | p95 | p99 | `/health` p50 | p99 | MB |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        collection = _collection(chosen.passages, Path(folder))
        questions = [one.text for one in load(collection).questions]
        for workers in (1, 2) if "pincite" in chosen.systems else ():
            with _pincite(collection, Path(folder), workers) as (process, port):
                _measure(
                    f"Pincite, {workers} process{'es' * (workers > 1)}",
                    process,
                    port,
                    questions,
                    chosen,
                )
        for name in (one for one in PEERS if one in chosen.systems):
            options = ["--serve", name, str(collection)]
            with _started(chosen.peer_python, options, chosen.weights) as (process, port):
                _measure(name, process, port, questions, chosen)


def _collection(most: int, folder: Path) -> Path:
    from benchmarks.open_sets import load as load_set
    from benchmarks.peers.collection import cutter, pool, save
    from benchmarks.peers.run import ASKED, OTHERS, asked_of
    from pincite.models.encoders.built_in import token_counter
    from pincite.text.sentences import sentence_spans

    made = pool(
        (asked_of(name, QUESTIONS) for name in ASKED),
        (load_set(name) for name in OTHERS),
        [],
        cutter(sentence_spans, token_counter()),
        size=most,
    )
    save(made, folder / "collection")
    return folder / "collection"


@contextmanager
def _pincite(collection: Path, folder: Path, workers: int) -> Iterator[tuple[int, int]]:
    from benchmarks.peers.collection import load
    from pincite import Library

    library = folder / "library"
    if not library.exists():
        files = folder / "files"
        files.mkdir()
        texts = [passage.text for passage in load(collection).passages]
        for first in range(0, len(texts), PASSAGES_IN_A_FILE):
            content = "\n\n".join(texts[first : first + PASSAGES_IN_A_FILE])
            (files / f"{first}.txt").write_text(content, encoding="utf-8")
        with Library.open(library) as opened:
            opened.ingest([files])
    with _free_port() as port:
        command = [sys.executable, "-m", "pincite", "serve", "--library", str(library)]
        command += ["--port", str(port), "--workers", str(workers)]
        unlimited = {
            f"PINCITE_SERVER__{name}_PER_MINUTE": "0" for name in ("REQUESTS", "ADDRESS_REQUESTS")
        }
        with _running(command, unlimited, port) as process:
            yield process, port


@contextmanager
def _started(python: Path, options: list[str], weights: Path) -> Iterator[tuple[int, int]]:
    from benchmarks.peers.worker import OFFLINE_AND_QUIET

    with _free_port() as port:
        command = [str(python), "-m", "benchmarks.peers.served", *options, str(port)]
        with _running([*command, "--weights", str(weights)], OFFLINE_AND_QUIET, port) as process:
            yield process, port


@contextmanager
def _free_port() -> Iterator[int]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    yield port


@contextmanager
def _running(command: list[str], more: dict[str, str], port: int) -> Iterator[int]:
    import httpx

    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, env={**os.environ, **more}, stdout=quiet, stderr=quiet)
    try:
        until = time.monotonic() + READY_SECONDS
        while time.monotonic() < until and process.poll() is None:
            try:
                if httpx.get(f"http://127.0.0.1:{port}/health", timeout=5).is_success:
                    break
            except httpx.HTTPError:
                time.sleep(0.5)
        yield process.pid
    finally:
        process.terminate()
        process.wait(60)


def _measure(
    name: str, process: int, port: int, questions: list[str], chosen: argparse.Namespace
) -> None:
    from benchmarks.server_load import family, resident

    took, probes = asyncio.run(_loaded(port, questions, chosen.clients, chosen.seconds))
    held = sum(map(resident, family(process))) / (1 << 20)
    figures = [f"{1000 * _at(took, share):.0f} ms" for share in (0.5, 0.95, 0.99)]
    figures += [f"{1000 * _at(probes, share):.0f} ms" for share in (0.5, 0.99)]
    rate = len(took) / chosen.seconds
    print(f"| {name} | {rate:.1f} | {' | '.join(figures)} | {held:.0f} |", flush=True)


async def _loaded(
    port: int, questions: list[str], clients: int, seconds: float
) -> tuple[list[float], list[float]]:
    """Seconds of each search and of each probe."""
    import httpx

    from benchmarks.server_load import Seen, probe

    # In each further round every question is another one, which no cache holds.
    asked = (f"{text} {turn or ''}".strip() for turn in itertools.count() for text in questions)
    took: list[float] = []
    seen = Seen()
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
        reply = await client.post("/v1/search", json={"question": "warm up", "limit": DEPTH})
        address = "/v1/search" if reply.is_success else "/search"
        until = time.monotonic() + seconds

        async def use() -> None:
            while time.monotonic() < until:
                question = {"question": next(asked)}
                begun = time.perf_counter()
                reply = await client.post(address, json=question)
                if reply.is_success:
                    took.append(time.perf_counter() - begun)

        await asyncio.gather(probe(port, seconds, seen), *(use() for _ in range(clients)))
    return took, seen.seconds["health"]


def _at(times: list[float], share: float) -> float:
    ordered = sorted(times)
    return ordered[int(share * (len(ordered) - 1))] if ordered else float("nan")


if __name__ == "__main__":
    main()
