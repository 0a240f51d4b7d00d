"""Upgrades servers and workers one after another while files come in and questions are asked.

    PYTHONPATH=src python benchmarks/rolling_upgrade.py [--old SRC] [--new SRC] [--files 120]

One PostgreSQL, three `pincite serve` (two of them share a cache, as on one host) and two `pincite
worker` of the old version: the folder `src` of a checkout, by default this one. They are stopped and
started again as the new version one by one; after the first, an old server is killed and started again.
Without --new that is a copy of this version with one more step of the catalog, which adds a column and
a table, another format of index files, and another version of the readers. A client asks one server
after another until one answers, as a proxy would.

Every file must be stored once, and each reply is compared with what a library in a folder says in the
state that the reply names, as in host_kills.py.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import host_kills
import httpx
import psycopg
from host_kills import Host, Material, Trial, Verdict, beside, client, judge, real_material

ROOT = Path(__file__).parent.parent
VARYING = (*host_kills.VARYING, "settings_digest", "readings")
"""The last two name versions."""
NEXT = "99.0"
_CHANGES = (
    ("__init__.py", r'(__version__ = )".*"', rf'\1"{NEXT}"'),
    ("records/document.py", r"(READING_VERSION = )\d+", r"\g<1>9999"),
    ("store/index/snapshot.py", r"(\nFORMAT = )\d+", r"\g<1>9999"),
    (
        "store/catalog/migrations.py",
        r"(\n    Step\(_keep_token_codes\),)\n\)",
        r"\1\n    Step(_add_later, only_adds=True),\n)",
    ),
    (
        "store/catalog/migrations.py",
        r"\n\ndef _widen",
        "\n\ndef _add_later(connection: Connection) -> None:\n"
        "    added = \"ALTER TABLE documents ADD COLUMN later VARCHAR NOT NULL DEFAULT ''\"\n"
        "    connection.exec_driver_sql(added)\n"
        '    connection.exec_driver_sql("CREATE TABLE later (id INTEGER PRIMARY KEY)")\n\n'
        r"\ndef _widen",
    ),
)


def next_version(folder: Path) -> Path:
    """A copy of this version that differs as a next one may."""
    source = folder / "next"
    shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
    for name, pattern, changed in _CHANGES:
        path = source / "pincite" / name
        written, times = re.subn(pattern, changed, path.read_text())
        if times != 1:
            raise ValueError(f"{path}: {pattern} is there {times} times")
        path.write_text(written)
    return source


class Upgrade(Trial):
    """A trial in which nothing but one old server is killed."""

    def __init__(self, folder: Path, material: Material, *, old: Path, new: Path) -> None:
        self._sources = {"old": old, "new": new}
        super().__init__(folder, material, seed=1, encoder=False, log=print)

    def _host(self, name: str, args: Sequence[str], **env: str) -> Host:
        env["PYTHONPATH"] = str(self._sources["old"])
        if name == "server 1":  # On the same machine as server 0.
            env |= {key: str(self.folder / "host-0") for key in env if key.startswith("XDG_")}
        return super()._host(name, args, **env)

    def run(self, kills: int = 0) -> None:
        """Upgrade one after another; returns when every queued file is done."""
        del kills
        steps = [self.servers[0], self.workers[0], self.servers[1], self.workers[1]]
        steps += self.servers[2:]
        every = [*self.material.files, *self.material.broken]
        asking = [
            client(self.ports, self.material.questions, number, self.seen, tries=len(self.ports))
            for number in range(host_kills.CLIENTS)
        ]
        with beside(asking):
            self._beat(every[0 :: len(steps) + 2])
            self.seen.errors.clear()  # Until the first server was there.
            for number, host in enumerate(steps, start=1):
                self._beat(every[number :: len(steps) + 2])
                self._upgrade(host)
                if number == 1:
                    self._restart(self.servers[2])
                    self.kills["old server"] += 1
            self._beat(every[len(steps) + 1 :: len(steps) + 2])
            self._wait_for_the_end()
            self._wait_for_an_answer()

    def _beat(self, files: Sequence[Path]) -> None:
        self._wait_for_an_answer()
        self._queue(files)
        self._wait_for_a_file()

    def _upgrade(self, host: Host) -> None:
        began = time.monotonic()
        host.stop()
        host.start(PYTHONPATH=str(self._sources["new"]))
        if host in self.servers:
            self._wait_for(self.ports[self.servers.index(host)])
        self.kills[f"upgraded {host.name.split()[0]}"] += 1
        print(f"{host.name}: new after {time.monotonic() - began:.1f} s; {self._told()}")

    def _wait_for(self, port: int) -> None:
        until = time.monotonic() + host_kills.PATIENCE_SECONDS
        while True:
            with suppress(httpx.TransportError):
                if httpx.get(f"http://127.0.0.1:{port}/health", timeout=60).is_success:
                    return
            host_kills.check_time(until, f"no server at port {port}")

    def versions(self) -> Counter[str]:
        """What each server says that it is."""
        found = (httpx.get(f"http://127.0.0.1:{port}/openapi.json") for port in self.ports)
        return Counter(reply.json()["info"]["version"] for reply in found)


def trial_of(folder: Path, material: Material, *, old: Path, new: Path | None) -> Verdict:
    """Run and judge."""
    trial = Upgrade(folder, material, old=old, new=new or next_version(folder))
    try:
        trial.run()
        found = judge(trial)
        with psycopg.connect(trial.url) as database:
            rows = database.execute("SELECT name, value FROM meta WHERE name LIKE '%version'")
            told = {"formats": dict(rows.fetchall()), "servers": dict(trial.versions())}
        return Verdict(wrong=found.wrong, figures={**found.figures, **told})
    finally:
        trial.close()


def main() -> None:
    """Run, print, and exit with 1 where something was wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--old", type=Path, default=ROOT / "src", help="folder of the old package")
    parser.add_argument("--new", type=Path, help="folder of the new package")
    parser.add_argument("--files", type=int, default=120)
    parser.add_argument("--questions", type=int, default=40)
    given = parser.parse_args()
    host_kills.WORKERS = 2
    host_kills.VARYING = VARYING
    # Short: a socket's path has 107 characters at most.
    with tempfile.TemporaryDirectory(prefix="roll-") as named:
        folder = Path(named)
        (folder / "texts").mkdir()
        material = real_material(
            folder / "texts", random.Random(1), files=given.files, questions=given.questions
        )
        found = trial_of(folder, material, old=given.old.resolve(), new=given.new)
    host_kills.tell(found)
    sys.exit(bool(found.wrong))


if __name__ == "__main__":
    main()
