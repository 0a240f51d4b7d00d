"""Saved pages in a real browser: files in every encoding that a library may hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import html

from pincite import Library
from pincite.ingest.readers import FileReader
from pincite.records.document import document_id
from pincite.records.flow import Answer, Claim, Status, Verdict
from pincite.verify.receipts.page import CONTEXTS, receipt_page
from pincite.verify.receipts.receipt import answer_form, located
from pincite.verify.receipts.saved import check_saved, load_saved, saved_answer
from pincite.verify.receipts.signing import sealed
from verify.browsing import BUDGETS, measured, needs_browser, opened, overflow, with_chosen

RUSSIAN = "Насос проверяют каждую среду утром.\nКлапан меняют раз в год, весной.\n" * 6
JAPANESE = "ポンプは毎週水曜日に点検します。\n弁は毎年春に交換してください。〜約一時間\n" * 6


def saved_page(folder: Path, file: Path, quote: str) -> Path:
    """A page that cites `quote` in a file, as a library holds it; its path."""
    place = folder / "library"
    place.mkdir()
    (place / "settings.toml").write_text('[embedding]\nmodel = "none"\n')
    with Library.open(place) as library:
        library.ingest([file])
        document = library.catalog.document(document_id(file.read_bytes())[0])
        start = document.text.index(quote)
        citation = located(
            document, start, start + len(quote), path=str(file), sha256=document.sha256
        )
        claim = Claim(text=quote, evidence_ids=(), verdict=Verdict.SUPPORTED, citations=(1,))
        answer = Answer(
            status=Status.ANSWERED, question="What is written there?", text=quote, claims=(claim,),
            citations=(citation,), confidence=0.5, reasons=(), corpus_version="0" * 32,
            settings_digest="0" * 16,
        )  # fmt: skip
        page = folder / "page.html"
        page.write_bytes(saved_answer(answer, library.catalog, page))
    return page


def refusal_page(folder: Path) -> Path:
    """The page of a question that was not answered."""
    answer = Answer(
        status=Status.ABSTAINED, question="When does the ferry leave?", text="", claims=(),
        citations=(), confidence=0.1, reasons=("in none of the documents: ferry",),
        corpus_version="0" * 32, settings_digest="0" * 16,
    )  # fmt: skip
    page = folder / "page.html"
    page.write_bytes(receipt_page(sealed({**answer_form(answer), CONTEXTS: []})))
    return page


def told_of(page: Path, file: Path, profile: Path) -> tuple[str, str]:
    """The state and the words that the page gives for a chosen file."""
    chosen = with_chosen(page, file)
    for budget in BUDGETS:
        lines = list(opened(chosen, profile, budget).get_element_by_id("files"))
        if lines:
            break
    (line,) = lines
    return line.get("class").removeprefix("file").strip(), line.text_content()


@needs_browser
@pytest.mark.parametrize(
    ("text", "encoding", "quote"),
    [
        (RUSSIAN, "cp1251", "Клапан меняют раз в год, весной."),
        (RUSSIAN, "koi8_r", "Клапан меняют раз в год, весной."),
        (JAPANESE, "shift_jis", "弁は毎年春に交換してください。"),
        (JAPANESE, "euc_jp", "弁は毎年春に交換してください。"),
        ("The café opens at 9.\nThe café closes at 18.\n", "cp1252", "The café closes at 18."),
        ("A pump.\n\ufeffThe valve is shut.\n", "utf-8", "\ufeffThe valve is shut."),
        ("A pump.\nThe valve is shut.\n", "utf-16", "The valve is shut."),
    ],
)
def test_a_quote_is_found_in_a_file_of_its_encoding(
    tmp_path: Path, text: str, encoding: str, quote: str
) -> None:
    file = tmp_path / "notes.txt"
    file.write_bytes(text.encode(encoding))
    page = saved_page(tmp_path, file, quote)
    assert check_saved(load_saved(page), FileReader()).holds
    state, told = told_of(page, file, tmp_path / "b")
    assert (state, told) == (
        "ok",
        "notes.txt: the cited file; 1 of its quotes found at their bytes.",
    )


@needs_browser
@pytest.mark.parametrize(
    ("text", "encoding", "quote"),
    [
        ("A pump.\nThe valve is shut.\n", "utf-32", "The valve is shut."),
        # Browsers read this wave dash as another sign than Python does.
        (JAPANESE, "euc_jp", "弁は毎年春に交換してください。〜約一時間"),
    ],
)
def test_what_a_browser_cannot_read_is_not_called_wrong(
    tmp_path: Path, text: str, encoding: str, quote: str
) -> None:
    file = tmp_path / "notes.txt"
    file.write_bytes(text.encode(encoding))
    state, told = told_of(saved_page(tmp_path, file, quote), file, tmp_path / "b")
    assert state == "unsure"
    assert "Check it with: pincite verify" in told


@needs_browser
def test_a_quote_that_is_elsewhere_in_the_file_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_bytes(RUSSIAN.encode("cp1251"))
    page = saved_page(tmp_path, file, "Клапан меняют раз в год, весной.")
    moved = page.with_name("moved.html")
    form = dict(load_saved(page).form)
    form["citations"] = [{**form["citations"][0], "start_byte": 1}]
    moved.write_bytes(receipt_page(sealed(form)))
    assert told_of(moved, file, tmp_path / "b") == (
        "bad",
        "notes.txt: 1 quote is not where it should be.",
    )


@needs_browser
def test_line_ends_of_windows_are_shown_and_compared_as_line_ends(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    quote = "The valve is shut.\r\nThe pump runs."
    file.write_bytes(f"Daily:\r\n{quote}\r\n".encode())
    page = saved_page(tmp_path, file, quote)
    tree = opened(page, tmp_path / "b")
    assert tree.get_element_by_id("state").get("class") == "ok"
    assert tree.xpath("//mark/span[@data-shows]")[0].text_content() == quote.replace("\r", "")
    assert "\ufffd" not in tree.text_content()
    assert check_saved(load_saved(page), FileReader()).holds


@needs_browser
def test_a_page_without_quotes_asks_for_no_files(tmp_path: Path) -> None:
    tree = opened(refusal_page(tmp_path), tmp_path / "b")
    state = tree.get_element_by_id("state")
    assert state.text_content() == "Unchanged since it was saved. It has no quotes to check."
    assert state.get("class") == ""
    assert not tree.xpath("//input")


def test_what_changes_in_a_page_is_read_aloud_and_its_input_has_a_name(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("The valve is shut.\n")
    tree = html.fromstring(saved_page(tmp_path, file, "The valve is shut.").read_bytes())
    assert tree.get_element_by_id("state").get("role") == "status"
    assert tree.get_element_by_id("files").get("aria-live") == "polite"
    assert tree.xpath("//label[@for='chooser']")


@needs_browser
@pytest.mark.parametrize("width", [375, 1280])
def test_nothing_in_a_page_is_wider_than_the_screen(tmp_path: Path, width: int) -> None:
    file = tmp_path / f"{'x' * 200}.txt"
    quote = f"The valve is {'very' * 100} shut."
    file.write_text(f"{'https' * 60}\n{quote}\n")
    page = saved_page(tmp_path, file, quote).read_text("utf-8")
    assert overflow(page, tmp_path, width=width) == 0


@needs_browser
def test_a_section_with_a_long_heading_fills_no_screens(tmp_path: Path) -> None:
    file = tmp_path / "notes.md"
    file.write_text(f"# {'All about valves ' * 90}\n\nThe valve is shut.\n")
    page = saved_page(tmp_path, file, "The valve is shut.").read_text("utf-8")
    tallest = "Math.max(...[...root.querySelectorAll('dd')].map((shown) => shown.offsetHeight))"
    assert measured(page, tmp_path, tallest, width=375) < 250
