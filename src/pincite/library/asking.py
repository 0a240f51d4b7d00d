"""Answers questions from a library that may change meanwhile."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import PurePath
from typing import TypeVar

from pincite.errors import DocumentGone, LibraryError, ModelError, PinciteError, UsageError
from pincite.library.folder import unfinished, unfinished_notice
from pincite.library.homes import WRITE_LOCK, Home
from pincite.library.index_maintenance import Upkeep
from pincite.pipeline import AnswerStages
from pincite.records.arguments import checked_text
from pincite.records.filters import Filters, Scope
from pincite.records.flow import Answer, Hit, Question, SearchResult
from pincite.records.library_records import FileProblem
from pincite.settings.loading import Settings
from pincite.store.catalog.catalog import Catalog
from pincite.text.document_names import name_words, names_of

# Notices about files that are missing from a library or cannot be searched.

EMPTY = "this library holds no documents: pincite ingest PATH"
_MAX_NAMED = 3
_SHORTEST_WORD = 4
"""In characters. A name with only shorter words would match too many questions."""

_Name = frozenset[str]
_Named = tuple[list[_Name], str]


class Missing:
    """Finds what is missing from one library, at each question."""

    def __init__(self, home: Home, catalog: Catalog) -> None:
        self._catalog = catalog
        self._notes = home.notes
        self._textless = lru_cache(maxsize=8)(self._load_textless)
        self._failed = lru_cache(maxsize=8)(_failed)

    def notices(self, question: str, collection: str | None) -> tuple[str, ...]:
        """Notices that it is empty or incomplete, and of unsearchable files that the question names."""
        return (*self._state(collection), *self._named(question, collection))

    def _state(self, collection: str | None) -> Iterator[str]:
        if self._catalog.is_empty():
            yield EMPTY
        begun = unfinished(self._notes)
        cut_short = unfinished_notice(
            [work for work in begun if collection in (None, work.collection)]
        )
        if cut_short and not self._catalog.store.is_held(WRITE_LOCK):
            yield cut_short

    def _named(self, question: str, collection: str | None) -> Iterator[str]:
        textless = self._textless(self._catalog.generation(), collection)
        # Failures change without a new generation.
        unread = (*textless, *self._failed(self._catalog.failures(collection)))
        if not unread:
            return
        asked = {word.term for word in name_words(question)}
        found = [line for names, line in unread if any(name <= asked for name in names)]
        yield from found[:_MAX_NAMED]
        if len(found) > _MAX_NAMED:
            yield f"{len(found) - _MAX_NAMED} more files with such names cannot be searched"

    def _load_textless(self, generation: int, collection: str | None) -> list[_Named]:
        del generation  # part of the cache's key
        return _named(self._catalog.textless(collection))


def _failed(problems: Sequence[FileProblem]) -> list[_Named]:
    return _named((problem.path, "", problem.reason) for problem in problems)


def _named(files: Iterable[tuple[str, str, str]]) -> list[_Named]:
    """The names of files, given by path, title and reason, as terms; each file with its notice."""
    found = []
    for path, title, reason in files:
        file = PurePath(path).name
        names = [name for name in map(_terms, names_of(file, title)) if name]
        if names:
            found.append((names, f"{file} is not searched: {reason}"))
    return found


def _terms(name: str) -> _Name:
    """The words of a name that must all occur in a question; none if they are too short."""
    found = frozenset(word.term for word in name_words(name) if not word.parts)
    is_specific = any(len(term) >= _SHORTEST_WORD and not term.isdigit() for term in found)
    return found if is_specific else frozenset()


# Answering.

_Found = TypeVar("_Found")

LONGEST_QUESTION = 10_000
"""In characters. Anything longer is a pasted document, not a question."""

_RUN_OF_BLANKS = re.compile(r"\s{2,}+")

_PANICS = "pyo3_runtime"
_MAX_ATTEMPTS = 5
"""Most attempts to answer a question while files are being removed."""


class Asking:
    """Checks questions, runs the current stages of a library on them, and keeps the answers."""

    def __init__(
        self,
        settings: Settings,
        catalog: Catalog,
        upkeep: Upkeep,
        notices: tuple[str, ...] = (),
    ) -> None:
        """`notices` are added to every result."""
        self._notices = notices
        self._settings = settings
        self._catalog = catalog
        self._upkeep = upkeep
        self._missing = Missing(upkeep.home, catalog)

    def question(
        self,
        text: str,
        collection: str | None,
        *,
        filters: Filters | None = None,
        explain: bool = False,
        budget_ms: float | None = None,
    ) -> Question:
        """A checked question. Raises UsageError if it cannot be asked."""
        if not checked_text(text, "the question").strip():
            raise UsageError("the question is empty; ask something, such as 'What is ...?'")
        if len(text) > LONGEST_QUESTION:
            raise UsageError(
                f"the question has {len(text):,} characters; at most {LONGEST_QUESTION:,} are "
                "taken: ask about one thing at a time"
            )
        # Long runs of whitespace carry no meaning and are slow for many patterns.
        text = _RUN_OF_BLANKS.sub(_one_blank, text)
        self.check_collection(collection)
        # Raises for filters that match nothing.
        self._catalog.keys_in(Scope.of(collection, filters or Filters()))
        notices = self._missing.notices(text, collection)
        budget = self._settings.rerank.budget_ms if budget_ms is None else budget_ms
        return Question(
            text=text,
            collection=collection,
            filters=filters or Filters(),
            explain=explain,
            notices=(*self._notices, *notices),
            deadline=time.perf_counter() + budget / 1000 if budget else None,
        )

    def check_collection(self, collection: str | None) -> None:
        """Raises UsageError, with the existing collections, for an unknown one."""
        if collection is None:
            return
        if not self._catalog.has_collection(checked_text(collection, "the collection")):
            there_are = ", ".join(self._catalog.collections()) or "none yet"
            raise UsageError(f"there is no collection '{collection}'; there are: {there_are}")

    def newest(
        self, ask: Callable[[AnswerStages], _Found], settings: Settings | None = None
    ) -> _Found:
        """The result of the current stages, with these settings or the library's own.

        Retries if a document that was found has been removed meanwhile, without the encoder if it
        fails, and over rebuilt indexes if their files are damaged. Raises DocumentGone if documents
        are removed during every attempt.
        """
        upkeep = self._upkeep
        stages = upkeep.stages if settings is None else partial(upkeep.stages_with, settings)
        for _ in range(_MAX_ATTEMPTS - 1):
            try:
                return ask(stages())
            except DocumentGone:
                upkeep.forget_stages()
            except ModelError as error:
                if upkeep.encoders.problem:  # The encoder was not in use.
                    raise
                upkeep.encoders.rest(error)
                upkeep.forget_stages()
            except PinciteError:
                raise
            except BaseException as error:
                # What damaged files lead to depends on the engine; tantivy's panic is no Exception.
                is_panic = type(error).__module__ == _PANICS
                if not is_panic and not isinstance(error, Exception):
                    raise
                if not upkeep.forget_damaged_indexes():
                    if is_panic:
                        raise RuntimeError(f"the index engine failed: {error}") from error
                    raise
        return ask(stages())

    def kept(self, answer: Answer, collection: str | None) -> Answer:
        """Store the answer in the history, if enabled; the answer reports it if that fails."""
        if not self._settings.history.keep:
            return answer
        from pincite.verify.receipts.receipt import answer_form
        from pincite.verify.receipts.signing import sealed

        try:
            self._catalog.history.keep(sealed(answer_form(answer)), collection)
        except LibraryError as error:
            return replace(answer, reasons=(*answer.reasons, f"this answer is not kept: {error}"))
        return answer


def _one_blank(run: re.Match[str]) -> str:
    return "\n" if "\n" in run[0] else " "


def cut(result: SearchResult, limit: int, *, keep: int) -> SearchResult:
    """At most `limit` hits of a result; adds a notice if the setting `keep` allowed fewer."""
    is_cut = limit > keep <= len(result.hits)
    notice = f"at most {keep} hits instead of {limit}: raise retrieval.keep to see more"
    return replace(
        result,
        hits=shown(result.hits, limit),
        notices=(*result.notices, notice) if is_cut else result.notices,
    )


def shown(hits: Sequence[Hit], limit: int) -> tuple[Hit, ...]:
    """The first `limit` hits; later hits that must be kept replace the last of them."""
    first, later = list(hits[:limit]), [hit for hit in hits[limit:] if hit.must_keep]
    for place in reversed(range(len(first))):
        if later and not first[place].must_keep:
            first[place] = later.pop(0)
    return tuple(sorted(first, key=lambda hit: -hit.score))
