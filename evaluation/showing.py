"""Renders an answer as a person sees it on the command line, at 80 columns."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from evaluation.errors import EvaluationError
from evaluation.matching import Stretch, folded
from pincite.interfaces.cli.answer import print_answer
from pincite.records.flow import Answer, Citation

_COLUMNS = "80"
_OFFSETS = re.compile(r"characters \d+-\d+")
_PAGES = re.compile(r"; (?:page \S+(?: \(\d+\))?)(?=[,;])")
_CONFIDENCE = re.compile(r"confidence \d\.\d+ \([^()]*\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownQuote:
    """One quote that is printed: where its words are from, and all that is read with it."""

    stretch: Stretch
    read: str
    """Folded: the quote, what announces it, the names of its cells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What is printed for a question."""

    is_answered: bool
    printed: str
    read: str
    """Folded, without paths, offsets and numbers of pages, which answer nothing."""
    quotes: tuple[ShownQuote, ...] = ()
    confidence: float = 0.0
    is_doubtful: bool = False
    read_as: str = ""

    @property
    def lines(self) -> int:
        """Printed lines that are not empty."""
        return sum(bool(line.strip()) for line in self.printed.splitlines())


def shown(answer: Answer, root: Path, *, read_as: str = "") -> Shown:
    """What a person in the collection's folder sees of an answer."""
    printed = printed_of(answer, root)
    return Shown(
        is_answered=answer.status == "answered",
        printed=printed,
        read=_answering(printed, answer),
        quotes=tuple(_quote(one, root) for one in printed_citations(answer, printed)),
        confidence=answer.confidence,
        is_doubtful=answer.is_doubtful,
        read_as=read_as,
    )


def printed_of(answer: Answer, root: Path) -> str:
    """The text that `pincite ask` prints by default."""
    caught = io.StringIO()
    with chdir(root), _eighty_columns(), redirect_stdout(caught):
        print_answer(answer)
    return caught.getvalue()


def printed_citations(answer: Answer, printed: str) -> list[Citation]:
    """The citations whose numbers are printed: what is folded away is not shown."""
    lines = [line.strip() for line in printed.splitlines()]
    chosen = [
        citation
        for number, citation in enumerate(answer.citations, start=1)
        if any(line.startswith(f"[{number}]") or line.endswith(f"[{number}]") for line in lines)
    ]
    if answer.status == "answered" and answer.citations and not chosen:
        raise EvaluationError(
            "the command line prints no [1]; evaluation/showing.py must learn how quotes are marked"
        )
    return chosen


def _quote(citation: Citation, root: Path) -> ShownQuote:
    labels = citation.announced_by
    spans = ((citation.start, citation.end), *((one.start, one.end) for one in labels))
    heads = (one for cell in citation.cells for one in (*cell.rows, *cell.columns))
    beside = [one.text for one in (*labels, *heads)]
    return ShownQuote(
        stretch=Stretch(file=relative(citation.source, root), text=citation.quote, spans=spans),
        read=folded("\n".join((citation.quote, *beside))),
    )


def relative(path: str, root: Path) -> str:
    """A file's path relative to its collection's root."""
    inside = Path(path)
    return inside.relative_to(root).as_posix() if inside.is_relative_to(root) else path


def _answering(printed: str, answer: Answer) -> str:
    plain = " ".join(printed.split())
    for citation in answer.citations:
        name = re.escape(Path(citation.source).name)
        plain = re.sub(rf"(?<!\S)(?:\S*/)?{name}(?=[;\s]|$)", " ", plain)
    for told in (_OFFSETS, _PAGES, _CONFIDENCE):
        plain = told.sub(" ", plain)
    return folded(re.sub(r"\[\d+\]", " ", plain))


@contextmanager
def _eighty_columns() -> Iterator[None]:
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = _COLUMNS
    try:
        yield
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before
