from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from interfaces.http.opened import open_settings
from pincite import Library
from pincite.interfaces.http.caches import (
    CACHE_FILE,
    AnswerCache,
    DiskStore,
    RedisStore,
    Store,
    open_cache,
)
from pincite.interfaces.http.served import Served
from pincite.records.files import digest_now

LEXICAL = {"embedding": {"model": "none"}}
QUESTION = "When is the pump checked?"


class Counted(list[str]):
    def __call__(self, result: str) -> None:
        self.append(result)


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "pump.txt").write_text("The pump is checked on day 7 of each month.\n")
    (folder / "valve.txt").write_text("The valve is made of brass.\n")
    return folder


@pytest.fixture
def counted() -> Counted:
    return Counted()


@pytest.fixture
def served(tmp_path: Path, documents: Path, counted: Counted) -> Iterator[Served]:
    library = Library.open(tmp_path / "library", overrides=LEXICAL)
    library.ingest([documents])
    one = Served(library)
    one.cache = open_cache(tmp_path, open_settings(), library.catalog, counted)
    yield one
    one.close()


def again(served: Served, tmp_path: Path, counted: Counted) -> None:
    """As if the process had been started anew."""
    assert served.cache is not None
    served.cache.close()
    served.cache = open_cache(tmp_path, open_settings(), served.library.catalog, counted)


def test_the_second_answer_is_the_first_and_comes_from_memory(
    served: Served, counted: Counted
) -> None:
    first, second = served.ask(QUESTION), served.ask(f"{QUESTION}")
    assert first["status"] == "answered"
    assert {n: v for n, v in first.items() if n in ("text", "citations", "links", "claims")} == {
        n: v for n, v in second.items() if n in ("text", "citations", "links", "claims")
    }
    assert counted == ["miss", "memory"]
    assert list(second["timings"]) == ["cache"]


def test_a_restart_does_not_forget_it(served: Served, tmp_path: Path, counted: Counted) -> None:
    first = served.ask(QUESTION)
    again(served, tmp_path, counted)
    assert served.ask(QUESTION)["text"] == first["text"]
    assert counted == ["miss", "disk"]


def test_after_a_delete_no_answer_is_given_from_the_cache(served: Served, documents: Path) -> None:
    assert served.ask(QUESTION)["status"] == "answered"
    served.library.remove([documents / "pump.txt"])
    assert served.ask(QUESTION)["status"] == "abstained"


def test_after_a_file_has_changed_no_old_quote_is_shown(
    served: Served, documents: Path, counted: Counted
) -> None:
    served.ask(QUESTION)
    (documents / "pump.txt").write_text("The pump is checked on day 8 of each month.\n")
    found = served.ask(QUESTION)
    assert "day 7" not in found["text"]
    assert counted == ["miss", "stale"]
    (documents / "pump.txt").unlink()
    assert "day 7" not in served.ask(QUESTION)["text"]


def test_another_question_collection_or_filter_is_another_answer(
    served: Served, counted: Counted
) -> None:
    from pincite.records.filters import Filters

    served.ask(QUESTION)
    served.ask("When is the valve checked?")
    served.ask(QUESTION, collection="default")
    served.ask(QUESTION, filters=Filters(documents=("pump.txt",)))
    assert counted == ["miss"] * 4


def test_a_refusal_is_not_kept(served: Served, counted: Counted) -> None:
    for _ in range(2):
        assert served.ask("Who painted the ceiling in 1512?")["status"] == "abstained"
    assert counted == ["miss", "miss"]


@pytest.mark.parametrize(
    "change",
    [
        {"text": "The pump is checked never."},
        {"status": "abstained"},
        {"citations": []},
        {"mode": "generated"},
        {"question": "When was it painted?"},
    ],
)
def test_what_somebody_wrote_into_the_cache_is_not_shown(
    served: Served, tmp_path: Path, counted: Counted, change: dict[str, Any]
) -> None:
    first = served.ask(QUESTION)
    tamper(tmp_path, lambda form: {**form, **change})
    again(served, tmp_path, counted)
    assert served.ask(QUESTION)["text"] == first["text"]
    assert counted[-1] == "miss"


@pytest.mark.parametrize(
    "change",
    [
        {"cited_text": "never", "sha256": "0" * 64},
        {"source": "/etc/passwd"},
        {"document": "0000000000000000"},
        {"start_char_index": 3},
    ],
)
def test_a_quote_that_somebody_changed_is_not_shown(
    served: Served, tmp_path: Path, counted: Counted, change: dict[str, Any]
) -> None:
    first = served.ask(QUESTION)
    tamper(
        tmp_path,
        lambda form: {**form, "citations": [{**one, **change} for one in form["citations"]]},
    )
    again(served, tmp_path, counted)
    assert served.ask(QUESTION)["citations"] == first["citations"]
    assert counted[-1] == "miss"


def tamper(folder: Path, change: Any) -> None:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(folder / CACHE_FILE)) as connection, connection:
        ((key, value),) = connection.execute("SELECT key, value FROM answers").fetchall()
        changed = json.dumps(change(json.loads(value)))
        connection.execute("UPDATE answers SET value = ? WHERE key = ?", (changed, key))


def test_a_damaged_file_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / CACHE_FILE).write_bytes(b"no database" * 1000)
    store = DiskStore(tmp_path, most=3, seconds=60)
    store.put("a", "1")
    assert store.get("a") == "1"
    store.close()


def test_the_oldest_go_first(tmp_path: Path) -> None:
    store = DiskStore(tmp_path, most=2, seconds=60)
    for key in "abc":
        store.put(key, key)
        time.sleep(0.01)
    assert [store.get(key) for key in "abc"] == [None, "b", "c"]
    store.close()


def test_nothing_is_kept_for_longer_than_its_time(tmp_path: Path) -> None:
    now = [0.0]
    file = tmp_path / "a"
    file.write_text("x")
    cited = {"source": str(file), "sha256": digest_now(str(file))}
    form = {"status": "answered", "mode": "extractive", "citations": [cited], "question": "a"}
    cache = AnswerCache(most=2, seconds=10, holds=lambda _: True, clock=lambda: now[0])
    cache.put(["a"], form)
    now[0] = 9
    assert cache.get(["a"]) is not None
    now[0] = 11
    assert cache.get(["a"]) is None


@contextmanager
def redis_server(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A real server of its own, and its address."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("no redis-server on this machine")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    with subprocess.Popen([program, *options], stdout=subprocess.DEVNULL) as process:
        for _ in range(200):
            with socket.socket() as trial:
                if trial.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"redis://127.0.0.1:{port}/0", process
        process.kill()


@pytest.fixture(scope="module")
def redis_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with redis_server(tmp_path_factory.mktemp("redis")) as (address, _):
        yield address


def test_a_redis_server_keeps_what_is_put_there_for_its_time(redis_address: str) -> None:
    store: Store = RedisStore(redis_address, seconds=60)
    store.put("a", "1")
    assert RedisStore(redis_address, seconds=60).get("a") == "1"
    store.drop("a")
    assert store.get("a") is None
    short = RedisStore(redis_address, seconds=0.05)
    short.put("b", "2")
    time.sleep(0.2)
    assert short.get("b") is None


def test_two_servers_of_one_library_share_their_answers(
    served: Served, tmp_path: Path, redis_address: str
) -> None:
    settings, first, second = open_settings(cache_url=redis_address), Counted(), Counted()
    catalog = served.library.catalog
    served.cache = open_cache(tmp_path, settings, catalog, first)
    text = served.ask(QUESTION)["text"]
    served.cache = open_cache(tmp_path, settings, catalog, second)
    assert served.ask(QUESTION)["text"] == text
    assert (first, second) == (["miss"], ["shared"])


def test_without_its_redis_server_a_question_is_answered_anew(
    served: Served, tmp_path: Path
) -> None:
    settings = open_settings(cache_url="redis://127.0.0.1:1/0")
    served.cache = open_cache(tmp_path, settings, served.library.catalog)
    assert served.ask(QUESTION)["status"] == "answered"


def test_a_redis_server_that_dies_meanwhile_costs_only_its_answers(
    served: Served, tmp_path: Path
) -> None:
    counted = Counted()
    with redis_server(tmp_path) as (address, process):
        settings = open_settings(cache_url=address)
        served.cache = open_cache(tmp_path, settings, served.library.catalog, counted)
        first = served.ask(QUESTION)
        served.cache = open_cache(tmp_path, settings, served.library.catalog, counted)
        process.kill()
        process.wait()
        again = served.ask(QUESTION)
    assert counted == ["miss", "miss"]
    assert again["citations"] == first["citations"]
