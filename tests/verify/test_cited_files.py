"""The files that a receipt names: none is opened that should not be, and the check ends in time."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from end_to_end.running import call_cli

import pincite
from pincite.errors import ReadError, ReceiptError
from pincite.ingest.readers import FileReader
from pincite.records.document import Document
from pincite.records.flow import Answer, Citation, Claim, Status, Verdict
from pincite.verify.receipts.cited_files import CitedFiles
from pincite.verify.receipts.receipt import answer_form, located
from pincite.verify.receipts.signing import sealed

TEXT = "The pump holds 12 litres.\n"


class Counting:
    """Reads as FileReader does, and notes what it read; `meanwhile` happens before."""

    def __init__(self, meanwhile: Any = None) -> None:
        self.read_paths: list[Path] = []
        self._meanwhile = meanwhile

    def read(self, path: Path) -> Document:
        self.read_paths.append(path)
        if self._meanwhile:
            self._meanwhile()
        return FileReader().read(path)


def cited(path: Path, **changes: Any) -> Citation:
    found = FileReader().read(path)
    end = len(found.text.rstrip())
    return located(found, 0, end, path=str(path), sha256=found.sha256)


def saved(target: Path, *sources: str, of: Citation) -> Path:
    """A receipt with the same quote of several files, with a digest that fits."""
    form = answer_form(
        Answer(
            status=Status.ANSWERED,
            question="How much?",
            text="\n".join(of.quote for _ in sources),
            claims=tuple(
                Claim(text=of.quote, evidence_ids=(), verdict=Verdict.SUPPORTED, citations=(n,))
                for n in range(1, len(sources) + 1)
            ),
            citations=tuple(of for _ in sources),
            confidence=0.5,
            reasons=(),
            corpus_version="0",
            settings_digest="0",
        )
    )
    form = json.loads(json.dumps(form))
    for citation, source in zip(form["citations"], sources, strict=True):
        citation["source"] = source
    target.write_text(json.dumps(sealed(form)))
    return target


@pytest.fixture
def note(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    path = tmp_path / "root" / "note.txt"
    path.write_text(TEXT)
    return path


def problems(check: Any) -> str:
    return "\n".join([*check.problems, *(told for c in check.citations for told in c.problems)])


# --- What is no file ----------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["/dev/zero", "pipe", "folder"])
def test_a_receipt_that_is_no_file_is_refused_at_once(tmp_path: Path, place: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with pytest.raises(ReceiptError, match="not a file"):
        pincite.verify_receipt(tmp_path / place)


def test_a_receipt_larger_than_any_is_refused_unread(tmp_path: Path) -> None:
    with (tmp_path / "a.json").open("wb") as file:
        file.truncate(10**11)
    with pytest.raises(ReceiptError, match="larger than"):
        pincite.verify_receipt(tmp_path / "a.json")


@pytest.mark.parametrize("rooted", [True, False])
def test_a_pipe_or_a_device_in_place_of_a_source_is_told(
    tmp_path: Path, note: Path, rooted: bool
) -> None:
    os.mkfifo(tmp_path / "root" / "pipe.txt")
    receipt = saved(
        tmp_path / "a.json", str(tmp_path / "root" / "pipe.txt"), "/dev/zero", of=cited(note)
    )
    check = pincite.verify_receipt(receipt, root=tmp_path / "root" if rooted else None)
    assert all(one.problems for one in check.citations)


def test_a_file_that_is_exchanged_while_it_is_read_is_told(tmp_path: Path, note: Path) -> None:
    (tmp_path / "secret.txt").write_text("The key is under the mat.\n")

    def exchange() -> None:
        note.unlink()
        note.symlink_to(tmp_path / "secret.txt")

    files = CitedFiles(Counting(exchange), tmp_path / "root")
    with pytest.raises(ReadError, match="was changed while it was read") as told:
        files.document(str(note), "0" * 64)
    assert "key" not in str(told.value)


# --- Where it looks -----------------------------------------------------------------------------


def test_with_a_root_nothing_outside_of_it_is_opened(tmp_path: Path, note: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text(TEXT)
    (tmp_path / "root" / "secret.txt").symlink_to(secret)
    (tmp_path / "root" / "up").symlink_to(tmp_path)
    reader = Counting()
    files = CitedFiles(reader, tmp_path / "root")
    for source in (str(secret), "/x/up/secret.txt"):
        with pytest.raises(ReadError, match="no file of this name below"):
            files.document(source, "0" * 64)
    assert reader.read_paths == []


def test_messages_do_not_tell_what_is_outside_a_root(tmp_path: Path, note: Path) -> None:
    (tmp_path / "secret.txt").write_text(TEXT)
    (tmp_path / "root" / "there").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "root" / "not there").symlink_to(tmp_path / "nothing.txt")
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "root" / "pipe").symlink_to(tmp_path / "pipe.txt")
    files = CitedFiles(FileReader(), tmp_path / "root")
    told = set()
    for name in ("there", "not there", "pipe"):
        with pytest.raises(ReadError) as refused:
            files.document(f"/x/{name}", "0" * 64)
        told.add(str(refused.value).replace(f"/x/{name}", "SOURCE"))
    assert len(told) == 1


def test_a_path_of_ten_thousand_folders_costs_no_time(tmp_path: Path, note: Path) -> None:
    files = CitedFiles(FileReader(), tmp_path / "root")
    assert files.document("/" + "a/" * 10_000 + "note.txt", "0").text == TEXT


# --- How long it takes --------------------------------------------------------------------------


def test_each_file_is_read_once_and_a_failure_too(tmp_path: Path, note: Path) -> None:
    (tmp_path / "root" / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    reader = Counting()
    files = CitedFiles(reader, None)
    for number in range(5):
        assert files.document(str(note), str(number)).text == TEXT
        with pytest.raises(ReadError):
            files.document(str(tmp_path / "root" / "broken.pdf"), str(number))
    assert len(reader.read_paths) == 2


def test_after_the_time_for_all_files_none_is_read(tmp_path: Path, note: Path) -> None:
    reader = Counting()
    files = CitedFiles(reader, None, seconds=1e-9)
    time.sleep(0.01)
    with pytest.raises(ReadError, match="raise it with --seconds"):
        files.document(str(note), "0")
    assert reader.read_paths == []


def test_a_receipt_of_many_slow_files_ends_in_time(tmp_path: Path, note: Path) -> None:
    """Sparse files take long to read, and cost nothing to make."""
    sources = []
    for number in range(40):
        path = tmp_path / "root" / f"{number}.txt"
        with path.open("wb") as file:
            file.truncate(200_000_000)
        sources.append(str(path))
    receipt = saved(tmp_path / "a.json", *sources, of=cited(note))
    begun = time.monotonic()
    check = pincite.verify_receipt(receipt, seconds=1)
    assert time.monotonic() - begun < 60
    assert not check.holds
    assert "--seconds" in problems(check)


def test_what_is_read_is_not_all_kept(tmp_path: Path) -> None:
    files = CitedFiles(FileReader(), None)
    for number in range(40):
        path = tmp_path / f"{number}.txt"
        path.write_text(f"Note {number}.\n")
        files.document(str(path), "0")
    assert len(files._read) == 32


# --- What is said of signatures -----------------------------------------------------------------


def test_an_unsigned_receipt_says_so(tmp_path: Path, note: Path) -> None:
    receipt = saved(tmp_path / "a.json", str(note), of=cited(note))
    told = call_cli("verify", receipt)
    assert told.returncode == 0
    assert told.stdout.count("unsigned: anyone may have written it") == 1
    form = json.loads(call_cli("verify", receipt, "--json").stdout)
    assert (form["verified"], form["signed"], form["signed_by"]) == (True, False, "")


def test_a_receipt_whose_signature_was_cut_off_does_not_hold(tmp_path: Path, note: Path) -> None:
    call_cli("keys", tmp_path / "key")
    receipt = saved(tmp_path / "a.json", str(note), of=cited(note))
    form = json.loads(receipt.read_text())
    del form["digest"]
    form = sealed(form, tmp_path / "key")
    receipt.write_text(json.dumps(form))
    assert call_cli("verify", receipt).returncode == 0
    del form["signature"]
    receipt.write_text(json.dumps(form))
    told = call_cli("verify", receipt)
    assert told.returncode == 4
    assert "the signature was removed" in " ".join(told.stdout.split())


@pytest.mark.parametrize("written", ['{"confidence": NaN}', "[" * 100_000, '{"a": 1e999999}'])
def test_json_that_is_none_is_a_clear_error(tmp_path: Path, written: str) -> None:
    (tmp_path / "a.json").write_text(written)
    with pytest.raises(ReceiptError):
        pincite.verify_receipt(tmp_path / "a.json")
