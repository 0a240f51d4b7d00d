"""A library of an earlier version opens, answers and goes on; one of a later version is refused."""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
import tarfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from end_to_end.running import lexical_cli, refused
from tiers import often

from pincite.store.catalog import migrations

DATA = Path(__file__).parents[2] / "data"
FORMATS: Sequence[int] = often(range(3, migrations.NEWEST), (3, 6, migrations.NEWEST - 1))
"""Of each there is a catalog of the same two files, made by the last code that wrote it.

Formats 1 and 2 are in test_catalog.py."""
PUMP = "# Pump\n\nThe relief valve opens at 350 bar.\n"


@pytest.fixture
def first_library(tmp_path: Path) -> Path:
    """As version 0.1.0 left it, its index included."""
    with tarfile.open(DATA / "library-0.1.0.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "library"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """The files again; they lay elsewhere when the libraries were made."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "pump.md").write_text(PUMP)
    (folder / "motor.txt").write_text("The motor is inspected every 500 hours.\n")
    return folder


def catalog_of(version: int, library: Path) -> Path:
    library.mkdir()
    with gzip.open(DATA / f"catalog-format-{version}.sqlite3.gz") as packed:
        (library / "catalog.sqlite3").write_bytes(packed.read())
    return library


def finds_and_goes_on(library: Path, notes: Path) -> None:
    """Search finds what is held; a question is answered once the files are known where they are."""
    found = lexical_cli("search", "relief valve", "--library", library, "--json")
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["hits"][0]["text"].startswith("The relief valve opens")
    taken = lexical_cli("ingest", notes, "--library", library, "--json")
    assert json.loads(taken.stdout)["moved"] == 2, taken.stderr
    asked = lexical_cli(
        "ask",
        "When does the relief valve open?",
        "--stance",
        "eager",
        "--library",
        library,
        "--json",
    )
    answer = json.loads(asked.stdout)
    assert answer["citations"][0]["cited_text"] == "The relief valve opens at 350 bar."


def test_a_library_of_the_first_release_opens_and_goes_on(first_library: Path, notes: Path) -> None:
    finds_and_goes_on(first_library, notes)


@pytest.mark.parametrize("version", FORMATS)
def test_a_library_of_each_earlier_format_opens_and_goes_on(
    version: int, tmp_path: Path, notes: Path
) -> None:
    finds_and_goes_on(catalog_of(version, tmp_path / "library"), notes)


def test_an_export_of_an_old_library_can_be_imported(first_library: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.tar"
    done = lexical_cli("export", kept, "--library", first_library)
    assert done.returncode == 0, done.stderr
    done = lexical_cli("import", kept, "--library", tmp_path / "new")
    assert done.returncode == 0, done.stderr
    assert "relief valve" in lexical_cli("search", "valve", "--library", tmp_path / "new").stdout


def test_a_library_of_a_later_version_is_refused_and_left_alone(
    first_library: Path, tmp_path: Path
) -> None:
    library = Path(shutil.copytree(first_library, tmp_path / "newer"))
    with closing(sqlite3.connect(library / "catalog.sqlite3")) as connection:
        connection.execute("update meta set value = '99' where name = 'schema_version'")
        connection.commit()
    before = (library / "catalog.sqlite3").read_bytes()
    for verb in (["ask", "x"], ["search", "x"], ["ls"], ["doctor"], ["ingest", library.parent]):
        refused(lexical_cli(*verb, "--library", library), 1, "format 99", "install a newer Pincite")
    assert (library / "catalog.sqlite3").read_bytes() == before
