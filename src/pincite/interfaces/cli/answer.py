"""Prints an answer in a terminal: the quoted units, each with its location, best first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from pincite.interfaces.cli.count import print_count
from pincite.interfaces.cli.output import indented, say, say_text, short_path
from pincite.interfaces.cli.table_view import (
    WITHOUT_HEADS,
    CitedRow,
    is_without_heads,
    rows_of,
    table_lines,
)
from pincite.records.document import BlockKind
from pincite.records.flow import DOUBT, SCALE, Verdict
from pincite.records.reasons import ReasonKind, as_reason
from pincite.text.as_read import as_read
from pincite.text.locations import announcing_lines, as_shown, cell_lines, near_place, on_one_line
from pincite.text.marks import FREELY

if TYPE_CHECKING:
    from pincite.records.flow import Answer, Citation, Claim

_INDENT = "  "
_LONGEST_CODE_LINES = 40


def print_answer(
    answer: Answer, *, everything: bool = False, short: bool = False, is_raw: bool = False
) -> None:
    """Print the statements with their quotes and locations, and the notes.

    With `everything`, also the further quotes; with `short`, only the best sentence and its
    location. Quotes are shown as a reader sees them or, with `is_raw`, with all markup of their
    files.
    """
    if answer.survey is not None:
        print_count(answer)
        return
    if answer.is_doubtful:
        # Nothing is marked as the answer.
        answer = replace(answer, claims=tuple(replace(one, telling=None) for one in answer.claims))
    if short and answer.citations:
        _print_short(answer)
        return
    if not answer.citations:
        say("No answer in these documents.", bold=True)
        say()
    elif answer.mode == "generated":
        _print_written(answer, is_raw=is_raw)
    else:
        _print_doubt(answer)
        _print_short_answer(answer)
        _print_units(answer, answer.claims if everything else answer.shown, is_raw=is_raw)
    _print_notes(answer, everything=everything)


def _print_notes(answer: Answer, *, everything: bool) -> None:
    folded = set() if everything else _folded_away(answer)
    for reason in map(as_reason, answer.reasons):
        is_lost_part = (
            reason.kind is ReasonKind.PART_MISSING and reason.data["words"] in answer.parts
        )
        is_folded = bool(reason.quotes) and reason.quotes <= folded
        if not (is_lost_part or is_folded) or not answer.citations:
            say(indented(reason, first="  - "), fg="yellow")
    if not answer.citations:
        return
    behind = len(answer.claims) - len(answer.shown)
    more = f"{behind} more {'quote' if behind == 1 else 'quotes'}: --all" if behind else ""
    sure = f"confidence {answer.confidence:.2f} ({answer.calibration})"
    is_unrated = answer.is_doubtful or answer.compared is not None
    told = ["" if is_unrated else sure, "" if everything else more]
    if any(told):
        say(f"{_INDENT}{'; '.join(filter(None, told))}", dim=True)
    if answer.model:
        say(indented(f"language model: {answer.model}", first=_INDENT), dim=True)
    if answer.judged_by:
        say(f"  statements judged by {answer.judged_by}", dim=True)


def _folded_away(answer: Answer) -> set[int]:
    """The numbers of the quotes that only `--all` shows, together with the notes about them."""
    shown = {number for claim in answer.shown for number in claim.citations}
    return {n for n in range(1, len(answer.citations) + 1) if n not in shown}


def _print_short(answer: Answer) -> None:
    if answer.derivation is not None:
        say(indented(f"{answer.short_answer} ({answer.derivation.said})"))
    claim = answer.shown[0]
    start, end = claim.telling or (0, len(claim.text))
    first = answer.citations[claim.citations[0] - 1]
    say(indented(as_read(claim.text[start:end], first.media_type)))
    _print_place(first, claim.citations[0])


def _print_doubt(answer: Answer) -> None:
    if answer.is_doubtful:
        say(indented(DOUBT, first=_INDENT), bold=True, fg="yellow")
        say()


def _print_short_answer(answer: Answer) -> None:
    """Print the words that answer by themselves above the quotes they are from."""
    if answer.short_answer:
        first = answer.citations[0].media_type if answer.citations else ""
        say(indented(on_one_line(as_read(answer.short_answer, first)), first=_INDENT), bold=True)
        say()


def _written(claim: Claim) -> str:
    mark = FREELY if claim.verdict is Verdict.WORDED_FREELY else ""
    numbers = "".join(f"[{number}]" for number in claim.citations)
    return f"{on_one_line(claim.text)} {mark}{numbers}"


def _print_written(answer: Answer, *, is_raw: bool) -> None:
    """Print the text of a model, then the quotes that support it."""
    say(indented(" ".join(map(_written, answer.claims))))
    say()
    for number, citation in enumerate(answer.citations, start=1):
        say(indented(f'"{as_shown(citation, is_raw=is_raw)}"', first=f"  [{number}] "))
        for line in announcing_lines(citation):
            say(indented(line, first="      "))
        _print_place(citation, None)


# --- Quotes -------------------------------------------------------------------------------------


def _print_units(answer: Answer, claims: Sequence[Claim], *, is_raw: bool) -> None:
    """Print the quotes, part by part if the question has several."""
    for number, part in enumerate(answer.parts):
        say(indented(part), bold=True)
        of_part = [claim for claim in claims if claim.parts[:1] == (number,)]
        again = sorted(
            {n for claim in claims if number in claim.parts[1:] for n in claim.citations}
        )
        if again:
            say(f"{_INDENT}see {' '.join(f'[{n}]' for n in again)}")
        elif not of_part:
            say(f"{_INDENT}no answer found", fg="yellow")
        _print_claims(answer, of_part, is_raw=is_raw)
    _print_claims(answer, [claim for claim in claims if not claim.parts], is_raw=is_raw)


def _print_claims(answer: Answer, claims: Sequence[Claim], *, is_raw: bool) -> None:
    before: Citation | None = None
    notes = {} if is_raw else _scale_notes(claims)
    others = [claim for claim in claims if all(claim is not note for note in notes.values())]
    for table, group in groupby(others, key=lambda claim: _table_of(answer, claim)):
        rows = [*group]
        _print_scales(answer, rows, notes)
        if table is not None and not is_raw and _print_table(answer, rows):
            before = _first_of(answer, rows[-1])
            continue
        for claim in rows:
            before = _print_claim(answer, claim, before, is_raw=is_raw)


def _scale_notes(claims: Sequence[Claim]) -> dict[str, Claim]:
    """Quotes that give the scale of table rows, such as "(in thousands)", by the row's id."""
    identities = {identity for claim in claims for identity in claim.evidence_ids}
    return {
        row: claim
        for claim in claims
        for identity in claim.evidence_ids
        if (row := identity.removeprefix(SCALE)) != identity and row in identities
    }


def _print_scales(answer: Answer, rows: Sequence[Claim], notes: Mapping[str, Claim]) -> None:
    """Print the scale of rows above them, unless their headers give it."""
    for claim in rows:
        for note in (notes[one] for one in claim.evidence_ids if one in notes):
            citation = _first_of(answer, note)
            heads = {
                label.start for cell in _first_of(answer, claim).cells for label in cell.columns
            }
            if citation.start not in heads:
                say(indented(as_shown(citation), first=_INDENT))


def _first_of(answer: Answer, claim: Claim) -> Citation:
    return answer.citations[claim.citations[0] - 1]


def _print_claim(
    answer: Answer, claim: Claim, before: Citation | None, *, is_raw: bool
) -> Citation:
    citation = _first_of(answer, claim)
    for line in announcing_lines(citation, before):
        say(indented(line, first=_INDENT))
    if is_raw:
        say(claim.text)
    else:
        for line, stands_out in _lines(claim, citation):
            say_text(line, stands_out=stands_out, first=_INDENT)
        for line in cell_lines(citation):
            say(indented(line, first=_INDENT * 2))
        if is_without_heads(claim, citation):
            say(f"{_INDENT}{WITHOUT_HEADS}", dim=True)
    if claim.left_out:
        where = citation.section.rpartition(" > ")[2]
        say(f"{_INDENT}... {claim.left_out}{f' in section {where}' if where else ''}", dim=True)
    for number in claim.citations:
        _print_place(answer.citations[number - 1], number)
    return citation


def _lines(claim: Claim, citation: Citation) -> Iterator[tuple[str, str]]:
    """The lines of each block of a quote as displayed, with the part that answers."""
    ranges: list[tuple[int, int, BlockKind | None]]
    ranges = [(piece.start, piece.end, piece.kind) for piece in claim.pieces]
    first, last = claim.telling or (0, 0)
    is_all = last - first == len(claim.text)
    for start, end, kind in ranges or [(0, len(claim.text), citation.kind)]:
        shown = as_read(claim.text[start:end], citation.media_type, kind)
        part = claim.text[max(first, start) : min(last, end)]
        telling = "" if is_all else as_read(part, citation.media_type)
        lines = shown.split("\n") if shown else []
        if kind == BlockKind.CODE:
            lines = [f"{_INDENT}{line}" for line in lines[:_LONGEST_CODE_LINES]]
        yield from ((line, telling) for line in lines if line.strip())


# --- Tables -------------------------------------------------------------------------------------


def _table_of(answer: Answer, claim: Claim) -> tuple[str, int] | None:
    """The table that a statement is a row of: its document and the start of its first header."""
    if len(claim.citations) != 1:
        return None
    citation = answer.citations[claim.citations[0] - 1]
    heads = [label.start for cell in citation.cells for label in cell.columns]
    return (citation.document, min(heads)) if heads else None


def _print_table(answer: Answer, claims: Sequence[Claim]) -> bool:
    """Print rows of one table below their headers; False if they do not fit the width."""
    rows: list[CitedRow] = []
    for claim in claims:
        number = claim.citations[0]
        rows += rows_of(claim, answer.citations[number - 1], number)
    lines = table_lines(rows)
    if not lines:
        return False
    for claim in claims:
        announcing = tuple(one for one in claim.pieces if one.kind is not BlockKind.TABLE_ROW)
        if announcing:
            above = replace(claim, pieces=announcing)
            for line, telling in _lines(above, _first_of(answer, claim)):
                say_text(line, stands_out=telling, first=_INDENT)
    for line in lines:
        say(f"{_INDENT}{line}".rstrip())
    for claim in claims:
        if claim.left_out:
            say(f"{_INDENT}... {claim.left_out}", dim=True)
        _print_place(answer.citations[claim.citations[0] - 1], claim.citations[0])
    return True


# --- Places -------------------------------------------------------------------------------------


def _print_place(citation: Citation, number: int | None) -> None:
    """Print the location of a quote."""
    mark = f"[{number}] " if number else "    "
    where = "; ".join(part for part in (short_path(citation.source), near_place(citation)) if part)
    say(indented(where, first=f"{_INDENT}{mark}"), dim=True)
