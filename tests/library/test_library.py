"""What a library holds follows what is on the disk, and its answers follow what it holds."""

from __future__ import annotations

import gc
import json
import os
import shutil
import subprocess
import sys
import time
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import pincite
from pincite import Library, LibraryError, Status, UsageError
from pincite.store.index.indexes import INDEX_FORMAT
from pincite.verify.receipts.receipt import answer_form

PUMP = "How many litres of oil does the pump hold?"
FERRY = "When does the ferry to Stavanger leave?"
LEXICAL = {"embedding": {"model": "none"}}
NOTICE = "lexical search only: embedding.model is 'none'"
SAMPLES = Path(str(files("pincite.interfaces.samples"))) / "documents"

OpenLibrary = Callable[..., Library]


@pytest.fixture
def open_library(tmp_path: Path) -> Any:
    """Opens libraries in a folder of this test, and closes them at its end."""
    opened: list[Library] = []

    def open_one(name: str = "library", *, lexical: bool = True) -> Library:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        library = Library.open(folder, overrides=LEXICAL if lexical else None)
        opened.append(library)
        return library

    open_one.opened = opened  # type: ignore[attr-defined]
    yield open_one
    for library in opened:
        library.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two short documents."""
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "pump.txt").write_text("The pump holds 12 litres of oil.\n")
    (folder / "ferry.md").write_text("# Ferry\n\nThe ferry to Stavanger leaves at 22:15.\n")
    return folder


def asked(library: Library, question: str, **options: Any) -> dict[str, Any]:
    """An answer as JSON, without timings."""
    form = answer_form(library.ask(question, **options))
    del form["timings"]
    result: dict[str, Any] = json.loads(json.dumps(form))
    return result


def passage_ids(library: Library) -> set[str]:
    catalog = library.catalog
    return {passage.id for passage in catalog.passages(catalog.passage_keys()).values()}


# --- Ingesting again --------------------------------------------------------------------------


def test_other_files_with_the_sentence_of_a_quote_are_named(
    open_library: OpenLibrary, folder: Path
) -> None:
    line = "The pump holds 12 litres of oil."
    (folder / "engine.txt").write_text(f"{line} The engine runs on diesel and is checked in May.\n")
    (folder / "boat.txt").write_text(f"The boat is red and moored in the harbour. {line}\n")
    library = open_library()
    library.ingest([folder])
    answer = library.ask(PUMP)
    files = {"pump.txt", "engine.txt", "boat.txt"} - {Path(c.source).name for c in answer.citations}
    told = " ".join(reason for reason in answer.reasons if "also appears in" in reason)
    assert files
    assert all(name in told for name in files)


def test_one_text_in_three_formats_is_quoted_once_and_the_other_files_are_named(
    open_library: OpenLibrary, tmp_path: Path
) -> None:
    folder = tmp_path / "forms"
    folder.mkdir()
    (folder / "pump.md").write_text(
        "# Pump\n\nThe [pump](pump.html) holds **12 litres**\nof oil; it's checked in May.\n"
    )
    (folder / "pump.html").write_text(
        "<h1>Pump</h1><p>The <a href='x'>pump</a> holds 12 litres of oil; it&rsquo;s checked in May."
    )
    (folder / "pump.txt").write_text(
        "PUMP\n\nThe pump holds 12\nlitres of oil; it's\nchecked in May.\n"
    )
    for name in ("ferry", "boat", "train", "tram"):
        (folder / f"{name}.txt").write_text(f"The {name} to Stavanger leaves at noon.\n")
    library = open_library()
    library.ingest([folder])
    answer = library.ask(PUMP)
    assert len(answer.citations) == 1
    others = {"pump.md", "pump.html", "pump.txt"} - {Path(answer.citations[0].source).name}
    told = " ".join(reason for reason in answer.reasons if "also appears in" in reason)
    assert all(name in told for name in others)


def test_copies_of_a_cited_file_are_named(open_library: OpenLibrary, folder: Path) -> None:
    (folder / "old").mkdir()
    (folder / "old" / "pump.txt").write_bytes((folder / "pump.txt").read_bytes())
    library = open_library()
    library.ingest([folder])
    answer = library.ask(PUMP)
    name = str(Path("old", "pump.txt"))
    main = str(Path("documents", "pump.txt"))
    other = {main: name, name: main}
    cited = str(Path(*Path(answer.citations[0].source).parts[-2:]))
    assert f"the sentence of quote [1] also appears in {other[cited]}" in answer.reasons


def test_ingesting_unchanged_files_changes_nothing(open_library: OpenLibrary, folder: Path) -> None:
    library = open_library()
    library.ingest([folder])
    before = library.stats()
    report = library.ingest([folder])
    assert (report.added, report.updated, report.unchanged, report.removed) == (0, 0, 2, 0)
    assert library.stats().generation == before.generation
    assert library.stats().corpus_version == before.corpus_version


def test_a_changed_file_replaces_its_passages(open_library: OpenLibrary, folder: Path) -> None:
    library = open_library()
    library.ingest([folder])
    old = passage_ids(library)
    (folder / "pump.txt").write_text("The pump holds 15 litres of oil.\n")
    report = library.ingest([folder])
    assert (report.added, report.updated, report.unchanged) == (0, 1, 1)
    assert report.passages == 2
    assert len(passage_ids(library) & old) == 1
    assert asked(library, PUMP)["text"] == "The pump holds 15 litres of oil."
    hits = library.search("12").hits
    assert all("12 litres" not in library.catalog.text_of(hit.passage.span) for hit in hits)


def test_a_library_that_changed_equals_one_that_was_made_anew(
    open_library: OpenLibrary, folder: Path
) -> None:
    library = open_library(lexical=False)
    (folder / "old.txt").write_text("The pump of the ferry holds many litres of oil. " * 30)
    library.ingest([folder])
    library.ask(PUMP)
    (folder / "old.txt").unlink()
    (folder / "pump.txt").write_text("The pump holds 15 litres of oil.\n")
    library.ingest([folder])
    fresh = open_library("fresh", lexical=False)
    fresh.ingest([folder])
    for question in (PUMP, FERRY, "nothing of the kind"):
        assert asked(library, question) == asked(fresh, question)
        found = [(hit.passage.id, hit.scores) for hit in library.search(question).hits]
        assert found == [(hit.passage.id, hit.scores) for hit in fresh.search(question).hits]


def test_a_renamed_file_keeps_its_document_and_passages(
    open_library: OpenLibrary, folder: Path
) -> None:
    library = open_library()
    library.ingest([folder])
    before = passage_ids(library)
    (folder / "pump.txt").rename(folder / "oil.txt")
    report = library.ingest([folder])
    assert (report.moved, report.added, report.removed, report.unchanged) == (1, 0, 0, 1)
    assert passage_ids(library) == before
    (citation,) = asked(library, PUMP)["citations"]
    assert citation["source"] == str(folder / "oil.txt")


def test_the_same_bytes_under_two_names_are_one_document(
    open_library: OpenLibrary, folder: Path
) -> None:
    library = open_library()
    shutil.copy(folder / "pump.txt", folder / "zz-copy.txt")
    report = library.ingest([folder])
    assert (report.added, report.documents, report.passages) == (3, 3, 2)
    answer = asked(library, PUMP)
    assert len(answer["citations"]) == 1
    assert library.remove([folder / "pump.txt"]) == (str(folder / "pump.txt"),)
    (citation,) = asked(library, PUMP)["citations"]
    assert citation["source"] == str(folder / "zz-copy.txt")


def test_a_file_that_can_no_longer_be_read_keeps_its_last_version(
    open_library: OpenLibrary, folder: Path
) -> None:
    library = open_library()
    library.ingest([folder])
    (folder / "pump.txt").write_bytes(b"")
    report = library.ingest([folder])
    (failed,) = report.failed
    assert "0 bytes" in failed.reason
    assert "the version ingested before is kept" in failed.reason
    assert report.documents == 2
    # The quote is no longer in the file, so it may not be shown.
    answer = asked(library, PUMP)
    assert answer["status"] == "abstained"
    assert any("the file has changed" in reason for reason in answer["reasons"])
    (folder / "pump.txt").write_text("The pump holds 12 litres of oil.\n")
    assert library.ingest([folder]).failed == ()
    assert library.stats().failures == ()


# --- Files that go ----------------------------------------------------------------------------


def test_files_and_folders_are_forgotten_on_request(
    open_library: OpenLibrary, folder: Path
) -> None:
    library = open_library()
    library.ingest([folder])
    assert library.remove([folder / "nothing.txt"]) == ()
    assert library.remove([folder]) == (str(folder / "ferry.md"), str(folder / "pump.txt"))
    stats = library.stats()
    assert (stats.documents, stats.passages) == (0, 0)
    assert stats.corpus_version == "0" * 32
    assert asked(library, PUMP)["status"] == "abstained"
    assert library.ingest([folder]).added == 2


def test_a_name_that_merely_begins_the_same_is_not_removed(
    open_library: OpenLibrary, folder: Path
) -> None:
    library = open_library()
    (folder / "pump.txt.log").write_text("The log of the pump is empty.\n")
    library.ingest([folder])
    assert library.remove([folder / "pump.txt"]) == (str(folder / "pump.txt"),)
    assert library.stats().documents == 2


def test_what_vanished_from_a_folder_is_forgotten(open_library: OpenLibrary, folder: Path) -> None:
    library = open_library()
    library.ingest([folder])
    (folder / "pump.txt").unlink()
    report = library.ingest([folder])
    assert (report.removed, report.unchanged, report.documents) == (1, 1, 1)
    assert asked(library, PUMP)["status"] == "abstained"


def test_a_folder_that_became_empty_removes_nothing(
    open_library: OpenLibrary, folder: Path
) -> None:
    library = open_library()
    library.ingest([folder])
    for path in folder.iterdir():
        path.unlink()
    report = library.ingest([folder])
    assert report.removed == 0
    assert report.documents == 2
    assert "no files Pincite reads" in report.failed[0].reason


def test_ingesting_one_file_removes_no_other(open_library: OpenLibrary, folder: Path) -> None:
    library = open_library()
    library.ingest([folder])
    (folder / "ferry.md").unlink()
    report = library.ingest([folder / "pump.txt"])
    assert (report.removed, report.documents) == (0, 2)


def test_a_file_that_is_gone_from_its_folder_is_not_quoted(
    open_library: OpenLibrary, folder: Path
) -> None:
    library = open_library()
    library.ingest([folder])
    (folder / "pump.txt").unlink()
    answer = asked(library, PUMP)
    assert not [one for one in answer["citations"] if one["source"].endswith("pump.txt")]
    assert any("no longer in its folder" in reason for reason in answer["reasons"])


def test_a_file_whose_folder_is_out_of_reach_is_quoted_and_told(
    open_library: OpenLibrary, folder: Path, tmp_path: Path
) -> None:
    library = open_library()
    library.ingest([folder])
    folder.rename(tmp_path / "not mounted")
    answer = asked(library, PUMP)
    assert answer["status"] == "answered"
    assert any("cannot be opened" in reason for reason in answer["reasons"])


# --- Collections ------------------------------------------------------------------------------


def test_a_collection_limits_what_is_found(open_library: OpenLibrary, folder: Path) -> None:
    library = open_library()
    library.ingest([folder / "pump.txt"], collection="machines")
    library.ingest([folder / "ferry.md"], collection="travel")
    assert library.stats().collections == {"machines": 1, "travel": 1}
    assert asked(library, FERRY, collection="travel")["status"] == "answered"
    assert asked(library, FERRY, collection="machines")["status"] == "abstained"
    assert asked(library, FERRY)["status"] == "answered"
    for hit in library.search("oil ferry", collection="machines").hits:
        assert library.catalog.source(hit.passage.span.document_id).path.endswith("pump.txt")
    with pytest.raises(UsageError, match="machines, travel"):
        library.ask(FERRY, collection="nope")


def test_a_document_of_two_collections_is_cited_by_its_path_there(
    open_library: OpenLibrary, folder: Path
) -> None:
    library = open_library()
    copy = folder / "a-copy.txt"
    shutil.copy(folder / "pump.txt", copy)
    library.ingest([copy], collection="one")
    library.ingest([folder / "pump.txt"], collection="two")
    for collection, path in (("one", copy), ("two", folder / "pump.txt")):
        (citation,) = asked(library, PUMP, collection=collection)["citations"]
        assert citation["source"] == str(path)
    library.remove([copy], collection="one")
    with pytest.raises(UsageError, match="no collection 'one'"):
        library.ask(PUMP, collection="one")
    assert asked(library, PUMP, collection="two")["status"] == "answered"


# --- Without the encoder ----------------------------------------------------------------------


def test_lexical_mode_says_so_in_every_result(open_library: OpenLibrary, folder: Path) -> None:
    library = open_library()
    library.ingest([folder])
    for question in (PUMP, FERRY, "Who wrote the opera?"):
        assert NOTICE in library.ask(question).reasons
        assert library.search(question).notices == (NOTICE,)


def test_lexical_mode_may_come_from_the_environment(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PINCITE_EMBEDDING__MODEL", "none")
    with Library.open(tmp_path / "library") as library:
        library.ingest([folder])
        assert NOTICE in library.ask(PUMP).reasons
        assert library.encoder() is None


def test_passages_without_vectors_are_told_until_the_next_ingest_makes_them(
    open_library: OpenLibrary, folder: Path
) -> None:
    open_library().ingest([folder])
    library = open_library(lexical=False)
    told = asked(library, PUMP)["reasons"]
    assert any("2 passages are not encoded yet" in reason for reason in told)
    assert library.ingest([folder]).unchanged == 2
    assert asked(library, PUMP)["reasons"] == []


# --- Several users ----------------------------------------------------------------------------


def test_another_users_documents_are_seen_without_opening_again(
    open_library: OpenLibrary, folder: Path
) -> None:
    reader, writer = open_library(), open_library()
    writer.ingest([folder / "pump.txt"])
    assert asked(reader, FERRY)["status"] == "abstained"
    writer.ingest([folder / "ferry.md"])
    found = asked(reader, FERRY)
    assert found["status"] == "answered"
    assert found["corpus_version"] == writer.stats().corpus_version
    (folder / "ferry.md").write_text("# Ferry\n\nThe ferry to Stavanger leaves at 23:45.\n")
    writer.ingest([folder / "ferry.md"])
    assert "23:45" in asked(reader, FERRY)["text"]
    writer.remove([folder / "ferry.md"])
    assert asked(reader, FERRY)["status"] == "abstained"


@pytest.mark.slow
def test_eight_threads_give_the_same_answers_as_one(open_library: OpenLibrary) -> None:
    library = open_library(lexical=False)
    library.ingest([SAMPLES])
    questions = [
        "What torque do I need for a size -8 hose end?",
        "Which soil pH is best for tomatoes?",
        FERRY,
        "hose",
    ]
    expected = [asked(library, question) for question in questions]
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda question: asked(library, question), questions * 2))
    assert [json.dumps(item) for item in found] == [json.dumps(item) for item in expected * 2]


def test_threads_may_ask_while_another_ingests(open_library: OpenLibrary, folder: Path) -> None:
    library = open_library()
    library.ingest([folder])
    more = folder / "more"
    more.mkdir()
    for number in range(20):
        (more / f"{number}.txt").write_text(f"Lamp {number} burns {number * 3} hours.\n")
    with ThreadPoolExecutor(4) as threads:
        ingest = threads.submit(library.ingest, [folder])
        answers = list(threads.map(lambda _: library.ask(PUMP), range(40)))
        assert ingest.result().added == 20
    assert {answer.status for answer in answers} == {Status.ANSWERED}
    assert "57 hours" in asked(library, "How many hours does lamp 19 burn?")["text"]


# --- Opening ----------------------------------------------------------------------------------


def test_a_closed_library_lets_go_of_its_encoder(open_library: OpenLibrary, folder: Path) -> None:
    library = open_library(lexical=False)
    library.ingest([folder])
    library.ask(PUMP)
    encoder = library.encoder()
    assert encoder is not None
    runtime = weakref.ref(encoder._runtime)
    library.close()
    open_library.opened.clear()  # type: ignore[attr-defined]
    del library, encoder
    gc.collect()

    assert runtime() is None


def test_a_path_may_be_given_alone_and_as_text(open_library: OpenLibrary, folder: Path) -> None:
    library = open_library()
    assert library.ingest(str(folder / "pump.txt")).added == 1  # type: ignore[arg-type]
    assert library.ingest([str(folder)]).added == 1


def test_opening_without_making_refuses_where_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="there is no library"):
        Library.open(tmp_path / "none", create=False)
    assert not (tmp_path / "none").exists()


def test_a_library_can_be_moved(open_library: OpenLibrary, folder: Path, tmp_path: Path) -> None:
    library = open_library()
    library.ingest([folder])
    before = asked(library, PUMP)
    library.close()
    (tmp_path / "library").rename(tmp_path / "moved")
    assert asked(open_library("moved"), PUMP) == before


def test_odd_names_are_taken(open_library: OpenLibrary, folder: Path) -> None:
    library = open_library()
    for name in ("a b.txt", "naïve – 文書.txt", "it's.txt", "[x]*?.txt", "-n.txt", "new\nline.txt"):
        (folder / name).write_text(f"The pump called {name!r} is blue.\n")
    assert library.ingest([folder]).failed == ()
    assert library.stats().documents == 8
    assert len(library.remove([folder / "[x]*?.txt"])) == 1


def test_check_offsets_notices_a_changed_file(open_library: OpenLibrary, folder: Path) -> None:
    library = open_library()
    library.ingest([folder])
    whole = library.check_offsets()
    assert whole.exact == whole.checked > 0
    (folder / "pump.txt").write_text("!")
    changed = library.check_offsets()
    assert changed.exact < changed.checked
    assert any("has changed since it was ingested" in problem for problem in changed.problems)


def test_verify_receipt_needs_no_library(
    open_library: OpenLibrary, folder: Path, tmp_path: Path
) -> None:
    library = open_library()
    library.ingest([folder])
    saved = tmp_path / "answer.json"
    library.save_receipt(library.ask(PUMP), saved)
    library.close()
    shutil.rmtree(tmp_path / "library")
    assert pincite.verify_receipt(saved).holds
    (folder / "pump.txt").write_text("The pump holds 13 litres of oil.\n")
    assert not pincite.verify_receipt(saved).holds


def test_the_section_around_a_passage_can_be_had(open_library: OpenLibrary, tmp_path: Path) -> None:
    text = "# Pump\n\nIt runs.\n\n## Oil\n\nUse grade 5.\n\n# Valve\n\nIt opens.\n"
    (tmp_path / "manual.md").write_text(text)
    library = open_library()
    library.ingest([tmp_path / "manual.md"])
    (entry,) = library.files()
    passages = library.catalog.passages_of(entry.document_id)
    found = {passage.section[-1]: passage for passage in passages}
    pump = library.section_of(found["Pump"])
    assert text[pump.start : pump.end] == "Pump\n\nIt runs.\n\n## Oil\n\nUse grade 5."
    oil = library.section_of(found["Oil"])
    assert text[oil.start : oil.end] == "Oil\n\nUse grade 5."


def test_a_link_is_removed_by_its_name(open_library: OpenLibrary, folder: Path) -> None:
    (folder.parent / "abc123").write_text("The valve opens at 6 bar.\n")
    (folder / "valve.txt").symlink_to(folder.parent / "abc123")
    library = open_library()
    assert library.ingest([folder]).added == 3
    assert library.remove([folder / "valve.txt"]) == (str(folder / "valve.txt"),)


@pytest.mark.parametrize("what_happens", ["change", "delete"])
@pytest.mark.parametrize("filed", ["default", "other"])
def test_of_identical_files_one_that_is_still_the_same_is_cited(
    open_library: OpenLibrary, folder: Path, what_happens: str, filed: str
) -> None:
    first, copy = folder / "a.txt", folder.parent / "other.txt"
    for path in (first, copy):
        path.write_text("The boiler opens at a pressure of 6.5 bar.\n")
    library = open_library()
    library.ingest([folder])
    library.ingest([copy], collection=filed)
    question = "At which pressure does the boiler open?"
    assert asked(library, question)["citations"][0]["source"] == str(first)
    if what_happens == "change":
        first.write_text("The cook opens the door.\n")
    else:
        first.unlink()
    answer = asked(library, question)
    assert [citation["source"] for citation in answer["citations"]] == [str(copy)]
    counted = library.count("boiler")
    assert [citation.source for citation in counted.citations] == [str(copy)]
    assert library.search(question).hits
    receipt = folder.parent / "count.json"
    library.save_receipt(counted, receipt)
    assert pincite.verify_receipt(receipt).holds


def test_a_search_says_when_it_cannot_show_as_many_as_were_asked_for(tmp_path: Path) -> None:
    (tmp_path / "pump.txt").write_text("The pump runs.\n")
    (tmp_path / "pumps.txt").write_text("A pump stops.\n")
    overrides = {**LEXICAL, "retrieval": {"keep": 1}}
    with Library.open(tmp_path / "library", overrides=overrides) as library:
        library.ingest([tmp_path / "pump.txt", tmp_path / "pumps.txt"])
        told = "at most 1 hits instead of 250: raise retrieval.keep to see more"
        assert library.search("pump", limit=250).notices[-1] == told
        assert library.search("pump", limit=1).notices == (NOTICE,)


def test_a_question_imports_nothing_that_reads_files(
    open_library: OpenLibrary, folder: Path
) -> None:
    library = open_library()
    library.ingest([folder])
    program = (
        "import sys; from pincite import Library; "
        f"library = Library.open({str(library.path)!r}, create=False, overrides={LEXICAL!r}); "
        "print(library.ask('When does the ferry leave?').status); library.close(); "
        "print([name for name in sys.modules if name.startswith('pincite.ingest.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["answered", "[]"]


def test_a_list_of_files_opens_no_encoder(open_library: OpenLibrary, folder: Path) -> None:
    open_library().ingest([folder])
    again = open_library(lexical=False)
    assert len(again.files()) == 2
    assert again.stats().documents == 2
    assert again._made_upkeep is None


def test_the_encoder_is_opened_beside_the_imports_and_waited_for(
    open_library: OpenLibrary, folder: Path
) -> None:
    library = open_library(lexical=False)
    library.ingest([folder])
    again = open_library(lexical=False)
    again._encoders.open_ahead()
    again._encoders.close()
    assert again._encoders.serving() is again.encoder()
    assert asked(again, "When does the ferry leave?")["status"] == "answered"


def test_a_question_in_another_language_is_told_so_and_not_answered_with_junk(
    open_library: OpenLibrary, folder: Path
) -> None:
    library = open_library(lexical=False)
    # Of less text nothing is claimed.
    (folder / "long.txt").write_text(
        "The harbour office is open from Monday to Friday, and the ticket desk on all days of the "
        "week. Every passenger with a bicycle has to come to the quay half an hour earlier, because "
        "the bicycles are taken on board before all others. Dogs are welcome on the upper deck."
    )
    library.ingest([folder])
    refused = asked(library, "Wie viele Liter passen in den Behälter?")
    assert refused["status"] == "abstained"
    assert "the question is in German and the documents are not" in refused["reasons"][0]
    assert "pip install 'pincite[multilingual]'" in refused["reasons"][0]
    named = asked(library, "Wann fährt die Fähre nach Stavanger ab?")
    assert any("the question is in German" in reason for reason in named["reasons"])
    assert asked(library, FERRY)["reasons"] == []


def test_indexes_of_other_formats_stay_while_their_programs_use_them(
    open_library: OpenLibrary, folder: Path
) -> None:
    library = open_library()
    root = library.path / "index"
    for name, days in (("3-1", 3), ("9-9", 0)):
        (root / name).mkdir(parents=True)
        (root / name / "manifest.json").write_text("{}")
        then = time.time() - days * 86_400
        os.utime(root / name, (then, then))
    library.ingest(folder)
    assert sorted(path.name for path in root.iterdir()) == [INDEX_FORMAT, "9-9"]
    assert asked(library, FERRY)["citations"]
