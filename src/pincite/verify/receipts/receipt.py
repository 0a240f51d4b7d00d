"""The JSON form of saved answers, and the check of one against the files, years later.

A check needs only the receipt and the files: no library, no index, no model.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from pincite.errors import ReadError, ReceiptError
from pincite.records.document import Document
from pincite.records.flow import Answer, Citation, Claim, Status
from pincite.records.reasons import reason_forms
from pincite.stages import Reader
from pincite.verify.derivations import derivation_form
from pincite.verify.quotes.cells import box_forms, cell_form, cited_cells, label_form
from pincite.verify.quotes.list_lead_ins import announced_by
from pincite.verify.receipts.cited_files import (
    READINGS,
    CitedFiles,
    read_otherwise,
    reading_problems,
    readings_of,
)
from pincite.verify.receipts.compared_answers import COMPARED, compared_problems
from pincite.verify.receipts.count_text import survey_form, survey_problems
from pincite.verify.receipts.rechecking import recount, statement_problems


def answer_form(answer: Answer) -> dict[str, Any]:
    """An answer as the JSON object that every interface shows and `--save` writes."""
    return {
        "status": str(answer.status),
        "question": answer.question,
        "mode": str(answer.mode),
        "text": answer.text,
        **({"short_answer": answer.short_answer} if answer.short_answer else {}),
        **({"derivation": derivation_form(answer.derivation)} if answer.derivation else {}),
        "claims": [claim_form(claim) for claim in answer.claims],
        "citations": [citation_form(citation) for citation in answer.citations],
        "confidence": answer.confidence,
        **({"doubtful": True} if answer.is_doubtful else {}),
        **({"calibration": answer.calibration} if answer.calibration else {}),
        **({"model": answer.model} if answer.model else {}),
        **({"judged_by": answer.judged_by} if answer.judged_by else {}),
        "reasons": list(map(str, answer.reasons)),
        **({"why": reason_forms(answer.reasons)} if answer.reasons else {}),
        "corpus_version": answer.corpus_version,
        **readings_form(answer.citations),
        "settings_digest": answer.settings_digest,
        **({COMPARED: answer.compared.as_form()} if answer.compared else {}),
        **({"survey": survey_form(answer.survey)} if answer.survey else {}),
        **({"parts": list(answer.parts)} if answer.parts else {}),
        "timings": dict(answer.timings),
    }


def readings_form(citations: Iterable[Citation]) -> dict[str, Any]:
    """The field with the versions that read the cited documents; no field if none is known.

    Not part of each citation, of which releases up to 0.2.0 refuse every field that they do not know.
    """
    readings = {citation.document: citation.reading for citation in citations if citation.reading}
    return {READINGS: readings} if readings else {}


def claim_form(claim: Claim) -> dict[str, Any]:
    """A statement as JSON; `citations` are numbers from 1."""
    return {
        "text": claim.text,
        "citations": list(claim.citations),
        "verdict": str(claim.verdict),
        **({} if claim.support is None else {"support": claim.support}),
        **_unit_form(claim),
    }


def _unit_form(claim: Claim) -> dict[str, Any]:
    """The details of a quote; empty fields are left out."""
    fields = {
        "telling": list(claim.telling or ()),
        "short_answer": list(claim.short_answer or ()),
        "pieces": [{"start": p.start, "end": p.end, "kind": str(p.kind)} for p in claim.pieces],
        "left_out": claim.left_out,
        "parts": list(claim.parts),
        "further": claim.is_further,
    }
    return {name: value for name, value in fields.items() if value}


def citation_form(citation: Citation) -> dict[str, Any]:
    """A citation as JSON."""
    return {
        "document": citation.document,
        "source": citation.source,
        "sha256": citation.sha256,
        "page": citation.page,
        "section": citation.section,
        "start_char_index": citation.start,
        "end_char_index": citation.end,
        "start_byte": citation.start_byte,
        "end_byte": citation.end_byte,
        "cited_text": citation.quote,
        "boxes": box_forms(citation.boxes),
        **_details(citation),
    }


def _details(citation: Citation) -> dict[str, Any]:
    """The fields that apply to few citations; empty ones are left out."""
    fields = {
        "page_label": citation.page_label,
        "place": citation.place,
        "cells": [cell_form(cell) for cell in citation.cells],
        "announced_by": [label_form(label) for label in citation.announced_by],
        "recognition": citation.recognition,
    }
    return {name: value for name, value in fields.items() if value not in ("", [], None)}


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationCheck:
    """The check of one citation; it holds if there are no problems."""

    number: int
    source: str
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """How a citation holds whose file another version read."""
    here: Mapping[str, Any] | None = field(default=None, repr=False)
    """Such a citation as this version would save it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptCheck:
    """The check of a saved answer, report or comparison."""

    citations: tuple[CitationCheck, ...]
    problems: tuple[str, ...]
    """Problems of the answer as a whole."""
    notes: tuple[str, ...] = ()
    """What of the answer as a whole another version read otherwise."""
    signed_by: str = ""
    """Fingerprint of the signing key; only its owner can confirm whose it is. Empty for an unsigned
    form, which anyone may have written, including its digest."""
    of: Literal["answer", "comparison"] = "answer"
    """What was saved; of a comparison, each citation is one whole file."""

    @property
    def holds(self) -> bool:
        """Whether there are no problems at all."""
        return not self.problems and not any(check.problems for check in self.citations)


def check_form(check: ReceiptCheck) -> dict[str, Any]:
    """A check as the JSON object of `pincite verify --json` and of the server."""
    return {
        "verified": check.holds,
        "problems": list(check.problems),
        "notes": list(check.notes),
        "signed": bool(check.signed_by),
        "signed_by": check.signed_by,
        "citations": [
            {
                "number": one.number,
                "source": one.source,
                "problems": list(one.problems),
                "notes": list(one.notes),
            }
            for one in check.citations
        ],
    }


def require_answer(found: Any, name: str) -> dict[str, Any]:
    """`found`, if it has the form of a saved answer; else raises ReceiptError, which names `name`."""
    wanted = {"status", "question", "text", "citations"}
    if not isinstance(found, dict) or not wanted <= found.keys():
        raise ReceiptError(
            f"{name}: is not a saved answer; expected an object with {', '.join(sorted(wanted))}, "
            "as written by 'pincite ask --save'"
        )
    require_citations(found["citations"], name)
    return found


def require_citations(found: Any, name: str) -> None:
    """Raises ReceiptError, which names `name`, if this is not a list of saved citations."""
    fields = set(citation_fields())
    if not isinstance(found, list) or not all(
        isinstance(item, dict) and fields <= item.keys() for item in found
    ):
        expected = ", ".join(citation_fields())
        raise ReceiptError(f"{name}: its citations lack fields; expected {expected}")


def citation_fields() -> tuple[str, ...]:
    """Names of the fields that every citation has, in order."""
    empty = Citation(
        document="", source="", sha256="", page=None, section="", start=0, end=0,
        start_byte=None, end_byte=None, quote="",
    )  # fmt: skip
    return tuple(citation_form(empty))


_FIELDS = (
    "status",
    "question",
    "mode",
    "text",
    "claims",
    "citations",
    "confidence",
    "reasons",
    "corpus_version",
    "settings_digest",
)


def check_receipt(
    receipt: Mapping[str, Any], reader: Reader, *, root: Path | None = None
) -> ReceiptCheck:
    """Check every citation against its file, and the answer's text against its citations.

    With `root`, files are looked for below that folder, by the longest part of their path that
    exists there.
    """
    return check_answer(receipt, CitedFiles(reader, root))


def check_answer(receipt: Mapping[str, Any], files: CitedFiles) -> ReceiptCheck:
    """Like `check_receipt`, with files that several answers may share."""
    readings = readings_of(receipt)
    checks = tuple(check_citations(receipt["citations"], files, readings))
    # Cells and headers say what numbers mean: those of the file count, not those of the receipt.
    here = as_read_here(receipt["citations"], checks)
    problems = [*reading_problems(receipt), *_text_problems(receipt, here)]
    found = (
        [*recount(receipt, here, files, readings)] if "survey" in receipt and not problems else []
    )
    if COMPARED in receipt:
        problems += compared_problems(receipt, files)
    return ReceiptCheck(
        citations=checks,
        problems=(*problems, *(one.text for one in found if one.is_fault)),
        notes=tuple(one.text for one in found if not one.is_fault),
    )


def as_read_here(
    citations: Sequence[Mapping[str, Any]], checks: Sequence[CitationCheck]
) -> list[Mapping[str, Any]]:
    """Saved citations, with those of files that another version read as this one would save them."""
    return [check.here or cited for cited, check in zip(citations, checks, strict=True)]


def check_citations(
    citations: Sequence[Mapping[str, Any]], files: CitedFiles, readings: Mapping[str, int]
) -> Iterator[CitationCheck]:
    """Each saved citation against its file, numbered from 1.

    `readings` are the versions that read the cited documents, by document id.
    """
    for number, citation in enumerate(citations, start=1):
        check = CitationCheck(number=number, source=str(citation["source"]))
        try:
            found = files.document(check.source, str(citation["sha256"]))
        except ReadError as error:
            yield replace(check, problems=(str(error),))
            continue
        problems = tuple(_citation_problems(citation, found))
        version = read_otherwise(found, readings)
        if problems and version is not None and found.sha256 == citation["sha256"]:
            yield _checked_otherwise(check, citation, found, version)
        else:
            yield replace(check, problems=problems)


def _text_problems(receipt: Mapping[str, Any], here: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    missing = [name for name in _FIELDS if name not in receipt]
    if missing:
        yield f"it lacks {', '.join(missing)}, which every saved answer has"
        return
    if "survey" in receipt:
        yield from survey_problems(receipt)
        return
    citations = receipt["citations"]
    expected = Status.ANSWERED if citations else Status.ABSTAINED
    if receipt["status"] != expected:
        yield f"its status is {receipt['status']!r} with {len(citations)} citations"
    yield from statement_problems({**receipt, "citations": here})


def _citation_problems(citation: Mapping[str, Any], found: Document) -> Iterator[str]:
    start, end = citation["start_char_index"], citation["end_char_index"]
    if not (type(start) is int and type(end) is int and 0 <= start < end <= len(found.text)):
        yield f"its character range {start}-{end} is not within the file's text"
        return
    if found.sha256 != citation["sha256"]:
        yield f"the file has changed: its SHA-256 is {found.sha256}, not {citation['sha256']}"
    if found.text[start:end] != citation["cited_text"]:
        yield f"characters {start}-{end} are not the quote{_elsewhere(citation, found)}"
        return
    if found.sha256 == citation["sha256"]:
        yield from _place_problems(citation, found)


def _elsewhere(citation: Mapping[str, Any], found: Document) -> str:
    """Where an unchanged file has the words of a quote that is not at its characters."""
    quote = str(citation["cited_text"])
    start = found.text.find(quote) if found.sha256 == citation["sha256"] else -1
    if start < 0 or not quote:
        return ""
    return (
        f"; the file is unchanged and has these words at {start}-{start + len(quote)}: the answer was "
        "changed, or saved by a version of Pincite that reads such files differently"
    )


def _place_problems(citation: Mapping[str, Any], found: Document) -> Iterator[str]:
    start, end = citation["start_char_index"], citation["end_char_index"]
    expected = _located_form(citation, found, start, end)
    for name in dict.fromkeys((*citation, *expected)):
        said, true = citation.get(name), expected.get(name)
        if not _is_same(said, true):
            yield f"its {name} is {said!r}, the file says {true!r}"


def _located_form(
    citation: Mapping[str, Any], found: Document, start: int, end: int
) -> dict[str, Any]:
    """`text[start:end]` as it would be cited from the same file."""
    path, sha256 = citation["source"], citation["sha256"]
    return citation_form(located(found, start, end, path=path, sha256=sha256))


def _is_same(one: Any, other: Any) -> bool:
    """Whether two values are the same as JSON, where true is not 1."""
    if one is None or other is None:
        return one is other
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


# A file that another version read: its text, and with it characters and sections, may differ, but the
# page, the bytes and the boxes of the same words are those of the file itself.

_CHARACTERS = ("start_char_index", "end_char_index")
_OF_THE_FILE = ("page", "start_byte", "end_byte")
_OF_THE_READING = ("section", "page_label", "place", "cells", "announced_by", "recognition")
_NEAR_POINTS = 2.0
"""How far the edges of two boxes may be apart: versions may measure letters differently, but the next
word or line is farther."""
_MOST_PLACES = 100
"""Most places compared on a page, and in the whole file: a receipt may quote a single letter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A place of a file with the words of a quote, as this version would cite it.

    `elsewhere` says how it is not the cited place of the file, `otherwise` what else differs.
    """

    here: Mapping[str, Any]
    elsewhere: tuple[str, ...]
    otherwise: tuple[str, ...]


def _checked_otherwise(
    check: CitationCheck, citation: Mapping[str, Any], found: Document, version: int
) -> CitationCheck:
    """The check of a citation of an unchanged file that another version read."""
    versions = f"reading version {version} before, {found.reading} here"
    start, end = citation["start_char_index"], citation["end_char_index"]
    quote = citation["cited_text"]
    is_range = type(start) is int and type(end) is int and isinstance(quote, str)
    if not is_range or not 0 <= start < end == start + len(quote):
        return replace(
            check, problems=(f"characters {start}-{end} are not as many as its quote has",)
        )
    best: _Place | None = None
    for place in _places(citation, found):
        if best is None or len(place.elsewhere) < len(best.elsewhere):
            best = place
        if not place.elsewhere:
            break
    if best is None:
        return replace(
            check,
            problems=(
                f"its quote is not in the file as it is read here ({versions}): the answer was "
                "changed, or such files are now read differently; ask again",
            ),
        )
    if best.elsewhere:
        said = "; ".join(best.elsewhere)
        problem = f"the file has its words ({versions}), but {said}"
        return replace(check, problems=(problem,))
    first, last = (best.here[name] for name in _CHARACTERS)
    notes = [f"{versions}: its words are at characters {first}-{last} here, {_compared(citation)}"]
    if best.otherwise:
        notes.append(f"read differently here: {'; '.join(best.otherwise)}")
    return replace(check, notes=tuple(notes), here=best.here)


def _compared(citation: Mapping[str, Any]) -> str:
    """What of a citation's place in the file was compared."""
    same = ["on the same page"] if citation["page"] is not None else []
    if citation["start_byte"] is not None or citation["end_byte"] is not None:
        same.append("at the same bytes")
    if citation["boxes"]:
        same.append("in the same boxes" if len(citation["boxes"]) > 1 else "in the same box")
    if same:
        return " and ".join(same)
    return "but it names no page, bytes or boxes by which their place could be compared"


def _places(citation: Mapping[str, Any], found: Document) -> Iterator[_Place]:
    """Places with the quoted words: at the cited characters, on the cited page, in the whole file."""
    text, quote, cited = found.text, citation["cited_text"], citation["start_char_index"]
    ranges = [(page.start, page.end) for page in found.pages if page.number == citation["page"]]
    if text.startswith(quote, cited):
        yield _place(citation, found, cited)
    for first, end in (*ranges, (0, len(text))):
        start = text.find(quote, first)
        for _ in range(_MOST_PLACES):
            if not 0 <= start < end:
                break
            yield _place(citation, found, start)
            start = text.find(quote, start + 1)


def _place(citation: Mapping[str, Any], found: Document, start: int) -> _Place:
    end = start + len(citation["cited_text"])
    here = _located_form(citation, found, start, end)
    elsewhere, otherwise = [], []
    for name in dict.fromkeys((*citation, *here)):
        said, true = citation.get(name), here.get(name)
        if name in _CHARACTERS or _is_same(_without_characters(said), _without_characters(true)):
            continue
        if name in _OF_THE_READING:
            is_text = isinstance(said, str) and isinstance(true, str)
            otherwise.append(f"{name} {said!r} (here {true!r})" if is_text else name)
        elif not (name in _OF_THE_FILE and said is None) and not (
            name == "boxes" and _are_near(said, true)
        ):
            elsewhere.append(f"its {name} is {said!r}, here {true!r}")
    return _Place(here=here, elsewhere=tuple(elsewhere), otherwise=tuple(otherwise))


def _without_characters(value: Any) -> Any:
    """A value without the positions of cells and headers in the text."""
    if isinstance(value, list):
        return [_without_characters(one) for one in value]
    if isinstance(value, dict):
        return {k: _without_characters(one) for k, one in value.items() if k not in _CHARACTERS}
    return value


def _are_near(said: Any, true: Any) -> bool:
    """Whether saved boxes are where the file has them; without any, there is nothing to compare."""
    if said == []:
        return True
    if not isinstance(said, list) or len(said) != len(true):
        return False
    return all(
        isinstance(one, list)
        and len(one) == len(other)
        and all(type(edge) in (int, float) for edge in one)
        and one[0] == other[0]
        and all(abs(a - b) <= _NEAR_POINTS for a, b in zip(one[1:], other[1:], strict=True))
        for one, other in zip(said, true, strict=True)
    )


def located(document: Document, start: int, end: int, *, path: str, sha256: str) -> Citation:
    """The citation of `text[start:end]`, with everything the document records about its place."""
    first_byte, last_byte = document.byte_range(start, end) or (None, None)
    page = document.page_at(start)
    blocks = document.blocks_in(start, end)
    sure = document.confidence(start, end)
    kinds = {block.kind for block in blocks}
    return Citation(
        document=document.id,
        source=path,
        sha256=sha256,
        page=page.number if page else None,
        section=" > ".join(blocks[0].section) if blocks else "",
        start=start,
        end=end,
        start_byte=first_byte,
        end_byte=last_byte,
        quote=document.text[start:end],
        boxes=document.boxes.boxes(start, end),
        page_label=page.label if page else "",
        place=blocks[0].place if blocks else "",
        cells=cited_cells(document, start, end),
        announced_by=announced_by(document, start, end),
        recognition=None if sure is None else round(sure, 3),
        media_type=document.media_type,
        kind=kinds.pop() if len(kinds) == 1 else None,
        reading=document.reading,
    )
