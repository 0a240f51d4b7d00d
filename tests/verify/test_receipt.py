"""A receipt that was not touched holds; anything that was touched is caught."""

from __future__ import annotations

import copy
import random
import shutil
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from pincite import ReceiptError
from pincite.ingest.readers import FileReader
from pincite.records.document import Document
from pincite.records.flow import Citation
from pincite.verify.receipts.receipt import ReceiptCheck, check_receipt, located
from pincite.verify.receipts.saved import load_saved
from tests.verify.saved_receipts import Receipt, receipt_of


class RememberingReader:
    """Reads as FileReader does, and each content once: these tests read the same files often."""

    def __init__(self) -> None:
        self._known: dict[tuple[Path, bytes], Document] = {}

    def read(self, path: Path) -> Document:
        content = path.read_bytes() if path.is_file() else b""
        if (path, content) not in self._known:
            self._known[path, content] = FileReader().read(path)
        return self._known[path, content]


READER = RememberingReader()
EDITS = 100

QUOTED = {
    "gse-204-hydraulic-test-stand.pdf": "Size -8 hose end",
    "prospectus-extract.docx": "interim dividend",
    "visitor-policy.html": "Charging is free for visitors",
    "tomato-crop-guide.md": "soil pH of 6.0 to 6.8",
    "boiler-log-1998.txt": "Offer for a new burner",
}
TEXT_FILES = (
    "visitor-policy.html",
    "tomato-crop-guide.md",
    "boiler-log-1998.txt",
    "help-centre.md",
)


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """A copy of the sample documents that may be changed."""
    source = Path(str(files("pincite.interfaces.samples"))) / "documents"
    return Path(shutil.copytree(source, tmp_path / "documents"))


def cite(path: Path, start: int, end: int) -> Citation:
    """A citation of `text[start:end]`, as the verifier makes one."""
    document = READER.read(path)
    return located(document, start, end, path=str(path), sha256=document.sha256)


def line_around(document: Document, words: str) -> tuple[int, int]:
    """The line of the document's text that holds these words, without blanks around it."""
    found = document.text.index(words)
    start = document.text.rfind("\n", 0, found) + 1
    end = document.text.find("\n", found)
    line = document.text[start : end if end >= 0 else None]
    start += len(line) - len(line.lstrip())
    return start, start + len(line.strip())


def quote_from(path: Path, words: str) -> Citation:
    return cite(path, *line_around(READER.read(path), words))


@pytest.fixture
def receipt(documents: Path) -> Receipt:
    """One citation for each format."""
    return receipt_of([quote_from(documents / name, words) for name, words in QUOTED.items()])


def check(receipt: Receipt, root: Path | None = None) -> ReceiptCheck:
    return check_receipt(receipt, READER, root=root)


def problems(found: ReceiptCheck) -> str:
    return "\n".join([*found.problems, *(text for c in found.citations for text in c.problems)])


# --- What was not touched ---------------------------------------------------------------------


@pytest.mark.parametrize("name", QUOTED)
def test_an_untouched_citation_holds(documents: Path, name: str) -> None:
    receipt = receipt_of([quote_from(documents / name, QUOTED[name])])
    found = check(receipt)
    assert problems(found) == ""
    assert found.holds
    assert found.citations[0].source == str(documents / name)


def test_an_untouched_answer_with_several_citations_holds(receipt: Receipt) -> None:
    found = check(receipt)
    assert len(found.citations) == len(QUOTED)
    assert found.holds


def test_a_quote_that_ends_with_a_number_may_stand_before_another(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("The torque is 54\nFilters are changed in May.\n")
    receipt = receipt_of([cite(path, 0, 16), cite(path, 17, 44)])

    assert problems(check(receipt)) == ""


def test_a_refusal_holds() -> None:
    assert check(receipt_of([])).holds


def test_a_quote_with_a_byte_order_mark_before_it_holds(tmp_path: Path) -> None:
    for encoding in ("utf-8-sig", "utf-16", "cp1252"):
        path = tmp_path / f"{encoding}.txt"
        path.write_text("Café opens at 9.\nThe Café closes at 18.\n", encoding=encoding)
        receipt = receipt_of([quote_from(path, "closes")])
        assert problems(check(receipt)) == ""
        citation = receipt["citations"][0]
        cited = path.read_bytes()[citation["start_byte"] : citation["end_byte"]]
        plain = encoding.removesuffix("-sig").replace("utf-16", "utf-16-le")
        assert cited.decode(plain) == "The Café closes at 18."


# --- A changed file ---------------------------------------------------------------------------


def test_each_of_a_hundred_one_character_edits_is_caught(documents: Path) -> None:
    chance = random.Random(204)
    for number in range(EDITS):
        path = documents / TEXT_FILES[number % len(TEXT_FILES)]
        original = path.read_bytes()
        text = READER.read(path).text
        start = chance.randrange(len(text) - 60)
        receipt = receipt_of([cite(path, start, start + chance.randrange(10, 60))])
        where = chance.randrange(len(original))
        path.write_bytes(edited(original, where, chance))
        found = check(receipt)
        path.write_bytes(original)
        assert not found.holds, f"edit {number}: byte {where} of {path.name}"
        assert check(receipt).holds


def edited(content: bytes, where: int, chance: random.Random) -> bytes:
    """The content with one character more, one less, or another one."""
    other = bytes([chance.choice([c for c in range(32, 127) if c != content[where]])])
    new = chance.choice([b"", other, other + content[where : where + 1]])
    return content[:where] + new + content[where + 1 :]


def test_a_change_elsewhere_in_the_file_is_told_apart_from_a_changed_quote(
    documents: Path, receipt: Receipt
) -> None:
    path = documents / "boiler-log-1998.txt"
    before = path.read_bytes()
    path.write_bytes(before + b"\r\n")
    later = problems(check(receipt))
    assert "the file has changed: its SHA-256" in later
    assert "not the quote" not in later
    path.write_bytes(b"!" + before)
    assert "are not the quote" in problems(check(receipt))


def test_a_quote_that_an_unchanged_file_has_elsewhere_fails_and_says_where(
    receipt: Receipt,
) -> None:
    citation = receipt["citations"][0]
    start, end = citation["start_char_index"], citation["end_char_index"]
    citation["start_char_index"], citation["end_char_index"] = start + 1, end + 1
    assert f"the file is unchanged and has these words at {start}-{end}" in problems(check(receipt))


def test_a_changed_pdf_or_docx_is_caught(documents: Path, receipt: Receipt) -> None:
    for name in ("gse-204-hydraulic-test-stand.pdf", "prospectus-extract.docx"):
        path = documents / name
        original = path.read_bytes()
        path.write_bytes(original + b" ")
        assert not check(receipt).holds
        path.write_bytes(original[: len(original) // 2])
        assert not check(receipt).holds
        path.write_bytes(original)
    assert check(receipt).holds


# --- A changed receipt ------------------------------------------------------------------------


CHANGES: dict[str, list[Callable[[Any], Any]]] = {
    "document": [lambda old: "0" * 16, lambda old: "", lambda old: None],
    "sha256": [lambda old: "0" * 64, lambda old: old.upper(), lambda old: ""],
    "page": [lambda old: (old or 0) + 1, lambda old: "2", lambda old: 0],
    "section": [lambda old: old + "x", lambda old: "", lambda old: None],
    "start_char_index": [
        lambda old: old - 1,
        lambda old: old + 1,
        lambda old: -1,
        lambda old: None,
    ],
    "end_char_index": [lambda old: old - 1, lambda old: old + 1, lambda old: 0, lambda old: "9"],
    "start_byte": [lambda old: (old or 0) - 1, lambda old: (old or 0) + 1, lambda old: "x"],
    "end_byte": [lambda old: (old or 0) - 1, lambda old: (old or 0) + 1, lambda old: "x"],
    "cited_text": [lambda old: old[:-1], lambda old: old + " ", lambda old: old.swapcase()],
    "boxes": [lambda old: [*old, [1, 0, 0, 1, 1]], lambda old: None],
    "source": [lambda old: old + "x", lambda old: "", lambda old: str(Path(old).parent)],
}


@pytest.mark.parametrize("field", CHANGES)
def test_each_changed_field_of_each_citation_is_caught(receipt: Receipt, field: str) -> None:
    for number in range(len(QUOTED)):
        for change in CHANGES[field]:
            tampered = copy.deepcopy(receipt)
            citation = tampered["citations"][number]
            citation[field] = change(citation[field])
            if citation[field] == receipt["citations"][number][field]:
                continue
            # Whoever changes a quote would change the answer with it.
            quotes = [str(c["cited_text"]) for c in tampered["citations"]]
            tampered["text"] = "\n".join(quotes)
            for claim, quote in zip(tampered["claims"], quotes, strict=True):
                claim["text"] = quote
            found = check(tampered)
            assert not found.holds, f"{field} = {citation[field]!r} in {list(QUOTED)[number]}"
            failed = [c.number for c in found.citations if c.problems]
            assert failed == [number + 1]


def test_a_box_that_was_moved_is_caught(receipt: Receipt) -> None:
    for edge in range(5):
        tampered = copy.deepcopy(receipt)
        tampered["citations"][0]["boxes"][0][edge] += 1
        assert "boxes" in problems(check(tampered))


def test_what_a_file_says_of_a_place_may_not_be_dropped(documents: Path, tmp_path: Path) -> None:
    (tmp_path / "cover.md").write_text("We do not pay for:\n\n- theft\n- damage by pets\n")
    (tmp_path / "prices.csv").write_text("part,price\nvalve,12\npump,99\n")
    item = quote_from(tmp_path / "cover.md", "damage by pets")
    row = quote_from(tmp_path / "prices.csv", "valve")
    assert item.announced_by
    assert row.cells
    assert row.place
    receipt = receipt_of([item, row])
    assert check(receipt).holds
    for number, name in ((0, "announced_by"), (1, "cells"), (1, "place")):
        tampered = copy.deepcopy(receipt)
        del tampered["citations"][number][name]
        assert f"its {name} is None" in problems(check(tampered))


def test_an_end_beyond_the_text_is_caught(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The pump holds 12 litres.")
    receipt = receipt_of([quote_from(tmp_path / "a.txt", "pump")])
    (citation,) = receipt["citations"]
    for end in (citation["end_char_index"] + 1, 10**9, True, 25.0):
        citation["end_char_index"] = end
        assert "is not within the file's text" in problems(check(receipt))


def test_bytes_and_pages_may_not_be_dropped(receipt: Receipt) -> None:
    for number, names in ((0, ("page",)), (4, ("start_byte", "end_byte"))):
        for name in names:
            tampered = copy.deepcopy(receipt)
            tampered["citations"][number][name] = None
            assert not check(tampered).holds


@pytest.mark.parametrize(
    "text", ["", "Something else.", "The price is 9,999 €.", None, ["a"]]
)  # fmt: skip
def test_a_changed_answer_is_caught(receipt: Receipt, text: Any) -> None:
    receipt["text"] = text
    assert "not made of its quotes" in problems(check(receipt))


def test_a_number_in_the_answer_that_no_quote_holds_is_named(receipt: Receipt) -> None:
    receipt["text"] = receipt["text"].replace("6.8", "8.6")
    assert "8.6" in problems(check(receipt))


@pytest.mark.parametrize("status", ["abstained", "certain", "", None, 1, ["answered"]])
def test_a_changed_status_is_caught(receipt: Receipt, status: Any) -> None:
    receipt["status"] = status
    assert "its status is" in problems(check(receipt))


def test_a_refusal_with_a_text_or_a_citation_is_caught(receipt: Receipt) -> None:
    refusal = receipt_of([])
    assert not check({**refusal, "text": "The ferry leaves at 22:00."}).holds
    assert not check({**refusal, "status": "answered"}).holds
    assert not check({**refusal, "citations": receipt["citations"]}).holds

    assert not check({**refusal, "status": ["abstained"]}).holds


def test_a_dropped_citation_is_caught(receipt: Receipt) -> None:
    del receipt["citations"][2]
    assert not check(receipt).holds


# --- Files that are elsewhere -----------------------------------------------------------------


def test_moved_files_are_found_below_a_root(
    receipt: Receipt, documents: Path, tmp_path: Path
) -> None:
    documents.rename(tmp_path / "archive")
    missing = check(receipt)
    assert not missing.holds
    assert all(
        "no such file; name its folder with --root" in c.problems[0] for c in missing.citations
    )
    assert check(receipt, tmp_path / "archive").holds
    assert not check(receipt, tmp_path / "verify-nothing-here").holds


def test_the_right_one_of_several_files_with_the_same_name_is_found(tmp_path: Path) -> None:
    cited = tmp_path / "old" / "a" / "b" / "notes.txt"
    cited.parent.mkdir(parents=True)
    cited.write_text("The pump holds 12 litres.\n")
    receipt = receipt_of([quote_from(cited, "pump")])
    root = tmp_path / "new"
    (root / "b").mkdir(parents=True)
    (root / "b" / "notes.txt").write_text("The pump holds 13 litres.\n")
    cited.rename(root / "notes.txt")
    assert check(receipt, root).holds


def test_a_path_from_another_system_is_found(documents: Path, receipt: Receipt) -> None:
    for citation in receipt["citations"]:
        citation["source"] = "C:\\Users\\anna\\files\\" + Path(citation["source"]).name
    assert check(receipt, documents).holds


@pytest.mark.parametrize("form", ["/x/../secret.txt", "..\\..\\secret.txt", "a/../../secret.txt"])
def test_a_path_with_dots_is_not_followed(tmp_path: Path, form: str) -> None:
    root = tmp_path / "root"
    (root / "a").mkdir(parents=True)
    secret = tmp_path / "secret.txt"
    secret.write_text("The key is under the mat.\n")
    receipt = receipt_of([quote_from(secret, "key")])
    receipt["citations"][0]["source"] = form
    assert "'..' is not followed" in problems(check(receipt, root))


def test_a_folder_in_place_of_the_file_is_told(documents: Path, receipt: Receipt) -> None:
    path = documents / "boiler-log-1998.txt"
    path.unlink()
    path.mkdir()
    found = check(receipt)
    assert [c.number for c in found.citations if c.problems] == [5]


# --- Files that are no receipts ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"\xff\xfe\x00", "is not JSON"),
        (b"[]", "is not a saved answer"),
        (b"null", "is not a saved answer"),
        (b'{"status": "answered"}', "is not a saved answer"),
        (b'{"status":"","question":"","text":"","citations":{}}', "citations lack fields"),
        (b'{"status":"","question":"","text":"","citations":[1]}', "citations lack fields"),
        (b'{"status":"","question":"","text":"","citations":[{}]}', "start_char_index"),
    ],
)
def test_what_is_no_receipt_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "answer.json"
    path.write_bytes(content)
    with pytest.raises(ReceiptError, match=said):
        load_saved(path)


def test_a_missing_receipt_is_told(tmp_path: Path) -> None:
    with pytest.raises(ReceiptError, match="cannot be read: No such file"):
        load_saved(tmp_path / "answer.json")


def test_deeply_nested_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_bytes(b"[" * 100_000)
    with pytest.raises(ReceiptError):
        load_saved(path)


@pytest.mark.parametrize("value", [None, 5, [], {}, "x", 1e400, True])
def test_values_of_any_type_are_problems_and_not_crashes(receipt: Receipt, value: Any) -> None:
    for name in receipt["citations"][0]:
        tampered = copy.deepcopy(receipt)
        if tampered["citations"][0][name] is value:
            continue  # A PDF has no byte offsets: None is what stands there.
        tampered["citations"][0][name] = value
        assert not check(tampered).holds, name


# --- Statements -------------------------------------------------------------------------------


@pytest.fixture
def generated(receipt: Receipt) -> Receipt:
    """Two statements that a model wrote, with their quotes."""
    receipt["mode"] = "generated"
    receipt["claims"] = [
        {"text": "The crop likes a pH of 6.0 to 6.8.", "citations": [4], "verdict": "supported"},
        {"text": "Charging costs visitors nothing.", "citations": [3, 1], "verdict": "supported"},
        {
            "text": "There is an interim dividend.",
            "citations": [2, 5],
            "verdict": "supported",
        },
    ]
    receipt["text"] = "\n".join(claim["text"] for claim in receipt["claims"])
    return receipt


def test_untouched_statements_of_a_model_hold(generated: Receipt) -> None:
    assert problems(check(generated)) == ""


def test_a_statement_with_a_number_that_its_own_quotes_do_not_hold_is_named(
    generated: Receipt,
) -> None:
    generated["claims"][1]["text"] = "Charging costs 6.8 euros."
    generated["text"] = "\n".join(claim["text"] for claim in generated["claims"])
    assert "statement 2: 6.8 euros: number not in a cited quote" in problems(check(generated))


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("The crop dislikes no pH of 6.0 to 6.8.", "no: negated otherwise than in its quote"),
        ("The crop in Kenya likes a pH of 6.0 to 6.8.", "Kenya: name not in a cited quote"),
        ("The crop likes a pH of 6.8.", "6.8: one end of a range in its quote"),
    ],
)
def test_a_statement_that_means_something_else_is_named(
    generated: Receipt, said: str, problem: str
) -> None:
    generated["claims"][0]["text"] = said
    generated["text"] = "\n".join(claim["text"] for claim in generated["claims"])
    assert f"statement 1: {problem}" in problems(check(generated))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("citations", []),
        ("citations", [9]),
        ("citations", [0]),
        ("citations", [1]),
        ("citations", ["4"]),
        ("citations", [True]),
        ("verdict", "number not in a cited quote"),
        ("verdict", None),
        ("text", "Something else."),
        ("text", None),
    ],
)
def test_a_changed_statement_is_caught(generated: Receipt, field: str, value: Any) -> None:
    generated["claims"][0][field] = value
    assert not check(generated).holds


@pytest.mark.parametrize("mode", ["extractive", "quoted", "free", "", None, 1, ["generated"]])
def test_a_statement_of_a_model_cannot_pass_for_a_quote(generated: Receipt, mode: Any) -> None:
    generated["mode"] = mode
    assert not check(generated).holds


@pytest.mark.parametrize("claims", [None, {}, "text", [1], [{}]])
def test_claims_of_another_form_are_caught(generated: Receipt, claims: Any) -> None:
    generated["claims"] = claims
    assert not check(generated).holds


def test_a_dropped_statement_is_caught(generated: Receipt) -> None:
    del generated["claims"][0]
    generated["text"] = "\n".join(claim["text"] for claim in generated["claims"])
    assert "no statement cites quote [4]" in problems(check(generated))


def test_what_every_saved_answer_has_may_not_be_dropped(receipt: Receipt) -> None:
    for name in set(receipt) - {"timings", "readings"}:  # Older versions saved no readings.
        shorter = {field: value for field, value in receipt.items() if field != name}
        if name == "citations":
            continue  # Without these it is no saved answer at all.
        assert f"lacks {name}" in problems(check(shorter))
