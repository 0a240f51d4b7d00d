"""A library that was written into one file and read again answers the same, and no byte may differ."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from end_to_end.running import run_cli

from pincite import Library
from pincite.errors import BundleError, LibraryError
from pincite.interfaces.offline.library_file import export_library, import_library

QUESTION = "At what pressure does the relief valve open?"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    manuals = tmp_path / "manuals"
    (manuals / "old").mkdir(parents=True)
    (manuals / "valves.md").write_text("The relief valve opens at a pressure of 300 kPa.\n")
    (manuals / "old" / "Bedienung für Pumpe.txt").write_text("The pump weighs 12 kg.\n")
    with Library.open(tmp_path / "library") as made:
        made.ingest([manuals], tags=["manual"])
    (tmp_path / "library" / "settings.toml").write_text("[retrieval]\nlimit = 7\n")
    return tmp_path / "library"


def answered(library: Path) -> tuple[str, str, str, int]:
    with Library.open(library, create=False) as opened:
        answer = opened.ask(QUESTION)
        (citation,) = answer.citations
        return citation.source, citation.quote, citation.sha256, opened.settings.retrieval.limit


def test_it_answers_the_same_with_the_same_settings(library: Path, tmp_path: Path) -> None:
    written = export_library(library, tmp_path / "kept.tar", with_sources=False)
    assert (written.documents, written.sources, written.gone) == (2, 0, ())
    read = import_library(tmp_path / "kept.tar", tmp_path / "again", sources_to=None)
    assert read.sha256 == written.sha256
    assert answered(tmp_path / "again") == answered(library)


def test_its_files_come_along_and_receipts_hold_there(library: Path, tmp_path: Path) -> None:
    export_library(library, tmp_path / "kept.tar", with_sources=True)
    (tmp_path / "manuals").rename(tmp_path / "gone")
    files = tmp_path / "there" / "files"
    import_library(tmp_path / "kept.tar", tmp_path / "again", sources_to=files)
    source, quote, _, _ = answered(tmp_path / "again")
    assert Path(source) == files / "valves.md"
    assert quote in Path(source).read_text()
    assert (files / "old" / "Bedienung für Pumpe.txt").is_file()
    with Library.open(tmp_path / "again", create=False) as opened:
        opened.save_receipt(opened.ask(QUESTION), tmp_path / "answer.json")
        again = opened.ingest([files])
    assert (again.added, again.updated, again.removed) == (0, 0, 0)
    assert run_cli("verify", tmp_path / "answer.json").returncode == 0


def test_a_file_that_has_changed_is_told_and_not_taken_along(library: Path, tmp_path: Path) -> None:
    (tmp_path / "manuals" / "valves.md").write_text("Something else.\n")
    done = run_cli("export", tmp_path / "kept.tar", "-l", library, "--sources", "--json")
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert told["sources"] == 1
    assert "valves.md: it has changed since it was ingested" in told["gone"][0]


def test_no_byte_can_be_changed_unseen_and_nothing_is_left(library: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.tar"
    export_library(library, kept, with_sources=True)
    content, chance = bytearray(kept.read_bytes()), random.Random(22)
    for place in chance.sample(range(len(content)), 40):
        changed = bytearray(content)
        changed[place] ^= 1 << chance.randrange(8)
        kept.write_bytes(changed)
        with pytest.raises(BundleError):
            import_library(kept, tmp_path / "again", sources_to=tmp_path / "files")
    before = {"library", "manuals", "kept.tar"}
    assert {path.name for path in tmp_path.iterdir()} == before


def test_nothing_is_replaced(library: Path, tmp_path: Path) -> None:
    export_library(library, tmp_path / "kept.tar", with_sources=False)
    with pytest.raises(LibraryError, match="already exists"):
        import_library(tmp_path / "kept.tar", library, sources_to=None)
    with pytest.raises(LibraryError, match="already exists"):
        import_library(tmp_path / "kept.tar", tmp_path / "a", sources_to=tmp_path / "manuals")
    refused = run_cli("export", tmp_path / "manuals" / "valves.md", "-l", library)
    assert refused.returncode != 0
    assert "300 kPa" in (tmp_path / "manuals" / "valves.md").read_text()


def test_the_commands_tell_what_was_done(library: Path, tmp_path: Path) -> None:
    done = run_cli("export", tmp_path / "kept.tar", "-l", library)
    assert "2 documents, 0 source files" in done.stdout
    done = run_cli("import", tmp_path / "kept.tar", "-l", tmp_path / "again")
    assert done.returncode == 0
    (tmp_path / "kept.tar").write_bytes(b"no bundle")
    refused = run_cli("import", tmp_path / "kept.tar", "-l", tmp_path / "b")
    assert refused.returncode == 4
    assert not (tmp_path / "b").exists()
