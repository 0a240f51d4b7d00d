"""Is what is cited superseded by an amendment or a newer version?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from pathlib import PurePath
from typing import NamedTuple

from pincite.records.document import UNQUOTED, Block, Document, Span
from pincite.records.filters import Filters
from pincite.records.flow import Evidence, Hit, NamedFile, Passage, Question
from pincite.settings.toml_files import shipped
from pincite.stages import Sources
from pincite.text.numbers import figures
from pincite.text.sentences import sentence_spans
from pincite.text.terms import fold
from pincite.text.versions import Version, is_of_one_day, names_version, version_of

_OPENING_CHARS = 3000
_PARTIES_CHARS = 1500
"""Of the opening, in which the parties are named."""
_MOST_NAMED = 20
"""Documents that are amendments by their names and are read although the search did not find them."""
_MOST_TOLD = 2
_LONGEST_QUOTE_CHARS = 800
_FEWEST_TITLE_CHARS = 6

_NUMBER = re.compile(
    r"\W{0,3}(?:(?:clause|section|article|§+)\s*)?(\d{1,3}(?:\.\d{1,3})*)[.)]?\s", re.I
)
_NAME = re.compile(r"\b[A-Z][\w&'’-]+(?:[ \n][A-Z][\w&'’-]+)+")
_BETWEEN = r"\s*(?:\d[\d.]*(?:\(\w+\))*\s*(?:,|and|und|et|y|to|bis|&|-|–)+\s*)*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    """What another document says of the clause that is cited at `cited`, and how that is told.

    `holds_new_text` unless the clause is deleted only.
    """

    cited: Span
    clause: str
    other: Evidence
    holds_new_text: bool


class _Change(NamedTuple):
    clause: str
    span: Span
    holds_new_text: bool


class Amendments:
    """Looks through the documents that change others for the clauses that are cited."""

    def __init__(
        self, sources: Sources, names: Callable[[str | None], Sequence[NamedFile]] | None = None
    ) -> None:
        self._sources = sources
        self._names = names
        self._named = lru_cache(maxsize=8)(self._amending_by_name)

    def find(
        self, question: Question, cited: Sequence[Evidence], hits: Sequence[Hit]
    ) -> Iterator[Amendment]:
        """The newest first, at most two for each clause."""
        referred = [(item, self._references(item)) for item in cited]
        if not any(references for _, references in referred):
            return
        amending = self._amending(question, hits)
        told: set[Span] = set()
        for item, references in referred:
            here = self._sources.document(item.span.document_id)
            changes = (
                (other, change)
                for other in amending
                if references and other.id != here.id and _is_of(other, here)
                for change in _changes(other, references)
            )
            for other, change in islice(changes, _MOST_TOLD):
                if change.span not in told:
                    told.add(change.span)
                    yield Amendment(
                        cited=item.span,
                        clause=change.clause,
                        other=self._evidence(item, other, change.span, len(told)),
                        holds_new_text=change.holds_new_text,
                    )

    def _references(self, item: Evidence) -> Mapping[str, re.Pattern[str]]:
        """How the clause that a quote is in may be referred to, by how a reader is told of it."""
        document = self._sources.document(item.span.document_id)
        if _says("documents", f"{document.name}\n{document.title}"):
            return {}
        blocks = document.blocks_in(item.span.start, item.span.end)
        begin = blocks[0].start if blocks else item.span.start
        found = _NUMBER.match(document.text, begin) or _NUMBER.match(item.quote)
        referred = {}
        if found:
            parts = found[1].split(".")
            for length in range(len(parts), 0, -1):
                number = ".".join(parts[:length])
                referred[f"clause {number}"] = _pattern("clauses", number)
        for heading in item.passage.section:
            named = re.match(rf"({_any('schedules')})\s+(\w{{1,4}})\b", heading, re.IGNORECASE)
            if named:
                referred[named[0]] = _pattern("schedules", named[2])
        return referred

    def _amending(self, question: Question, hits: Sequence[Hit]) -> list[Document]:
        """Documents that change others, the newest first, by the latest year of their openings."""
        ids = [hit.passage.span.document_id for hit in hits if self._may_change(hit)]
        if question.filters == Filters():
            ids += self._named(question.collection)
        documents = [self._sources.document(one) for one in dict.fromkeys(ids)]
        kept = [one for one in documents if _says("documents", _opening(one))]
        return sorted(kept, key=lambda one: (-max(figures(_opening(one)).years, default=0), one.id))

    def _may_change(self, hit: Hit) -> bool:
        """Told by the opening of the text alone, which is cheaper to have than the document."""
        document = hit.passage.span.document_id
        opening = Span(document_id=document, start=0, end=_OPENING_CHARS)
        return _says("documents", self._sources.text_of(opening))

    def _amending_by_name(self, collection: str | None) -> tuple[str, ...]:
        known = self._names(collection) if self._names else ()
        found = [one.document_id for one in known if _says("documents", f"{one.path}\n{one.title}")]
        return tuple(found[:_MOST_NAMED])

    def _evidence(self, item: Evidence, other: Document, span: Span, number: int) -> Evidence:
        block = other.blocks_in(span.start, span.end)[0]
        passage = Passage(
            id=f"{other.id}_amendment{number}",
            span=span,
            section=block.section,
            page=block.page,
            sentences=(span,),
            context=other.name or other.title,
        )
        quote = self._sources.text_of(span)
        return Evidence(
            id=f"amendment{number}", span=span, quote=quote, passage=passage, score=item.score
        )


def _changes(other: Document, referred: Mapping[str, re.Pattern[str]]) -> Iterator[_Change]:
    """Where a document says that one of these is changed, and whether it gives new words for it."""
    for place, block in enumerate(other.blocks):
        if block.kind in UNQUOTED:
            continue
        for start, end in sentence_spans(other.text[block.start : block.end]):
            said = other.text[block.start + start : block.start + end]
            clause = next((told for told, pattern in referred.items() if pattern.search(said)), "")
            if clause and _says("changes", said):
                whole = _with_new_words(other, place, block.start + start, block.start + end)
                span = Span(document_id=other.id, start=whole[0], end=whole[1])
                yield _Change(clause, span, holds_new_text=_says("instead", said))
                break


def _with_new_words(other: Document, place: int, start: int, end: int) -> tuple[int, int]:
    """The sentence with the rest of its block, and with the next where that ends in a colon."""
    block: Block = other.blocks[place]
    if block.end - start <= _LONGEST_QUOTE_CHARS:
        end = max(end, block.end)
    if other.text[start:end].rstrip().endswith(":") and place + 1 < len(other.blocks):
        following = other.blocks[place + 1]
        if following.kind not in UNQUOTED and following.end - start <= _LONGEST_QUOTE_CHARS:
            end = following.end
    return start, start + len(other.text[start:end].rstrip())


def _is_of(other: Document, document: Document) -> bool:
    """Whether a document that changes another speaks of this one: by two parties, or by its title."""
    title = fold(document.title).strip()
    is_named = len(title) >= _FEWEST_TITLE_CHARS and title in fold(_opening(other))
    own = _names(document) - {title}
    shared = own & _names(other)
    return len(shared) > 1 or (is_named and (bool(shared) or not own))


def _names(document: Document) -> set[str]:
    """Runs of words with capitals in the opening, such as the parties."""
    found = _NAME.findall(document.text[:_PARTIES_CHARS])
    return {" ".join(fold(name).split()) for name in found}


def _opening(document: Document) -> str:
    return f"{document.name}\n{document.title}\n{document.text[:_OPENING_CHARS]}"


def _pattern(kind: str, number: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<!\w){_any(kind)}{_BETWEEN}{re.escape(number)}(?!\w|\.\d)", re.IGNORECASE
    )


def _says(kind: str, text: str) -> bool:
    around = ("", "") if kind == "documents" else (r"(?<!\w)", r"(?!\w)")
    return re.search(_any(kind).join(around), text, re.IGNORECASE) is not None


@cache
def _any(kind: str) -> str:
    return f"(?:{'|'.join(shipped('verify/data', 'amending')[kind])})"


# Is there a newer version of what is cited? Only names of files are looked at.

_NAMED = 3


class Versions:
    """Finds newer versions of documents among the files of a library."""

    def __init__(self, names: Callable[[str | None], Sequence[NamedFile]]) -> None:
        self._names = names
        self._known = lru_cache(maxsize=8)(self._load)

    def newer(self, path: str, question: str, collection: str | None) -> Iterator[str]:
        """Names of files that are newer versions of the one at `path`, the newest first.

        None when the question itself names the version that is cited: then it is the one wanted. Nor
        where it is no version, but the minutes or the invoice of another day.
        """
        cited = version_of(path)
        if cited is None or names_version(question, cited):
            return
        versions = [
            (version.numbers, name)
            for version, name in self._known(collection).get(cited.kin, [])
            if version.is_of(cited)
        ]
        if all(numbers != cited.numbers for numbers, _ in versions):
            return
        later = sorted((v for v in versions if v[0] > cited.numbers), reverse=True)
        yield from list(dict.fromkeys(name for _, name in later))[:_NAMED]

    def _load(self, collection: str | None) -> dict[str, list[tuple[Version, str]]]:
        known: dict[str, list[tuple[Version, str]]] = {}
        for file in self._names(collection):
            version = version_of(file.path)
            if version is not None and not is_of_one_day(file.path, file.title):
                known.setdefault(version.kin, []).append((version, PurePath(file.path).name))
        return known
