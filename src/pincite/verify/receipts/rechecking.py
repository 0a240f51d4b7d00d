"""Checks that the statements and counts of a saved answer follow from its quotes and files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from pincite.errors import ReadError
from pincite.records.counts import Closeness
from pincite.records.document import Document, Range
from pincite.records.flow import Citation, CitedCell, Label, Mode
from pincite.text.mentions import Mentions
from pincite.verify.derivations import derivation_problems
from pincite.verify.numbers.figures import check_figures, without_marks
from pincite.verify.receipts.cited_files import CitedFiles, read_otherwise
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
    if "derivation" in receipt:
        yield from derivation_problems(receipt["derivation"], receipt.get("short_answer"), quotes)
    else:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A result of a check: a fault, or only a note."""

    text: str
    is_fault: bool = True


def recount(
    receipt: Mapping[str, Any],
    here: Sequence[Mapping[str, Any]],
    files: CitedFiles,
    readings: Mapping[str, int],
) -> Iterator[Finding]:
    """Rows of a count that do not match their files. Changed files are reported elsewhere.

    `here` are the citations as their files are read here, `readings` the versions that read them
    before.
    """
    survey, citations = receipt["survey"], receipt["citations"]
    first = 0
    for number, row in enumerate(survey["rows"], start=1):
        mine = slice(first, first + row["citations"])
        first = mine.stop
        found = [*_faults_of_quotes(row, citations[mine])]
        for finding in found or _recounted(survey, row, here[mine], files, readings):
            yield replace(finding, text=f"row {number}: {finding.text}")


def _faults_of_quotes(
    row: Mapping[str, Any], cited: Sequence[Mapping[str, Any]]
) -> Iterator[Finding]:
    if {citation["source"] for citation in cited} - set(row["paths"]):
        yield Finding(text="its quotes are from a file that it does not name")
        return
    for (_, end), (start, _) in pairwise(_places(cited)):
        if start < end:
            text = f"its quotes overlap or are out of order: characters from {start} count twice"
            yield Finding(text=text)
            return


def _places(cited: Sequence[Mapping[str, Any]]) -> list[Range]:
    """Their character ranges; none if one is invalid, which the check of the citation reports."""
    places = [(citation["start_char_index"], citation["end_char_index"]) for citation in cited]
    return places if all(type(place) is int for pair in places for place in pair) else []


def _recounted(
    survey: Mapping[str, Any],
    row: Mapping[str, Any],
    cited: Sequence[Mapping[str, Any]],
    files: CitedFiles,
    readings: Mapping[str, int],
) -> Iterator[Finding]:
    places = _places(cited)
    try:
        document = files.document(str(cited[0]["source"]), str(cited[0]["sha256"]))
    except (ReadError, IndexError):
        return
    if document.sha256 != cited[0]["sha256"] or not places:
        return
    for start, end in places:
        if _cuts_a_word(document.text, start) or _cuts_a_word(document.text, end):
            yield Finding(text=f"characters {start}-{end} begin or end inside a word")
    counter = Mentions(survey["subject"], Closeness(survey["closeness"]), row["language"])
    version = read_otherwise(document, readings)
    if version is not None:
        yield from _counted_otherwise(survey, row, document, counter, files, version)
    elif not survey.get("sections"):
        yield from _overlooked(document, counter, places, files)


def _cuts_a_word(text: str, place: int) -> bool:
    return 0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum()


def _overlooked(
    document: Document,
    counter: Mentions,
    places: Sequence[Range],
    files: CitedFiles,
) -> Iterator[Finding]:
    """Mentions in sentences and headings of the file that are not quoted."""
    counted, total = sorted(places), 0
    for start, end in files.units(document):
        if any(first < end and start < last for first, last in counted):
            continue
        total += len(counter.found(document.text[start:end]))
    if total:
        yield Finding(text=f"its file contains {total} more mentions than were counted")


def _counted_otherwise(
    survey: Mapping[str, Any],
    row: Mapping[str, Any],
    document: Document,
    counter: Mentions,
    files: CitedFiles,
    version: int,
) -> Iterator[Finding]:
    """The result of a new count in a file that another version read.

    This version may read more of the file, but a count of more than it reads is not confirmed: one
    place may have been counted twice.
    """
    units = tuple(files.units(document))
    total = sum(len(counter.found(document.text[start:end])) for start, end in units)
    found = (
        f"its file has {total} mentions as it is read here (reading version {document.reading}), and "
        f"{row['mentions']} were counted (version {version})"
    )
    if units and total < row["mentions"]:
        yield Finding(text=found)
    elif total > row["mentions"] and not survey.get("sections"):
        yield Finding(text=found, is_fault=False)
