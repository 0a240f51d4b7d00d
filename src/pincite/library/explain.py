"""Explains at which stage a passage was dropped between a question and its answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pincite.errors import UsageError
from pincite.library.index_maintenance import Upkeep
from pincite.pipeline import answer_question, search
from pincite.records.flow import Hit, Passage, Question, SearchResult, Understood
from pincite.records.passage_outcome import Fate, Outcome, followed
from pincite.settings.groups import RerankSettings
from pincite.settings.loading import Settings
from pincite.store.catalog.catalog import Catalog
from pincite.text.terms import question_terms, terms

_PASSAGE_ID = re.compile(r"[0-9a-f]+_p\d+_c\d+")
_FILE_AND_PAGE = re.compile(r"(.+):(\d+)")

_WIDE = 1000
"""How many results of each search are examined for a passage that is not among the candidates."""

_MOST = 10
"""Most passages explained at once."""

_SIMILAR = 5


class Inquiry:
    """Answers one question and traces passages through the stages."""

    def __init__(self, catalog: Catalog, upkeep: Upkeep, settings: Settings) -> None:
        self._catalog = catalog
        self._upkeep = upkeep
        self._settings = settings

    def fates(self, question: Question, reference: str) -> tuple[Fate, ...]:
        """The fate of each passage that a reference matches.

        A reference is a passage id, FILE:PAGE or words in a passage. Raises UsageError if it matches
        too many passages.
        """
        meant = self._matching(reference)
        if not meant:
            return (_unknown(reference, tuple(self._hints(reference))),)
        if len(meant) > _MOST:
            raise UsageError(
                f"'{reference}' matches {len(meant)} passages; at most {_MOST} are explained at "
                "once: give more words, or the id of one (pincite search --json shows ids)"
            )
        stages = self._upkeep.stages()
        answer = answer_question(replace(question, explain=True), stages)
        if answer.survey is not None:
            raise UsageError(
                "this question is answered by a count over all documents, in which no passage is "
                "lost; 'pincite count --json' lists every mention"
            )
        trace = answer.trace
        return tuple(self._fate(question, trace, passage) for passage in meant)

    def _fate(self, question: Question, trace: Mapping[str, Any], passage: Passage) -> Fate:
        outcome, stage, account = followed(trace, passage.id)
        if outcome is Outcome.NOT_FOUND:
            outcome, stage, account = self._not_found(question, passage)
        return Fate(
            passage_id=passage.id,
            context=passage.context,
            page=passage.page,
            outcome=outcome,
            stage=stage,
            account=account,
        )

    def _not_found(
        self, question: Question, passage: Passage
    ) -> tuple[Outcome, str, tuple[str, ...]]:
        """Outcome, stage and account of a passage that is not among the candidates."""
        if not self._is_allowed(question, passage):
            return Outcome.NOT_ALLOWED, "", (self._where(question, passage),)
        understood = self._understood(question)
        if understood.within is not None and passage.key not in understood.within:
            phrases = " or ".join(f"'{phrase}'" for phrase in understood.phrases)
            return Outcome.WITHOUT_PHRASE, "retrieve", (f"retrieve: it does not contain {phrases}",)
        found = self._widely(replace(question, explain=True))
        wide = followed(found.trace, passage.id)
        if wide[0] is Outcome.LEFT_OUT:
            return wide
        account = tuple(self._measured(understood, passage, found.hits))
        return Outcome.NOT_FOUND, "retrieve", account

    def _understood(self, question: Question) -> Understood:
        understood = self._upkeep.stages().understander.understand(question).understood
        assert understood is not None
        return understood

    def _is_allowed(self, question: Question, passage: Passage) -> bool:
        found = self._catalog.keys_in(question.scope.only([passage.key]))
        return found is None or len(found) > 0

    def _where(self, question: Question, passage: Passage) -> str:
        """Why a passage is excluded from this question: its collections, or the filters."""
        held = {
            entry.collection
            for entry in self._catalog.files()
            if entry.document_id == passage.span.document_id
        }
        if question.collection in (None, *held):
            return "the question's filters exclude it"
        return f"asked: '{question.collection}'; it is in: {', '.join(sorted(held))}"

    # --- Resolving references -------------------------------------------------------------------

    def _matching(self, reference: str) -> list[Passage]:
        if _PASSAGE_ID.fullmatch(reference):
            found = self._catalog.passages_of(reference.partition("_")[0])
            return [passage for passage in found if passage.id == reference]
        if place := _FILE_AND_PAGE.fullmatch(reference):
            documents = self._documents_named(place[1])
            if documents:
                page = int(place[2])
                every = (p for d in documents for p in self._catalog.passages_of(d))
                return [passage for passage in every if passage.page == page]
        return self._passages_with(reference)

    def _documents_named(self, name: str) -> list[str]:
        """Documents of files with this path or file name."""
        matching = (
            entry.document_id
            for entry in self._catalog.files()
            if name in (entry.path, Path(entry.path).name)
        )
        return list(dict.fromkeys(matching))

    def _passages_with(self, words: str) -> list[Passage]:
        """Passages that contain these words in this order."""
        wanted = _plain(words)
        found = self._widely(Question(text=words), alpha=1.0)
        return [
            hit.passage
            for hit in found.hits
            if wanted and wanted in _plain(self._catalog.text_of(hit.passage.span))
        ]

    def _hints(self, reference: str) -> Iterator[str]:
        """Suggestions for a reference that matches nothing."""
        if not _PASSAGE_ID.fullmatch(reference):
            yield "expected a passage id, FILE:PAGE, or words in a passage"
            return
        document = reference.partition("_")[0]
        own = [passage.id for passage in self._catalog.passages_of(document)]
        if own:
            near = get_close_matches(reference, own, n=_SIMILAR, cutoff=0.0)
            yield f"its document has {len(own)} passages, such as {', '.join(near)}"
            return
        files = self._catalog.files()
        for entry in files:
            if any(old.document_id == document for old in entry.old_versions):
                yield f"its document is an old version of {entry.path}, which is not searched"
        near = get_close_matches(document, {entry.document_id for entry in files}, n=_SIMILAR)
        yield f"documents with a similar id: {', '.join(near) or 'none'}"

    # --- Why neither search found it --------------------------------------------------------------

    def _widely(self, question: Question, *, alpha: float | None = None) -> SearchResult:
        """Run both searches with much higher limits than a question, without reranking."""
        wide: dict[str, Any] = {"dense_limit": _WIDE, "lexical_limit": _WIDE, "keep": 2 * _WIDE}
        if alpha is not None:
            wide["alpha"] = alpha
        retrieval = self._settings.retrieval.model_copy(update=wide)
        rerank = RerankSettings(method="term_coverage", candidates=1, weight=0, threshold=0)
        settings = self._settings.model_copy(update={"retrieval": retrieval, "rerank": rerank})
        return search(question, self._upkeep.stages_with(settings))

    def _measured(
        self, understood: Understood, passage: Passage, hits: Sequence[Hit]
    ) -> Iterator[str]:
        chosen = self._settings.retrieval
        yield from self._by_meaning(understood, passage, _rank(hits, "dense", passage.id))
        rank = _rank(hits, "lexical", passage.id)
        text = passage.with_context(self._catalog.text_of(passage.span))
        # The index uses each passage's detected language, which one short passage may not show.
        languages = {understood.language, *self._upkeep.languages()}
        held = {term for language in languages for term in terms(text, language)}
        asked = question_terms(understood.asked, understood.language)
        # Also searched for: stems of other languages, long forms and compounds.
        further = [term for term in understood.terms if term not in asked and term in held]
        shared = list(dict.fromkeys(word for term, word in asked.items() if term in held))
        missing = list(dict.fromkeys(word for term, word in asked.items() if term not in held))
        if not shared and not further:
            yield "by words: it contains no word of the question"
        else:
            yield (
                f"by words: {_depth(rank, chosen.lexical_limit)}; "
                f"contains {_listed([*shared, *further])}, not {_listed(missing)}"
            )

    def _by_meaning(
        self, understood: Understood, passage: Passage, rank: tuple[int, float] | None
    ) -> Iterator[str]:
        encoder = self._upkeep.encoders.serving()
        if encoder is None:
            yield f"by meaning: not searched ({self._upkeep.encoders.problem})"
            return
        keys, vectors = self._catalog.vectors(
            [passage.key], model=encoder.name, dimensions=encoder.dimensions
        )
        if not keys:
            yield "by meaning: it was ingested without this encoder; run 'pincite reindex'"
            return
        cosine = float(vectors[0] @ encoder.encode_question(understood.asked).vector)
        depth = _depth(rank, self._settings.retrieval.dense_limit)
        yield f"by meaning: {depth}; cosine {cosine:.3f}"


def _unknown(reference: str, hints: tuple[str, ...]) -> Fate:
    return Fate(
        passage_id=reference,
        context="",
        page=None,
        outcome=Outcome.UNKNOWN,
        stage="",
        account=hints,
    )


def _rank(hits: Sequence[Hit], name: str, passage_id: str) -> tuple[int, float] | None:
    """Rank (from 1) and score among the hits of one search; None if it is not among them."""
    found = sorted((hit for hit in hits if name in hit.scores), key=lambda hit: -hit.scores[name])
    for place, hit in enumerate(found, start=1):
        if hit.passage.id == passage_id:
            return place, hit.scores[name]
    return None


def _depth(rank: tuple[int, float] | None, limit: int) -> str:
    if rank is None:
        return f"not among the first {_WIDE:,}"
    return f"rank {rank[0]}, score {rank[1]:.3f}; the first {limit} are used"


def _listed(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in words) or "any other"


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
