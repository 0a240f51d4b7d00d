"""A library that is damaged, incomplete or empty says so, in plain words, whatever it is asked."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest
from tiers import often

from end_to_end.running import Result, SampleLibrary, lexical_cli, refused, started, wait_until
from pincite import Library, PinciteError
from pincite.library.folder import NotesFile, Work, is_unchecked, under_way, unfinished
from pincite.records.library_records import CATALOG_FILE, UNFINISHED_FILE

SOIL = "Which soil pH is best for tomatoes?"
LEXICAL = {"embedding": {"model": "none"}}
PAGE = 4096
RAW = (
    "malformed",
    "disk image",
    "not a database",
    "sqlalche",
    "sqlite3.",
    "no such table",
    "decode",
)
"""What the driver says, which no user should read."""


@pytest.fixture
def library(sample: SampleLibrary, tmp_path: Path) -> Path:
    """A copy of the sample library to damage, closed cleanly."""
    copy = sample.copy(tmp_path / "library")
    with closing(sqlite3.connect(copy / CATALOG_FILE)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return copy


def says_damaged(result: Result) -> str:
    told = refused(result, 1, "the catalog is damaged", "ingest the files again")
    assert not any(words in told for words in RAW), told
    return told


# --- A damaged catalog ------------------------------------------------------------------------


def test_a_catalog_of_zero_bytes_is_an_error_and_no_empty_library(
    library: Path, sample: SampleLibrary
) -> None:
    (library / CATALOG_FILE).write_bytes(b"")
    for command in (["ask", SOIL], ["search", SOIL], ["stats"], ["doctor"]):
        assert "0 bytes" in says_damaged(lexical_cli(*command, "-l", library))
    assert "0 bytes" in says_damaged(lexical_cli("ingest", sample.documents, "-l", library))
    assert (library / CATALOG_FILE).read_bytes() == b""


def test_one_that_was_about_to_be_made_is_made(tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    (library / CATALOG_FILE).touch()
    (tmp_path / "a.txt").write_text("The pump holds 12 litres of oil.\n")
    says_damaged(lexical_cli("ask", SOIL, "-l", library))
    assert lexical_cli("ingest", tmp_path / "a.txt", "-l", library).returncode == 0


@pytest.mark.parametrize("kept", [1, 99, 100, 600, PAGE, 3 * PAGE + 7, 0.5, 0.99])
def test_a_catalog_that_was_cut_off_is_told(
    library: Path, sample: SampleLibrary, kept: float
) -> None:
    catalog = library / CATALOG_FILE
    size = catalog.stat().st_size
    os.truncate(catalog, int(kept * size) if kept < 1 else int(kept))
    for command in (["ask", SOIL], ["ingest", sample.documents], ["doctor"]):
        says_damaged(lexical_cli(*command, "-l", library))


def flip(catalog: Path, page: int, chance: random.Random, *, bytes_flipped: int = 24) -> None:
    """Overwrite some bytes of a page."""
    content = bytearray(catalog.read_bytes())
    for _ in range(bytes_flipped):
        content[page * PAGE + chance.randrange(PAGE)] ^= chance.randrange(1, 256)
    catalog.write_bytes(content)


def everything(opened: Library) -> None:
    """Ask for all that a library can tell."""
    opened.stats()
    opened.search(SOIL)
    opened.ask(SOIL)
    opened.count("tomatoes")
    for passage in opened.catalog.passages(opened.catalog.passage_keys()).values():
        opened.catalog.text_of(passage.span)
    opened.catalog.conversations.all()
    opened.catalog.history.entries()
    opened.check_catalog()


def all_that_is_told(library: Path) -> str:
    """What stands on the terminal after a few commands."""
    results = [lexical_cli(*command, "-l", library) for command in (["search", SOIL], ["doctor"])]
    return "".join(result.stderr for result in results)


def test_whichever_page_is_overwritten_no_error_escapes_that_is_not_ours(
    library: Path, tmp_path: Path
) -> None:
    catalog, chance = library / CATALOG_FILE, random.Random(7)
    whole = catalog.read_bytes()
    pages = len(whole) // PAGE
    found = 0
    for page in sorted({0, *chance.sample(range(pages), min(pages - 1, often(40, 6)))}):
        for leftover in library.glob(f"{CATALOG_FILE}-*"):
            leftover.unlink()
        catalog.write_bytes(whole)
        flip(catalog, page, chance)
        with suppress(PinciteError), Library.open(library, overrides=LEXICAL) as opened:
            everything(opened)
        told = all_that_is_told(library)
        found += "the catalog is damaged" in told
        assert not any(words in told for words in RAW), (page, told)
    assert found >= often(10, 1)


def test_doctor_finds_overwritten_pages_that_no_question_needs(library: Path) -> None:
    assert "undamaged" in lexical_cli("doctor", "-l", library).stdout
    catalog = library / CATALOG_FILE
    with closing(sqlite3.connect(catalog)) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'ix_turns_conversation'"
        ((page,),) = connection.execute(query)
    with catalog.open("r+b") as file:
        file.seek((page - 1) * PAGE)
        file.write(os.urandom(PAGE))
    assert lexical_cli("search", SOIL, "-l", library).returncode == 0
    says_damaged(lexical_cli("doctor", "-l", library))


# --- A writer that was killed -----------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files that take some seconds to read."""
    folder = tmp_path / "documents"
    folder.mkdir()
    for number in range(400):
        lines = (f"Valve {number}-{row} was opened in week {row}." for row in range(100))
        (folder / f"valves-{number:03}.txt").write_text("\n\n".join(lines))
    return folder


@pytest.fixture
def killed(folder: Path, tmp_path: Path) -> Path:
    """A library whose first ingest was killed when some files were stored and others not."""
    if not sys.platform.startswith("linux"):
        pytest.skip("kills with a signal")
    library = tmp_path / "killed"
    with started("ingest", folder, "-l", library, PINCITE_EMBEDDING__MODEL="none") as process:
        assert wait_until(lambda: files_in(library) > 0, seconds=60)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert 0 < files_in(library) < 400
    return library


def files_in(library: Path) -> int:
    try:
        with closing(sqlite3.connect(f"file:{library / CATALOG_FILE}?mode=ro", uri=True)) as found:
            return int(found.execute("SELECT count(*) FROM sources").fetchone()[0])
    except sqlite3.Error:
        return 0


def notices(library: Path) -> list[list[str]]:
    """What a search, an answer and a count tell beside what they found."""
    told = []
    for command, where in (("search", "notices"), ("ask", "reasons"), ("count", "reasons")):
        result = lexical_cli(command, "valve 3-3", "-l", library, "--json")
        told.append(json.loads(result.stdout)[where])
    return told


def test_after_a_kill_every_answer_says_that_the_library_is_incomplete_until_an_ingest_is_done(
    killed: Path, folder: Path
) -> None:
    for told in notices(killed):
        (line,) = [line for line in told if "the library is incomplete" in line]
        assert f"an ingest of {folder} was interrupted" in line
        assert f"pincite ingest {folder}" in line
    other = folder.parent / "other.txt"
    other.write_text("The pump holds 12 litres of oil.\n")
    lexical_cli("ingest", other, "-l", killed)
    assert all("the library is incomplete" in " ".join(told) for told in notices(killed))
    with Library.open(killed, overrides=LEXICAL) as opened_before:
        assert any("incomplete" in one for one in opened_before.search("valve").notices)
        lexical_cli("ingest", folder, "-l", killed)
        assert not any("incomplete" in one for one in opened_before.search("valve").notices)
    assert files_in(killed) == 401
    assert not any("incomplete" in " ".join(told) for told in notices(killed))
    assert not (killed / UNFINISHED_FILE).exists()


def test_after_a_kill_the_catalog_is_looked_through_once(killed: Path, tmp_path: Path) -> None:
    damaged = Path(shutil.copytree(killed, tmp_path / "damaged"))
    assert is_unchecked(NotesFile(killed))
    lexical_cli("search", "valve", "-l", killed)
    assert not is_unchecked(NotesFile(killed))
    assert unfinished(NotesFile(killed))
    with closing(sqlite3.connect(damaged / CATALOG_FILE)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'ix_turns_conversation'"
        ((page,),) = connection.execute(query)
    with (damaged / CATALOG_FILE).open("r+b") as file:
        file.seek((page - 1) * PAGE)
        file.write(os.urandom(PAGE))
    says_damaged(lexical_cli("search", "valve", "-l", damaged))


@pytest.mark.parametrize("content", [b"", b"{", b"[3]", b'[{"paths": 1}]'])
def test_an_unreadable_note_of_what_was_begun_costs_a_look_and_no_more(
    library: Path, content: bytes
) -> None:
    (library / UNFINISHED_FILE).write_bytes(content)
    assert lexical_cli("search", SOIL, "-l", library).returncode == 0
    assert not is_unchecked(NotesFile(library))


def test_an_ingest_that_fails_in_an_orderly_way_is_incomplete_and_needs_no_look(
    tmp_path: Path,
) -> None:
    work = Work(collection="default", paths=("/papers",))
    with pytest.raises(KeyboardInterrupt), under_way(NotesFile(tmp_path), work):
        raise KeyboardInterrupt
    assert not is_unchecked(NotesFile(tmp_path))
    (left,) = unfinished(NotesFile(tmp_path))
    assert left.paths == ("/papers",)


@pytest.mark.parametrize(
    ("collection", "path", "is_whole", "is_done"),
    [
        ("default", "/papers", True, True),
        ("default", "/", True, True),
        ("default", "/papers", False, False),
        ("default", "/papers/old", True, False),
        ("default", "/papers-2", True, False),
        ("other", "/papers", True, False),
    ],
)
def test_an_interrupted_ingest_is_done_by_one_of_the_same_or_more(
    tmp_path: Path, collection: str, path: str, is_whole: bool, is_done: bool
) -> None:
    begun = Work(collection="default", paths=("/papers",))
    with pytest.raises(KeyboardInterrupt), under_way(NotesFile(tmp_path), begun):
        raise KeyboardInterrupt
    with under_way(
        NotesFile(tmp_path), Work(collection=collection, paths=(path,)), is_whole=is_whole
    ):
        assert len(unfinished(NotesFile(tmp_path))) == 2
    assert (unfinished(NotesFile(tmp_path)) == ()) == is_done


# --- An empty library -------------------------------------------------------------------------


def test_an_empty_library_says_that_it_is_empty(tmp_path: Path) -> None:
    library = tmp_path / "library"
    Library.open(library, overrides=LEXICAL).close()
    empty = "this library holds no documents: pincite ingest PATH"
    asked = lexical_cli("ask", SOIL, "-l", library, "--json")
    assert asked.returncode == 3
    assert empty in json.loads(asked.stdout)["reasons"]
    assert empty in lexical_cli("ask", SOIL, "-l", library).stdout
    assert (
        empty in json.loads(lexical_cli("search", SOIL, "-l", library, "--json").stdout)["notices"]
    )
    (tmp_path / "a.txt").write_text("The pump holds 12 litres of oil.\n")
    with Library.open(library, overrides=LEXICAL) as opened:
        assert empty in opened.ask(SOIL).reasons
        opened.ingest([tmp_path / "a.txt"])
        assert empty not in opened.ask(SOIL).reasons


# --- Files without text -----------------------------------------------------------------------


def test_a_scan_that_a_question_points_at_is_named(
    tmp_path: Path, make_scan: Callable[..., bytes]
) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "pump.txt").write_text("The pump of the brewery holds 12 litres of oil.\n")
    (folder / "Brewery lease 1987.pdf").write_bytes(make_scan("The lease ends in 1999."))
    (folder / "inventory.pdf").write_bytes(b"%PDF-1.4 and nothing more")
    settings = {**LEXICAL, "ingest": {"ocr": "off"}}
    with Library.open(tmp_path / "library", overrides=settings) as opened:
        opened.ingest([folder])

        def named(question: str) -> list[str]:
            told = [*opened.ask(question).reasons, *opened.search(question).notices]
            return sorted({line for line in told if "is not searched" in line})

        (line,) = named("When does the brewery's lease of 1987 end?")
        assert line.startswith("Brewery lease 1987.pdf is not searched: page 1 has no text (a scan")
        (line,) = named("What stands in inventory.pdf?")
        assert line.startswith("inventory.pdf is not searched: ")
        assert named("How many litres of oil does the pump of the brewery hold?") == []
        generation = opened.catalog.generation()
        (folder / "invoices.pdf").write_bytes(b"%PDF-1.4 and nothing more")
        opened.ingest([folder])
        assert opened.catalog.generation() == generation
        (line,) = named("What stands in invoices.pdf?")
        assert line.startswith("invoices.pdf is not searched: ")
        assert named("When did the lease begin?") == []
        (folder / "Brewery lease 1987.pdf").unlink()
        (folder / "inventory.pdf").unlink()
        opened.ingest([folder])
        assert named("When does the brewery's lease of 1987 end?") == []
