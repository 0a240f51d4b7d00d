"""Which files are read, which are left alone, and what is told; with stand-ins for every stage."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path

import pytest

from pincite.errors import ReadError
from pincite.ingest.chunk.passages import StructureChunker
from pincite.ingest.readers import FileReader
from pincite.ingest.reading import ReadingOptions
from pincite.library.intake import KEPT, Intake, Progress, recipe
from pincite.library.sync_plan import Recipe
from pincite.models.encoders.windowed import TokenPoolingEmbedder
from pincite.pipeline import IngestStages
from pincite.records.flow import FileRead
from pincite.records.library_records import IngestReport
from pincite.settings.groups import ChunkingSettings
from pincite.store.catalog.catalog import Catalog
from pincite.testing.fakes import FakeEncoder

CHUNKING = ChunkingSettings(max_chars=200, overlap_chars=0)


class PlainReaders:
    """Reads in this process, and notes what it was asked to read."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def read_all(self, paths: Iterable[Path]) -> Generator[FileRead]:
        for path in paths:
            self.asked.append(path.name)
            try:
                yield FileRead(
                    path=str(path),
                    document=FileReader(options=ReadingOptions(recognise=False)).read(path),
                )
            except ReadError as error:
                yield FileRead(path=str(path), reason=str(error))


class Desk:
    """A catalog and everything an intake needs."""

    def __init__(self, folder: Path) -> None:
        self.catalog = Catalog(folder / "catalog.sqlite3")
        self.readers = PlainReaders()
        self.encoder = FakeEncoder(dimensions=384)

    def take_in(
        self,
        *paths: Path,
        collection: str = "default",
        made_by: str = "recipe",
        reading: str = "",
        version: int = 0,
        seen: list[Progress] | None = None,
    ) -> IngestReport:
        self.readers.asked.clear()
        self.encoder.encoded.clear()
        stages = IngestStages(
            readers=self.readers,
            chunker=StructureChunker(max_size=200, overlap=0),
            embedder=TokenPoolingEmbedder(self.encoder, self.catalog.embeddings),
        )
        recipe = Recipe(made_by, reading, version=version)
        intake = Intake(self.catalog, stages, collection=collection, recipe=recipe)
        found, plan = intake.plan(list(paths))
        report = intake.run(found, plan, None if seen is None else seen.append)
        self.catalog.forget_texts()
        return report


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.catalog.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / f"{name}.txt").write_text(f"Machine {name} stands in hall {name}.\n")
    return folder


def test_settled_files_are_neither_read_nor_encoded(desk: Desk, folder: Path) -> None:
    assert desk.take_in(folder).added == 3
    assert desk.readers.asked == ["a.txt", "b.txt", "c.txt"]
    generation = desk.catalog.generation()
    assert desk.take_in(folder).unchanged == 3
    assert desk.readers.asked == desk.encoder.encoded == []
    assert desk.catalog.generation() == generation


def test_only_what_changed_is_read(desk: Desk, folder: Path) -> None:
    desk.take_in(folder)
    (folder / "b.txt").write_text("Machine b was sold.\n")
    report = desk.take_in(folder)
    assert (report.updated, report.unchanged) == (1, 2)
    assert desk.readers.asked == ["b.txt"]
    assert len(desk.encoder.encoded) == 1


def test_a_copy_is_not_read_again(desk: Desk, folder: Path) -> None:
    desk.take_in(folder)
    (folder / "d.txt").write_bytes((folder / "a.txt").read_bytes())
    report = desk.take_in(folder)
    assert (report.added, report.unchanged, report.documents) == (1, 3, 4)
    assert desk.readers.asked == []


def test_another_recipe_reads_everything_again(desk: Desk, folder: Path) -> None:
    desk.take_in(folder)
    report = desk.take_in(folder, made_by="another")
    assert (report.updated, report.unchanged, report.documents) == (3, 0, 3)
    assert len(desk.readers.asked) == 3


def test_what_a_newer_version_has_read_is_left_to_it(desk: Desk, folder: Path) -> None:
    desk.take_in(folder, version=2)
    report = desk.take_in(folder, version=1, made_by="another")
    assert (report.updated, report.unchanged, desk.readers.asked) == (0, 3, [])
    (folder / "a.txt").write_text("Changed meanwhile.")
    assert desk.take_in(folder, version=1).updated == 1
    assert desk.take_in(folder, version=3).updated == 3


def test_a_recipe_follows_chunking() -> None:
    assert recipe(CHUNKING, "") == recipe(CHUNKING, "")
    other = ChunkingSettings(max_chars=201, overlap_chars=0)
    assert recipe(CHUNKING, "") != recipe(other, "")


def test_only_files_with_gaps_are_read_again_when_ocr_was_installed(
    desk: Desk, folder: Path, make_scan: Callable[..., bytes]
) -> None:
    (folder / "scan.pdf").write_bytes(make_scan("Machine d stands in hall d."))
    desk.take_in(folder, reading="no recogniser")
    assert desk.take_in(folder, reading="no recogniser").unchanged == 4
    assert desk.take_in(folder, reading="rapidocr 3").unchanged == 3
    assert desk.readers.asked == ["scan.pdf"]


def test_progress_is_told_after_every_file_that_is_not_settled(desk: Desk, folder: Path) -> None:
    desk.take_in(folder / "a.txt")
    seen: list[Progress] = []
    desk.take_in(folder, seen=seen)
    assert [step.files_done for step in seen] == [2, 3]
    assert {step.files_total for step in seen} == {3}
    assert sorted(Path(step.path).name for step in seen) == ["b.txt", "c.txt"]


def test_a_failure_is_kept_until_the_file_can_be_read(desk: Desk, folder: Path) -> None:
    (folder / "zero.txt").touch()
    report = desk.take_in(folder)
    assert report.added == 3
    assert [Path(problem.path).name for problem in report.failed] == ["zero.txt"]
    assert KEPT not in report.failed[0].reason
    assert desk.catalog.failures() == report.failed
    (folder / "zero.txt").write_text("Machine zero stands outside.\n")
    assert desk.take_in(folder).failed == ()
    assert desk.catalog.failures() == ()


def test_a_failure_of_a_file_that_is_gone_is_forgotten(desk: Desk, folder: Path) -> None:
    (folder / "zero.txt").touch()
    desk.take_in(folder)
    (folder / "zero.txt").unlink()
    desk.take_in(folder)

    assert desk.catalog.failures() == ()


def test_a_file_that_broke_keeps_its_last_version(desk: Desk, folder: Path) -> None:
    desk.take_in(folder)
    (folder / "a.txt").write_bytes(b"")
    report = desk.take_in(folder)
    assert report.failed[0].reason.endswith(KEPT)
    assert report.documents == 3


def test_vanished_files_are_removed_in_their_collection_only(desk: Desk, folder: Path) -> None:
    desk.take_in(folder, collection="one")
    desk.take_in(folder, collection="two")
    (folder / "a.txt").unlink()
    report = desk.take_in(folder, collection="one")
    assert (report.removed, report.unchanged) == (1, 2)
    assert desk.catalog.collections() == {"one": 2, "two": 3}


def test_a_folder_in_which_nothing_is_found_is_left_alone(desk: Desk, folder: Path) -> None:
    desk.take_in(folder)
    for path in folder.iterdir():
        path.unlink()
    assert desk.take_in(folder).removed == 0
    folder.rmdir()
    report = desk.take_in(folder)
    assert (report.removed, report.documents) == (0, 3)
    assert "no such file or folder" in report.failed[0].reason


def test_a_folder_may_be_named_twice_and_by_way_of_a_link(desk: Desk, folder: Path) -> None:
    link = folder.parent / "link"
    link.symlink_to(folder)
    report = desk.take_in(folder, link, folder / "a.txt", folder)
    assert (report.added, report.failed) == (3, ())
    assert desk.take_in(link).unchanged == 3


def test_a_moved_file_is_moved_and_not_read(desk: Desk, folder: Path) -> None:
    desk.take_in(folder)
    (folder / "below").mkdir()
    (folder / "a.txt").rename(folder / "below" / "a.txt")
    report = desk.take_in(folder)
    assert (report.moved, report.added, report.removed, report.unchanged) == (1, 0, 0, 2)
    assert report.passages == 3
    assert desk.readers.asked == desk.encoder.encoded == []


def test_a_renamed_file_is_read_again_because_its_name_stands_in_the_context(
    desk: Desk, folder: Path
) -> None:
    desk.take_in(folder)
    (document,) = [i for p, i in desk.catalog.paths("default").items() if p.endswith("a.txt")]
    before = [passage.id for passage in desk.catalog.passages_of(document)]
    (folder / "a.txt").rename(folder / "turbine.txt")
    assert desk.take_in(folder).moved == 1
    assert desk.readers.asked == ["turbine.txt"]
    after = desk.catalog.passages_of(document)
    assert [passage.id for passage in after] == before
    assert {passage.context for passage in after} == {"turbine"}
    desk.take_in(folder)
    assert desk.readers.asked == []


def test_a_document_is_named_after_its_first_file(desk: Desk, folder: Path) -> None:
    desk.take_in(folder)
    (folder / "a second a.txt").write_bytes((folder / "b.txt").read_bytes())
    desk.take_in(folder)
    (document,) = [i for p, i in desk.catalog.paths("default").items() if p.endswith("/b.txt")]
    assert desk.catalog.document(document).name == "a second a.txt"
    (folder / "a second a.txt").unlink()
    desk.take_in(folder)
    assert desk.catalog.document(document).name == "b.txt"


def test_equal_new_files_are_read_once(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "equal"
    folder.mkdir()
    for name in ("c", "a", "b"):
        (folder / f"{name}.txt").write_text("The same in each.\n")
    report = desk.take_in(folder)
    assert (report.added, report.documents, report.passages) == (3, 3, 1)
    assert desk.readers.asked == ["a.txt"]


def test_equal_files_that_cannot_be_read_all_fail(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "equal"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.pdf").write_bytes(b"%PDF-1.7 and no more")
    assert len(desk.take_in(folder).failed) == 2


def test_the_version_before_a_change_is_kept_and_not_searched(desk: Desk, folder: Path) -> None:
    desk.take_in(folder)
    (folder / "b.txt").write_text("Machine b was sold.\n")
    desk.take_in(folder)
    (entry,) = [e for e in desk.catalog.files() if e.path.endswith("b.txt")]
    (old,) = entry.old_versions
    assert old.replaced_by == entry.document_id
    assert desk.catalog.document(old.document_id).text == "Machine b stands in hall b.\n"
    assert desk.catalog.passages_of(old.document_id) == []


def test_a_file_that_goes_back_to_an_old_version_is_searched_again(
    desk: Desk, folder: Path
) -> None:
    desk.take_in(folder)
    first = (folder / "b.txt").read_text()
    for text in ("Machine b was sold.\n", first):
        (folder / "b.txt").write_text(text)
        desk.take_in(folder)
    (entry,) = [e for e in desk.catalog.files() if e.path.endswith("b.txt")]
    assert len(desk.catalog.passages_of(entry.document_id)) == 1
    (old,) = entry.old_versions
    assert desk.catalog.document(old.document_id).text == "Machine b was sold.\n"


def test_a_removed_file_leaves_no_version_behind(desk: Desk, folder: Path) -> None:
    desk.take_in(folder)
    (folder / "b.txt").write_text("Machine b was sold.\n")
    desk.take_in(folder)
    (folder / "b.txt").unlink()
    desk.take_in(folder)
    count = "SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM versions)"
    assert desk.catalog.store.rows(count) == [(2, 0)]


def test_the_order_of_ingests_does_not_change_the_corpus_version(
    desk: Desk, folder: Path, tmp_path: Path
) -> None:
    desk.take_in(folder)
    other_folder = tmp_path / "other"
    other_folder.mkdir()
    other = Desk(other_folder)
    for name in ("c", "a", "b", "a"):
        other.take_in(folder / f"{name}.txt")
    assert other.catalog.meta("corpus_version") == desk.catalog.meta("corpus_version")
    other.catalog.close()


def test_stopping_in_the_middle_keeps_what_was_finished(desk: Desk, folder: Path) -> None:
    def stop(step: Progress) -> None:
        if step.files_done == 2:
            raise KeyboardInterrupt

    stages = IngestStages(
        readers=desk.readers,
        chunker=StructureChunker(max_size=200, overlap=0),
        embedder=None,
    )
    intake = Intake(desk.catalog, stages, collection="default", recipe=Recipe("recipe"))
    with pytest.raises(KeyboardInterrupt):
        intake.run(*intake.plan([folder]), stop)
    kept = desk.catalog.counts()["documents"]
    assert kept >= 2
    report = desk.take_in(folder)
    assert (report.unchanged, report.added) == (kept, 3 - kept)


def make_loop(folder: Path) -> Path:
    """Put a link to itself in a folder's place: nobody, not even root, can look into it."""
    aside = folder.rename(folder.with_name(f"{folder.name} aside"))
    folder.symlink_to(folder)
    return aside


def test_files_below_a_folder_that_cannot_be_opened_are_kept(desk: Desk, folder: Path) -> None:
    (folder / "locked").mkdir()
    (folder / "locked" / "d.txt").write_text("Machine d stands in hall d.\n")
    desk.take_in(folder)
    make_loop(folder / "locked").rename(folder.parent / "elsewhere")
    report = desk.take_in(folder)
    assert (report.removed, report.moved, report.unchanged) == (0, 0, 3)
    assert [Path(problem.path).name for problem in report.failed] == ["locked"]
    assert str(folder / "locked" / "d.txt") in desk.catalog.paths("default")


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may open every folder"
)
def test_files_below_a_folder_without_rights_are_kept(desk: Desk, folder: Path) -> None:
    locked = folder / "locked"
    locked.mkdir()
    (locked / "d.txt").write_text("Machine d stands in hall d.\n")
    desk.take_in(folder)
    locked.chmod(0)
    try:
        assert desk.take_in(folder).removed == 0
        assert desk.take_in(folder, locked).removed == 0
    finally:
        locked.chmod(0o700)
    assert len(desk.catalog.failures()) == 1
    desk.take_in(folder)
    assert desk.catalog.failures() == ()


def test_a_folder_that_can_be_opened_again_is_no_longer_reported(desk: Desk, folder: Path) -> None:
    (folder / "locked").mkdir()
    (folder / "locked" / "d.txt").write_text("Machine d stands in hall d.\n")
    aside = make_loop(folder / "locked")
    other = folder.parent / "other"
    other.mkdir()
    (other / "e.txt").write_text("Machine e stands in hall e.\n")
    desk.take_in(folder)
    desk.take_in(other)  # this says nothing of it
    assert len(desk.catalog.failures()) == 1
    (folder / "locked").unlink()
    aside.rename(folder / "locked")
    desk.take_in(folder)
    assert desk.catalog.failures() == ()


def test_a_link_that_leads_somewhere_again_is_no_longer_reported(desk: Desk, folder: Path) -> None:
    (folder / "link.txt").symlink_to(folder.parent / "target.txt")
    desk.take_in(folder)
    assert len(desk.catalog.failures()) == 1
    (folder.parent / "target.txt").write_text("Machine f stands in hall f.\n")
    desk.take_in(folder)
    assert desk.catalog.failures() == ()


@pytest.mark.skipif(sys.platform != "linux", reason="only here a name may be any bytes")
def test_a_name_that_is_not_utf8_is_reported_and_the_others_go_in(desk: Desk, folder: Path) -> None:
    Path(os.fsdecode(os.fsencode(folder) + b"/bad\xffname.txt")).write_text("Machine g.\n")
    other = folder.parent / os.fsdecode(b"f\xe9")
    other.mkdir()
    (other / "h.txt").write_text("Machine h.\n")
    report = desk.take_in(folder, other)
    assert report.added == 3
    told = {Path(problem.path).name: problem.reason for problem in report.failed}
    assert told.keys() == {r"bad\xffname.txt", r"f\xe9"}
    assert all("not valid UTF-8" in reason for reason in told.values())
    desk.take_in(folder / "a.txt")
    assert len(desk.catalog.failures()) == 2
    Path(os.fsdecode(os.fsencode(folder) + b"/bad\xffname.txt")).unlink()
    other.rename(folder.parent / "good")
    desk.take_in(folder)
    assert desk.catalog.failures() == ()
