"""An answer that another version saved holds if the unchanged file has its words at the same place."""

from __future__ import annotations

import copy
import json
from array import array
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from end_to_end.running import call_cli
from reportlab.pdfgen.canvas import Canvas

from pincite.ingest.readers import FileReader
from pincite.records.document import READING_VERSION, Block, BoxMap, Document
from pincite.records.flow import Citation
from pincite.verify.receipts import receipt as checking
from pincite.verify.receipts.page import CONTEXTS, receipt_page
from pincite.verify.receipts.receipt import ReceiptCheck, check_receipt, located
from pincite.verify.receipts.saved import check_saved, load_saved
from pincite.verify.receipts.signing import make_keys, sealed
from tests.verify.saved_receipts import Receipt, receipt_of

Edit = Callable[[Receipt], Any]

OLDER = READING_VERSION - 1
VERSIONS = f"reading version {OLDER} before, {READING_VERSION} here"
SAMPLES = Path(str(files("pincite.interfaces.samples"))) / "documents"
PDF, PAGE = SAMPLES / "gse-204-hydraulic-test-stand.pdf", SAMPLES / "visitor-policy.html"
NAVIGATION = "Home | Contact\n"


def shifted(document: Document, line: str) -> Document:
    """The document as a reader makes it that puts a line before its text."""
    by = len(line)

    def moved(block: Block) -> Block:
        cells = tuple(
            replace(
                cell,
                start=cell.start + by,
                end=cell.end + by,
                column_headers=tuple((a + by, b + by) for a, b in cell.column_headers),
                row_headers=tuple((a + by, b + by) for a, b in cell.row_headers),
            )
            for cell in block.cells
        )
        return replace(block, start=block.start + by, end=block.end + by, cells=cells)

    boxes = document.boxes
    return replace(
        document,
        text=line + document.text,
        blocks=tuple(map(moved, document.blocks)),
        pages=tuple(
            replace(page, start=page.start + by if number else 0, end=page.end + by)
            for number, page in enumerate(document.pages)
        ),
        boxes=BoxMap(
            starts=array("l", (start + by for start in boxes.starts)),
            ends=array("l", (end + by for end in boxes.ends)),
            pages=boxes.pages,
            corners=boxes.corners,
        ),
    )


def read_before(path: Path) -> Document:
    """A file as the version before this one is said to have read it."""
    found = replace(FileReader().read(path), reading=OLDER)
    return found if found.encoding else shifted(found, NAVIGATION)


def cite(document: Document, path: Path, words: str, *, from_: int = 0) -> Citation:
    start = document.text.index(words, from_)
    return located(document, start, start + len(words), path=str(path), sha256=document.sha256)


@pytest.fixture
def pdf() -> Receipt:
    """A quote of a PDF file, with page and boxes, that the version before saved."""
    return receipt_of([cite(read_before(PDF), PDF, "Size -8 hose end")])


@pytest.fixture
def page() -> Receipt:
    """A quote of a web page, which has neither."""
    return receipt_of([cite(read_before(PAGE), PAGE, "Charging is free for visitors")])


@pytest.fixture
def note(tmp_path: Path) -> Receipt:
    """A quote of a text file, with bytes, whose headings the version before did not read."""
    path = tmp_path / "note.md"
    path.write_text("# Pümps\n\nThe pump holds 12 litres.\n")
    found = read_before(path)
    found = replace(found, blocks=tuple(replace(one, section=()) for one in found.blocks))
    return receipt_of([cite(found, path, "The pump holds 12 litres.")])


def check(receipt: Receipt) -> ReceiptCheck:
    return check_receipt(receipt, FileReader())


def problems(receipt: Receipt) -> str:
    found = check(receipt)
    return "\n".join([*found.problems, *(text for one in found.citations for text in one.problems)])


def notes(receipt: Receipt) -> tuple[str, ...]:
    found = check(receipt)
    assert problems(receipt) == ""
    assert found.holds
    return found.citations[0].notes


def edited(receipt: Receipt, edit: Edit) -> Receipt:
    changed = copy.deepcopy(receipt)
    edit(changed)
    assert changed != receipt
    return changed


def in_quote(**fields: Any) -> Edit:
    return lambda receipt: receipt["citations"][0].update(fields)


# --- What holds -------------------------------------------------------------------------------


def test_a_receipt_names_the_version_that_read_each_cited_document(pdf: Receipt) -> None:
    assert pdf["readings"] == {pdf["citations"][0]["document"]: OLDER}
    assert "reading" not in pdf["citations"][0]


def test_what_an_older_library_has_read_is_of_no_known_version() -> None:
    unknown = replace(FileReader().read(PDF), reading=0)
    receipt = receipt_of([cite(unknown, PDF, "Size -8 hose end")])
    assert "readings" not in receipt
    assert notes(receipt) == ()


def test_what_both_versions_read_alike_needs_no_note() -> None:
    same = replace(FileReader().read(PDF), reading=OLDER)
    assert notes(receipt_of([cite(same, PDF, "Size -8 hose end")])) == ()


def test_words_of_a_pdf_file_hold_on_the_same_page_and_in_the_same_box(pdf: Receipt) -> None:
    start = FileReader().read(PDF).text.index("Size -8 hose end")
    assert notes(pdf) == (
        f"{VERSIONS}: its words are at characters {start}-{start + 16} here, on the same page and in "
        "the same box",
    )


def test_words_of_a_web_page_hold_and_the_note_says_that_there_is_no_place(page: Receipt) -> None:
    (said,) = notes(page)
    assert said.startswith(f"{VERSIONS}: its words are at characters ")
    assert said.endswith(
        "but it names no page, bytes or boxes by which their place could be compared"
    )


def test_words_of_a_text_file_hold_at_the_same_bytes_and_the_note_names_its_other_section(
    note: Receipt,
) -> None:
    assert notes(note) == (
        f"{VERSIONS}: its words are at characters 9-34 here, at the same bytes",
        "read differently here: section '' (here 'Pümps')",
    )


def test_a_later_version_that_shifts_the_text_confirms_what_this_one_saved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    receipt = receipt_of([cite(FileReader().read(PAGE), PAGE, "Charging is free for visitors")])
    assert receipt["readings"] == {receipt["citations"][0]["document"]: READING_VERSION}

    class Later:
        def read(self, path: Path) -> Document:
            return shifted(FileReader().read(path), NAVIGATION)

    assert not check_receipt(receipt, Later()).holds
    monkeypatch.setattr("pincite.ingest.readers.READING_VERSION", READING_VERSION + 1)
    assert check_receipt(receipt, Later()).holds


def test_boxes_may_be_measured_a_little_differently(pdf: Receipt) -> None:
    def moved(by: float) -> Receipt:
        page, *edges = pdf["citations"][0]["boxes"][0]
        return edited(pdf, in_quote(boxes=[[page, *(edge + by for edge in edges)]]))

    assert notes(moved(1.9))[0].endswith("on the same page and in the same box")
    assert "its boxes is" in problems(moved(2.1))


def test_of_the_same_words_those_at_the_cited_place_are_found(tmp_path: Path) -> None:
    path = tmp_path / "twice.pdf"
    canvas = Canvas(str(path), pagesize=(300, 300))
    for _ in range(2):
        for height in (250, 150):
            canvas.drawString(40, height, "The valve is closed.")
        canvas.showPage()
    canvas.save()
    before = read_before(path)
    starts = [at for at in range(len(before.text)) if before.text.startswith("The valve", at)]
    assert len(starts) == 4
    for start in starts:
        receipt = receipt_of([cite(before, path, "The valve is closed.", from_=start)])
        here = start - len(NAVIGATION)
        assert f"at characters {here}-{here + 20} here, on the same page" in notes(receipt)[0]
        other = edited(receipt, in_quote(page=3 - receipt["citations"][0]["page"]))
        assert "but its" in problems(other)


def test_words_are_found_on_the_cited_page_however_often_others_have_them(tmp_path: Path) -> None:
    path = tmp_path / "often.pdf"
    canvas = Canvas(str(path), pagesize=(300, 300))
    for row in range(15):
        canvas.drawString(20, 280 - 15 * row, "valve " * 8)
    canvas.showPage()
    canvas.drawString(40, 250, "The last valve is closed.")
    canvas.save()
    before = read_before(path)
    receipt = receipt_of([cite(before, path, "valve", from_=before.text.index("last"))])
    assert notes(receipt)[0].endswith("on the same page and in the same box")


# --- What fails -------------------------------------------------------------------------------


@pytest.mark.parametrize("made", ["pdf", "page", "note"])
@pytest.mark.parametrize(
    "edit",
    [
        lambda receipt: receipt.pop("readings"),
        lambda receipt: receipt.update(
            readings=dict.fromkeys(receipt["readings"], READING_VERSION)
        ),
    ],
)
def test_a_receipt_that_names_no_other_version_is_compared_in_everything(
    made: str, edit: Edit, request: pytest.FixtureRequest
) -> None:
    receipt = edited(request.getfixturevalue(made), edit)
    told = problems(receipt)
    assert "are not the quote" in told or "its section is ''" in told
    assert "reading version" not in told


@pytest.mark.parametrize(
    ("made", "edit", "told"),
    [
        ("pdf", in_quote(page=1), "but its page is 1, here 2"),
        ("pdf", in_quote(page="2"), "but its page is '2', here 2"),
        ("pdf", in_quote(boxes=[[1, 0, 0, 9, 9]]), "but its boxes is [[1, 0, 0, 9, 9]], here [[2"),
        ("pdf", in_quote(boxes=None), "but its boxes is None"),
        ("pdf", in_quote(boxes=[["1", 0, 0, 9, 9]]), "but its boxes is"),
        ("pdf", in_quote(start_byte=5), "but its start_byte is 5, here None"),
        ("pdf", in_quote(document="0" * 16), "its document is '0000000000000000', here"),
        ("pdf", in_quote(more=1), "but its more is 1, here None"),
        ("pdf", in_quote(end_char_index=9), "are not as many as its quote has"),
        ("pdf", in_quote(end_char_index=None), "are not as many as its quote has"),
        ("note", in_quote(start_byte=1), "but its start_byte is 1, here 10"),
        ("note", in_quote(end_byte=99), "but its end_byte is 99, here 35"),
        ("page", in_quote(page=1), "but its page is 1, here None"),
        ("page", in_quote(sha256="0" * 64), "the file has changed: its SHA-256 is"),
    ],
)
def test_another_place_fails_with_what_is_different(
    made: str, edit: Edit, told: str, request: pytest.FixtureRequest
) -> None:
    assert told in problems(edited(request.getfixturevalue(made), edit))


@pytest.mark.parametrize("made", ["pdf", "page", "note"])
def test_words_that_are_not_in_the_file_fail_with_both_versions(
    made: str, request: pytest.FixtureRequest
) -> None:
    receipt = request.getfixturevalue(made)
    quote = receipt["citations"][0]["cited_text"]
    wrong = quote.replace("free", "none").replace("-8", "-9").replace("12", "21")
    told = problems(edited(receipt, in_quote(cited_text=wrong)))
    assert f"its quote is not in the file as it is read here ({VERSIONS})" in told


def test_a_forged_version_lets_no_other_place_pass() -> None:
    """Whoever changes a receipt may name any version, and leaves only what the file itself says."""
    receipt = receipt_of([cite(FileReader().read(PDF), PDF, "Size -8 hose end")])
    receipt["readings"] = dict.fromkeys(receipt["readings"], 3)
    for edit in (
        in_quote(page=1),
        in_quote(boxes=[[1, 0, 0, 9, 9]]),
        in_quote(cited_text="x" * 16),
    ):
        assert not check(edited(receipt, edit)).holds
    (_, differs) = notes(edited(receipt, in_quote(section="Prices")))
    assert differs.startswith("read differently here: section 'Prices' (here '")
    (where,) = notes(
        edited(receipt, in_quote(page=None, boxes=[], start_char_index=0, end_char_index=16))
    )
    assert where.endswith(
        "but it names no page, bytes or boxes by which their place could be compared"
    )


@pytest.mark.parametrize(
    "readings",
    [None, [], 15, "15", {}, {"0" * 16: 15}, {"document": "15"}, {"document": True},
     {"document": 0}, {"document": -1}, {"document": 15.0}, {"document": None}],
)  # fmt: skip
def test_readings_of_another_form_are_a_problem_and_loosen_nothing(
    pdf: Receipt, readings: Any
) -> None:
    if isinstance(readings, dict) and "document" in readings:
        readings = {pdf["citations"][0]["document"]: readings["document"]}
    told = problems({**pdf, "readings": readings})
    assert "its readings are not" in told
    assert "are not the quote" in told


@pytest.mark.parametrize("value", [None, 5, -1, [], {}, "x", 1e400, True])
def test_values_of_any_type_are_problems_and_not_crashes(pdf: Receipt, value: Any) -> None:
    compared = ("document", "sha256", "page", "start_char_index", "end_char_index", "start_byte",
                "end_byte", "cited_text", "boxes")  # fmt: skip
    for name in compared:
        changed = copy.deepcopy(pdf)
        changed["citations"][0][name] = value
        nothing_said = value is None and name in ("page", "start_byte", "end_byte")
        if not nothing_said and not (name == "boxes" and value == []):
            assert not check(changed).holds, name


def test_a_statement_needs_the_headers_that_the_file_has(tmp_path: Path) -> None:
    path = tmp_path / "prices.csv"
    path.write_text("part,price (thousand euros)\nvalve,12\n")
    receipt = receipt_of([cite(read_before(path), path, "valve,12")])
    said = "The valve costs 12,000 euros."
    receipt.update(mode="generated", text=said)
    receipt["claims"] = [{"text": said, "citations": [1], "verdict": "supported"}]
    receipt["citations"][0]["section"] = "Prices"
    assert "read differently here: section 'Prices'" in notes(receipt)[1]

    million = receipt["citations"][0]["cells"][1]["columns"][0]
    million["cited_text"] = "price (million euros)"
    assert "read differently here: section 'Prices' (here ''); cells" in notes(receipt)[1]
    said = "The valve costs 12,000,000 euros."
    receipt.update(text=said)
    receipt["claims"][0]["text"] = said
    assert "statement 1: 12,000,000" in problems(receipt)


def test_words_that_are_everywhere_are_compared_in_some_places_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a " * 5000)
    receipt = edited(receipt_of([cite(read_before(path), path, "a")]), in_quote(start_byte=-1))
    made = []

    def counting(*place: Any, **options: Any) -> Citation:
        made.append(place)
        return located(*place, **options)

    monkeypatch.setattr(checking, "located", counting)
    assert "but its start_byte is -1" in problems(receipt)
    assert len(made) < 500


# --- Pages and signed receipts ----------------------------------------------------------------


def test_the_context_in_a_page_is_compared_where_the_words_are_here(
    tmp_path: Path,
) -> None:
    file = tmp_path / "policy.html"
    file.write_text("<h1>Visitors</h1><p>Charging is free for visitors.</p>")
    before = read_before(file)
    page = receipt_of([cite(before, file, "Charging is free for visitors.")])
    start, end = (page["citations"][0][name] for name in ("start_char_index", "end_char_index"))
    around = {
        "before": before.text[:start],
        "after": before.text[end:],
        "encoding": None,
    }
    target = tmp_path / "page.html"

    def found(context: dict[str, Any]) -> ReceiptCheck:
        target.write_bytes(receipt_page(sealed({**page, CONTEXTS: [context]})))
        return check_saved(load_saved(target), FileReader())

    said = (
        f"the text shown around quote [1] is not that of the file as it is read here ({VERSIONS})"
    )
    assert (found(around).holds, found(around).notes) == (True, (said,))
    alike = {**around, "before": around["before"].removeprefix(NAVIGATION)}
    assert (found(alike).holds, found(alike).notes) == (True, ())


def test_the_version_of_a_signed_receipt_cannot_be_changed(pdf: Receipt, tmp_path: Path) -> None:
    public, _ = make_keys(tmp_path / "key")
    target = tmp_path / "signed.json"
    signed = sealed(pdf, tmp_path / "key")

    def holds(form: Receipt) -> bool:
        target.write_text(json.dumps(form))
        return check_saved(load_saved(target), FileReader(), public_key=public).holds

    assert holds(signed)
    forged = edited(signed, lambda form: form.update(readings=dict.fromkeys(form["readings"], 3)))
    assert not holds(forged)
    assert not holds({**sealed(forged), "signature": signed["signature"]})


# --- The command ------------------------------------------------------------------------------


def test_the_command_shows_how_a_quote_holds(pdf: Receipt, tmp_path: Path) -> None:
    saved = tmp_path / "answer.json"
    saved.write_text(json.dumps(sealed(pdf)))
    shown = call_cli("verify", saved)
    assert shown.returncode == 0, shown.stdout
    told = " ".join(shown.stdout.split())
    assert "[1] ok" in told
    assert VERSIONS in told
    assert "1 of 1 citations hold" in told

    form = json.loads(call_cli("verify", saved, "--json").stdout)
    assert (form["verified"], form["problems"], form["notes"]) == (True, [], [])
    assert [len(form["citations"][0][name]) for name in ("problems", "notes")] == [0, 1]

    saved.write_text(json.dumps(sealed(edited(pdf, in_quote(page=1)))))
    failed = call_cli("verify", saved)
    assert failed.returncode == 4
    assert "but its page is 1, here 2" in " ".join(failed.stdout.split())
