"""Scans the documents of a library, or a part of it, for every mention of some words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterator, Sequence, Set
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from pincite.records.counts import (
    Closeness,
    Mention,
    PassageEdges,
    Scan,
    ScannedDocument,
    ScanScope,
    SurveyRequest,
)
from pincite.records.document import BlockKind, Document, Range, Span
from pincite.records.filters import Filters, Scope
from pincite.records.flow import Question
from pincite.retrieve.count_questions import survey_request
from pincite.text.languages import language_of
from pincite.text.mentions import Mentions, words_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SAMPLED_CHARS = 600
_LANGUAGES_KEPT = 100_000
_MOST_WORDS_APART = 12


class ScanSource(Protocol):
    """What a scan needs from the catalog."""

    def scope(  # noqa: D102
        self, collection: str | None, filters: Filters, allowed: NDArray[Any] | None
    ) -> ScanScope: ...
    def texts(self, documents: Sequence[str]) -> Iterator[tuple[str, str]]: ...  # noqa: D102
    def edges(  # noqa: D102
        self, document_id: str, *, first: int, last: int
    ) -> list[PassageEdges]: ...


class Holdings(Protocol):
    """The catalog, as far as a survey needs it."""

    @property
    def scan(self) -> ScanSource: ...  # noqa: D102
    def document(self, document_id: str) -> Document: ...  # noqa: D102
    def keys_in(self, scope: Scope) -> NDArray[Any] | None: ...  # noqa: D102


class WordSurveyor:
    """Scans texts, not an index, so that it counts exactly what a reader sees on a page.

    `languages` are those of the library; a document's words are compared in its own language.
    """

    def __init__(
        self, holdings: Holdings, languages: Sequence[str], *, compared: int, is_on: bool
    ) -> None:
        self._holdings = holdings
        self._languages = languages
        self._compared = compared
        self._is_on = is_on
        # By document id. Ids come from content, so entries stay valid.
        self._known_languages: dict[str, str] = {}

    def request(self, question: Question) -> SurveyRequest | None:
        """What a question wants counted over the collection; None for an ordinary question."""
        return survey_request(question.text) if self._is_on else None

    def scan(self, question: Question, request: SurveyRequest) -> Scan:
        """Every mention in the question's part of the library.

        Several words that are nowhere adjacent are counted by the sentences that contain all of them.
        """
        allowed = self._holdings.keys_in(question.scope)
        scope = self._holdings.scan.scope(question.collection, question.filters, allowed)
        keys = None if allowed is None else set(allowed.tolist())
        found: tuple[ScannedDocument, ...] = ()
        for closeness in _tried(request):
            found = tuple(self._documents(question, request, closeness, scope, keys))
            if found:
                break
        return Scan(
            request=request,
            closeness=closeness if found else next(_tried(request)),
            found=found,
            documents=len(scope.paths),
            passages=scope.passages,
            skipped=scope.problems,
        )

    def caveat(self, question: Question, request: SurveyRequest) -> str:
        """The caveat for an ordinary answer to such a question."""
        allowed = self._holdings.keys_in(question.scope)
        scope = self._holdings.scan.scope(question.collection, question.filters, allowed)
        caveat = (
            "this is not a count of the whole collection: at most "
            f"{min(self._compared, scope.passages)} of {scope.passages} passages were compared with "
            "the question; 'pincite count WORDS' counts every mention of words"
        )
        if not request.subject:
            return caveat
        nowhere = f"no sentence in {len(scope.paths)} documents contains '{request.subject}'"
        if request.is_condition:
            nowhere += " literally, and only one thing can be counted at a time"
        return f"{nowhere}; {caveat}"

    def _documents(
        self,
        question: Question,
        request: SurveyRequest,
        closeness: Closeness,
        scope: ScanScope,
        keys: Set[int] | None,
    ) -> Iterator[ScannedDocument]:
        """The documents with mentions, in order of their paths."""
        found: dict[str, tuple[str, tuple[Mention, ...]]] = {}
        for document_id, text in self._holdings.scan.texts(sorted(scope.paths)):
            language = self._language(document_id, text)
            mentions = _mentions_of(request.subject, closeness, language)
            places = list(mentions.places(text))
            units = self._units(document_id, places, keys, question.filters) if places else {}
            noted = tuple(
                Mention(span=span, written=tuple(written), passages=tuple(held_by))
                for span, held_by in sorted(units.items())
                if (written := mentions.found(text[span.start : span.end]))
            )
            if noted:
                found[document_id] = language, noted
        for document_id, paths in scope.paths.items():
            if document_id in found:
                language, noted = found[document_id]
                yield ScannedDocument(
                    document_id=document_id, paths=paths, language=language, mentions=noted
                )

    def _units(
        self, document_id: str, places: Sequence[int], keys: Set[int] | None, filters: Filters
    ) -> dict[Span, list[int]]:
        """The quotable units at these places: sentences with their passages, and headings."""
        sentences: dict[tuple[int, int], list[int]] = {}
        for passage in self._holdings.scan.edges(document_id, first=places[0], last=places[-1]):
            if keys is None or passage.key in keys:
                for edges in zip(passage.edges[::2], passage.edges[1::2], strict=True):
                    sentences.setdefault(edges, []).append(passage.key)
        units: dict[Span, list[int]] = {}
        outside = []
        ordered = sorted(sentences)
        for place in places:
            row = bisect_right(ordered, place, key=lambda edges: edges[0]) - 1
            if row >= 0 and place < ordered[row][1]:
                start, end = ordered[row]
                span = Span(document_id=document_id, start=start, end=end)
                units[span] = sentences[ordered[row]]
            else:
                outside.append(place)
        if outside:
            document = self._holdings.document(document_id)
            units.update((span, []) for span in _headings(document, outside, sentences, filters))
        return units

    def _language(self, document_id: str, text: str) -> str:
        found = self._known_languages.get(document_id)
        if found is None:
            if len(self._known_languages) >= _LANGUAGES_KEPT:
                self._known_languages.clear()
            found = self._known_languages[document_id] = self._language_of(text)
        return found

    def _language_of(self, text: str) -> str:
        """The most frequent language among four samples of a text."""
        usual = self._languages[0]
        if len(self._languages) == 1:
            return usual
        sampled = (text[len(text) * part // 4 :][:_SAMPLED_CHARS] for part in range(4))
        detected = [language_of(part, among=self._languages, otherwise=usual) for part in sampled]
        return max(self._languages, key=detected.count)


def _tried(request: SurveyRequest) -> Iterator[Closeness]:
    """How close the words must be, in the order in which it is tried."""
    if request.is_exact:
        yield Closeness.EXACT
        return
    yield Closeness.SIDE_BY_SIDE
    if request.is_condition:
        return
    words = words_of(request.subject)
    # A script without spaces gives single letters, and those co-occur in many sentences.
    if 1 < len(words) <= _MOST_WORDS_APART and all(len(word) > 1 for word in words):
        yield Closeness.IN_ONE_SENTENCE


def _headings(
    document: Document, places: Sequence[int], sentences: Container[Range], filters: Filters
) -> Iterator[Span]:
    """The headings at these places: readers see them, but no passage contains them."""
    for place in places:
        for block in document.blocks_in(place, place + 1):
            is_heading = (
                block.kind is BlockKind.HEADING and (block.start, block.end) not in sentences
            )
            if is_heading and filters.lets_section_through(block.section):
                yield Span(document_id=document.id, start=block.start, end=block.end)


@lru_cache(maxsize=100)
def _mentions_of(subject: str, closeness: Closeness, language: str) -> Mentions:
    return Mentions(subject, closeness, language)
