"""Checks that the statements and counts of a saved answer follow from its quotes and files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from pincite.errors import ReadError
from pincite.records.counts import Closeness
from pincite.records.document import Document
from pincite.records.flow import Citation, CitedCell, Label, Mode
from pincite.text.mentions import Mentions
from pincite.verify.numbers.figures import check_figures, without_marks
from pincite.verify.receipts.cited_files import CitedFiles
from pincite.verify.statements.claims import CARRIED
from pincite.verify.statements.meaning import meaning_fault

_SHOWN = {str(verdict) for verdict in CARRIED}


def statement_problems(receipt: Mapping[str, Any]) -> Iterator[str]:
    """Problems of the text of a saved answer and of each of its statements.

    Answers saved before statements were saved consist only of their quotes.
    """
    quotes = [_quote(form) for form in receipt["citations"]]
    claims = receipt.get("claims")
    mode = receipt.get("mode", str(Mode.EXTRACTIVE))
    if mode not in list(Mode):
        yield f"its mode is {mode!r}; expected one of {', '.join(Mode)}"
        return
    if claims is None and "mode" not in receipt:
        pieces = [quote.quote for quote in quotes]
        yield from _text_problems(receipt["text"], pieces, quotes, "its quotes")
        return
    if not isinstance(claims, list) or not all(map(_is_claim, claims)):
        yield "its claims are not a list of text, citations and verdict"
        return
    yield from _short_answer_problems(receipt, claims)
    texts = [claim["text"] for claim in claims if not claim.get("further")]
    made_of = "its statements" if mode == Mode.GENERATED else "its quotes"
    yield from _text_problems(receipt["text"], texts, quotes, made_of)
    for number, claim in enumerate(claims, start=1):
        for problem in _claim_problems(claim, quotes, mode, str(receipt["question"])):
            yield f"statement {number}: {problem}"
    unused = set(range(1, len(quotes) + 1)) - {n for claim in claims for n in claim["citations"]}
    yield from (f"no statement cites quote [{number}]" for number in sorted(unused))


def _short_answer_problems(
    receipt: Mapping[str, Any], claims: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """Whether the short answer is what it says: these characters of one of the statements."""
    marked = [
        claim["text"][slice(*claim["short_answer"])]
        for claim in claims
        if _is_range(claim.get("short_answer"))
    ]
    saved = [receipt["short_answer"]] if "short_answer" in receipt else []
    if marked != saved:
        yield "its short answer is not the marked part of a statement"


def _is_range(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(end) is int for end in value)


def _is_claim(claim: Any) -> bool:
    return (
        isinstance(claim, dict)
        and isinstance(claim.get("text"), str)
        and isinstance(claim.get("verdict"), str)
        and isinstance(claim.get("citations"), list)
        and all(type(number) is int for number in claim["citations"])
    )


def _text_problems(
    text: Any, pieces: Sequence[str], quotes: Sequence[Citation], made_of: str
) -> Iterator[str]:
    if text == "\n".join(pieces):
        return
    yield f"its text is not made of {made_of}"
    for fault in check_figures(str(text), quotes).faults:
        yield f"{fault.written}: {fault.verdict}"


def _claim_problems(
    claim: Mapping[str, Any], quotes: Sequence[Citation], mode: str, question: str
) -> Iterator[str]:
    numbers = claim["citations"]
    missing = [number for number in numbers if not 1 <= number <= len(quotes)]
    if missing or not numbers:
        named = ", ".join(f"[{n}]" for n in missing)
        yield f"cites {named}, which does not exist" if named else "cites no quote"
        return
    if claim["verdict"] not in _SHOWN:
        yield f"its verdict is {claim['verdict']!r}"
    cited = [quotes[number - 1] for number in numbers]
    if claim["text"] in [quote.quote for quote in cited]:
        return
    if mode != Mode.GENERATED:
        yield "is not word for word a quote that it cites"
        return
    faults = check_figures(claim["text"], cited).faults
    yield from (f"{fault.written}: {fault.verdict}" for fault in faults)
    meant = meaning_fault(without_marks(claim["text"]), cited, question)
    if meant:
        yield f"{meant.written}: {meant.verdict}"


def _quote(form: Mapping[str, Any]) -> Citation:
    """The parts of a saved citation that the checks of numbers need; invalid parts are left out.

    The citation itself is checked against its file, field by field.
    """
    start, end = form["start_char_index"], form["end_char_index"]
    cells = form.get("cells")
    return Citation(
        document=str(form["document"]),
        source=str(form["source"]),
        sha256=str(form["sha256"]),
        page=None,
        section=str(form["section"]),
        start=start if isinstance(start, int) else 0,
        end=end if isinstance(end, int) else 0,
        start_byte=None,
        end_byte=None,
        quote=str(form["cited_text"]),
        cells=tuple(_cells(cells)) if isinstance(cells, list) else (),
        announced_by=tuple(_labels(form.get("announced_by"))),
    )


def _cells(forms: Sequence[Any]) -> Iterator[CitedCell]:
    for form in forms:
        cell = _label(form)
        if cell is not None:
            yield CitedCell(
                start=cell.start,
                end=cell.end,
                text=cell.text,
                columns=tuple(_labels(form.get("columns"))),
                rows=tuple(_labels(form.get("rows"))),
            )


def _labels(forms: Any) -> Iterator[Label]:
    for form in forms if isinstance(forms, list) else ():
        label = _label(form)
        if label is not None:
            yield label


def _label(form: Any) -> Label | None:
    if not isinstance(form, dict):
        return None
    start, end = form.get("start_char_index"), form.get("end_char_index")
    text = form.get("cited_text")
    if isinstance(start, int) and isinstance(end, int) and isinstance(text, str):
        return Label(start=start, end=end, text=text)
    return None


# Repeats a saved count in the files that it cites.


def recount_problems(receipt: Mapping[str, Any], files: CitedFiles) -> Iterator[str]:
    """Rows of a count that do not match their files. Changed files are reported elsewhere."""
    survey, citations = receipt["survey"], receipt["citations"]
    first = 0
    for number, row in enumerate(survey["rows"], start=1):
        cited = citations[first : first + row["citations"]]
        first += row["citations"]
        for problem in _row_problems(survey, row, cited, files):
            yield f"row {number}: {problem}"


def _row_problems(
    survey: Mapping[str, Any],
    row: Mapping[str, Any],
    cited: Sequence[Mapping[str, Any]],
    files: CitedFiles,
) -> Iterator[str]:
    if {citation["source"] for citation in cited} - set(row["paths"]):
        yield "its quotes are from a file that it does not name"
        return
    places = [(citation["start_char_index"], citation["end_char_index"]) for citation in cited]
    if not all(type(place) is int for pair in places for place in pair):
        return  # The check of the citation reports this.
    for (_, end), (start, _) in pairwise(places):
        if start < end:
            yield f"its quotes overlap or are out of order: characters from {start} count twice"
            return
    try:
        document = files.document(str(cited[0]["source"]), str(cited[0]["sha256"]))
    except (ReadError, IndexError):
        return
    if document.sha256 != cited[0]["sha256"]:
        return
    for start, end in places:
        if _cuts_a_word(document.text, start) or _cuts_a_word(document.text, end):
            yield f"characters {start}-{end} begin or end inside a word"
    if not survey.get("sections"):
        counter = Mentions(survey["subject"], Closeness(survey["closeness"]), row["language"])
        yield from _overlooked(document, counter, places, files)


def _cuts_a_word(text: str, place: int) -> bool:
    return 0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum()


def _overlooked(
    document: Document,
    counter: Mentions,
    places: Sequence[tuple[int, int]],
    files: CitedFiles,
) -> Iterator[str]:
    """Mentions in sentences and headings of the file that are not quoted."""
    counted, total = sorted(places), 0
    for start, end in files.units(document):
        if any(first < end and start < last for first, last in counted):
            continue
        total += len(counter.found(document.text[start:end]))
    if total:
        yield f"its file contains {total} more mentions than were counted"
