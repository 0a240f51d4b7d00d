"""Load test of a server with many clients: throughput, latency, and whether its memory grows.

    PYTHONPATH=src python benchmarks/server_load.py [--seconds 300] [--clients 32] [--workers 2]

The library contains the sample documents. Each client draws: search (half), ask (three tenths), the
same question again (a tenth), and a file of its own that is uploaded, queried, deleted and queried
again (a tenth). An answer that quotes a deleted file counts as stale. Replies of 503 with Retry-After
are the server's own limit and are counted separately. A process of its own asks /health ten times a
second on one connection, and a client looks at page images and verifies a quote beside the others.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

import httpx

from pincite import Library

QUESTIONS = (
    "What torque do I need for a size -8 hose end?",
    "How many API calls can I make in a minute with one token?",
    "Which soil pH is best for tomatoes?",
    "What dividend per share did Meghvarna pay for fiscal 2024?",
    "When does the night ferry to Stavanger leave?",
)
WORDS = "valve gauge hose token tomato soil dividend visitor badge boiler pressure limit".split()
MEBIBYTE = 1 << 20


@dataclass
class Seen:
    """What the clients saw: seconds by kind of request, replies by status, stale answers."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    statuses: Counter[str] = field(default_factory=Counter)
    stale: int = 0
    checked: int = 0

    async def timed(self, kind: str, request: Awaitable[httpx.Response]) -> httpx.Response | None:
        """The reply, noted; None where there was none."""
        begun = time.perf_counter()
        try:
            reply = await request
        except httpx.HTTPError as error:
            self.statuses[f"{kind} {type(error).__name__}"] += 1
            return None
        self.statuses[f"{kind} {reply.status_code}"] += 1
        if reply.is_success:
            self.seconds[kind].append(time.perf_counter() - begun)
        return reply


async def use(client: httpx.AsyncClient, number: int, until: float, seen: Seen) -> None:
    """One client, until time is over."""
    chance = random.Random(number)
    turn = 0
    while time.monotonic() < until:
        turn += 1
        drawn = chance.random()
        if drawn < 0.5:
            words = " ".join(chance.sample(WORDS, 2))
            await seen.timed("search", client.post("/v1/search", json={"question": words}))
        elif drawn < 0.8:
            asked = f"{chance.choice(QUESTIONS)} {chance.choice(WORDS)}"
            await seen.timed("ask", client.post("/v1/query", json={"question": asked}))
        elif drawn < 0.9:
            await seen.timed("ask again", client.post("/v1/query", json={"question": QUESTIONS[0]}))
        else:
            await come_and_go(client, f"{number}x{turn}", until, seen)


PROBE = """
import http.client, sys, time
port, until = int(sys.argv[1]), time.monotonic() + float(sys.argv[2])
connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
while time.monotonic() < until:
    begun = time.perf_counter()
    connection.request("GET", "/health")
    reply = connection.getresponse()
    reply.read()
    print(time.perf_counter() - begun, reply.status, flush=True)
    time.sleep(0.1)
"""


async def look(client: httpx.AsyncClient, until: float, seen: Seen) -> None:
    """Draw pages and verify a quote that is all over the library, until time is over."""
    documents = (await client.get("/v1/documents")).json()["documents"]
    paged = [one["id"] for one in documents if one["name"].endswith(".pdf")]
    scale = 0
    while time.monotonic() < until:
        scale = scale % 60 + 1
        image = f"/v1/documents/{paged[0]}/pages/1.png?scale={1 + scale / 60}"
        await seen.timed("image", client.get(image))
        await seen.timed("verify", client.post("/v1/verify", json={"quote": "e"}))


async def probe(port: int, seconds: float, seen: Seen) -> None:
    """Note what another process sees of /health."""
    command = [sys.executable, "-c", PROBE, str(port), str(seconds)]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    told, _ = await process.communicate()
    for line in told.decode().splitlines():
        took, status = line.split()
        seen.statuses[f"health {status}"] += 1
        seen.seconds["health"].append(float(took))


async def come_and_go(client: httpx.AsyncClient, name: str, until: float, seen: Seen) -> None:
    """A file of one sentence that nothing else says, taken in and deleted again."""
    word = f"zoltrak{name}"
    text = f"The code of the {word} cabinet is {name}.\n".encode()
    reply = await seen.timed(
        "upload", client.post("/v1/ingest", files={"files": (f"{word}.txt", text)})
    )
    if reply is None or not reply.is_success:
        return
    job = reply.json()
    while job["state"] in ("waiting", "running") and time.monotonic() < until:
        await asyncio.sleep(0.25)
        reply = await seen.timed("job", client.get(f"/v1/jobs/{job['job']}"))
        job = reply.json() if reply is not None and reply.is_success else job
    if job["state"] != "done":
        return
    question = {"question": f"What is the code of the {word} cabinet?"}
    reply = await seen.timed("ask new", client.post("/v1/query", json=question))
    if reply is None or not reply.is_success or not reply.json()["citations"]:
        return
    document = reply.json()["citations"][0]["document"]
    reply = await seen.timed("delete", client.delete(f"/v1/documents/{document}"))
    if reply is None or not reply.is_success:
        return
    reply = await seen.timed("ask deleted", client.post("/v1/query", json=question))
    if reply is not None and reply.is_success:
        seen.checked += 1
        seen.stale += any(document == one["document"] for one in reply.json()["citations"])


@asynccontextmanager
async def memory(process: int, every: float) -> AsyncIterator[list[int]]:
    """Bytes held by a process and its children, looked at again and again."""
    taken: list[int] = []

    async def watch() -> None:
        while True:
            taken.append(sum(map(resident, family(process))))
            await asyncio.sleep(every)

    task = asyncio.create_task(watch())
    try:
        yield taken
    finally:
        task.cancel()


def family(process: int) -> list[int]:
    """A process and all below it."""
    try:
        listed = Path(f"/proc/{process}/task/{process}/children").read_text()
    except OSError:
        return []
    return [process, *(one for child in listed.split() for one in family(int(child)))]


def resident(process: int) -> int:
    """Bytes of memory that a process holds; 0 for one that has ended."""
    try:
        pages = Path(f"/proc/{process}/statm").read_text().split()[1]
    except OSError:
        return 0
    return int(pages) * 4096


async def measure(port: int, process: int, clients: int, seconds: float) -> None:
    """Let the clients work, and print what they saw."""
    seen = Seen()
    limits = httpx.Limits(max_connections=clients)
    base = f"http://127.0.0.1:{port}"
    async with httpx.AsyncClient(base_url=base, timeout=60, limits=limits) as client:
        for _ in range(600):
            try:
                if (await client.get("/health")).is_success:
                    break
            except httpx.TransportError:
                await asyncio.sleep(0.1)
        begun = time.monotonic()
        async with memory(process, max(1.0, seconds / 20)) as held:
            await asyncio.gather(
                probe(port, seconds, seen),
                look(client, begun + seconds, seen),
                *(use(client, number, begun + seconds, seen) for number in range(clients)),
            )
        took = time.monotonic() - begun
    report(seen, took, held)


def report(seen: Seen, took: float, held: list[int]) -> None:
    """Print the figures."""
    print(f"{'request':14} {'count':>7} {'a second':>9} {'p50':>9} {'p95':>9} {'p99':>9}")
    for kind, times in sorted(seen.seconds.items()):
        times.sort()
        at = [
            f"{1000 * times[int(share * (len(times) - 1))]:6.0f} ms" for share in (0.5, 0.95, 0.99)
        ]
        print(f"{kind:14} {len(times):7} {len(times) / took:9.1f} {' '.join(at)}")
    print("replies:", ", ".join(f"{kind}: {n}" for kind, n in sorted(seen.statuses.items())))
    print(f"answers after a deletion: {seen.checked}, stale: {seen.stale}")
    quarter = max(1, len(held) // 4)
    first, last = (
        sum(part) / len(part) / MEBIBYTE for part in (held[quarter : 2 * quarter], held[-quarter:])
    )
    print(f"memory: second quarter {first:.0f} MB, last quarter {last:.0f} MB")


def main() -> None:
    """Serve, load, report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "library"
        with Library.open(library) as opened:
            opened.ingest([Path(str(files("pincite.interfaces.samples"))) / "documents"])
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "pincite", "serve", "--library", str(library)]
        command += ["--port", str(port), "--workers", str(chosen.workers)]
        # What is measured is the server, not its limit for one address.
        unlimited = {
            f"PINCITE_SERVER__{name}_PER_MINUTE": "0" for name in ("REQUESTS", "ADDRESS_REQUESTS")
        }
        process = subprocess.Popen(command, env={**os.environ, **unlimited})
        try:
            asyncio.run(measure(port, process.pid, chosen.clients, chosen.seconds))
        finally:
            process.terminate()
            process.wait(60)


if __name__ == "__main__":
    main()
