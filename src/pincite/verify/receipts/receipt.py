"""The JSON form of saved answers, and the check of one against the files, years later.

A check needs only the receipt and the files: no library, no index, no model.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pincite.errors import ReadError, ReceiptError
from pincite.records.document import Document
from pincite.records.flow import Answer, Citation, Claim, Status
from pincite.stages import Reader
from pincite.verify.quotes.cells import box_forms, cell_form, cited_cells, label_form
from pincite.verify.quotes.list_lead_ins import announced_by
from pincite.verify.receipts.cited_files import CitedFiles
from pincite.verify.receipts.count_text import survey_form, survey_problems
from pincite.verify.receipts.rechecking import recount_problems, statement_problems


def answer_form(answer: Answer) -> dict[str, Any]:
    """An answer as the JSON object that every interface shows and `--save` writes."""
    return {
        "status": str(answer.status),
        "question": answer.question,
        "mode": str(answer.mode),
        "text": answer.text,
        **({"short_answer": answer.short_answer} if answer.short_answer else {}),
        "claims": [claim_form(claim) for claim in answer.claims],
        "citations": [citation_form(citation) for citation in answer.citations],
        "confidence": answer.confidence,
        **({"doubtful": True} if answer.is_doubtful else {}),
        **({"calibration": answer.calibration} if answer.calibration else {}),
        **({"model": answer.model} if answer.model else {}),
        **({"judged_by": answer.judged_by} if answer.judged_by else {}),
        "reasons": list(answer.reasons),
        "corpus_version": answer.corpus_version,
        "settings_digest": answer.settings_digest,
        **({"survey": survey_form(answer.survey)} if answer.survey else {}),
        **({"parts": list(answer.parts)} if answer.parts else {}),
        "timings": dict(answer.timings),
    }


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
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptCheck:
    """The check of a saved answer."""

    citations: tuple[CitationCheck, ...]
    problems: tuple[str, ...]
    """Problems of the answer as a whole."""
    signed_by: str = ""
    """Fingerprint of the signing key; only its owner can confirm whose it is. Empty for an unsigned
    form, which anyone may have written, including its digest."""

    @property
    def holds(self) -> bool:
        """Whether there are no problems at all."""
        return not self.problems and not any(check.problems for check in self.citations)


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
    checks = tuple(check_citations(receipt["citations"], files))
    problems = [*_text_problems(receipt)]
    if "survey" in receipt and not problems:
        problems += recount_problems(receipt, files)
    return ReceiptCheck(citations=checks, problems=tuple(problems))


def check_citations(
    citations: Sequence[Mapping[str, Any]], files: CitedFiles
) -> Iterator[CitationCheck]:
    """Each saved citation against its file, numbered from 1."""
    for number, citation in enumerate(citations, start=1):
        yield CitationCheck(
            number=number,
            source=str(citation["source"]),
            problems=tuple(_citation_problems(citation, files)),
        )


def _text_problems(receipt: Mapping[str, Any]) -> Iterator[str]:
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
    yield from statement_problems(receipt)


def _citation_problems(citation: Mapping[str, Any], files: CitedFiles) -> Iterator[str]:
    try:
        found = files.document(str(citation["source"]), str(citation["sha256"]))
    except ReadError as error:
        yield str(error)
        return
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
    expected = citation_form(
        located(found, start, end, path=citation["source"], sha256=citation["sha256"])
    )
    for name in dict.fromkeys((*citation, *expected)):
        said, true = citation.get(name), expected.get(name)
        if not _is_same(said, true):
            yield f"its {name} is {said!r}, the file says {true!r}"


def _is_same(one: Any, other: Any) -> bool:
    """Whether two values are the same as JSON, where true is not 1."""
    if one is None or other is None:
        return one is other
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


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
    )
