"""Opens the language model and the judging models that the settings name, or says why it cannot."""

from __future__ import annotations

import threading
from pathlib import Path

from pincite.assemble.reranking import open_scorer
from pincite.assemble.verifying import open_entailment, open_judgement, open_reader
from pincite.errors import ModelError
from pincite.models.llm.opening import open_fallback, open_model
from pincite.settings.groups import GenerationSettings
from pincite.settings.loading import Settings
from pincite.stages import LanguageModel, PairScorer, PassageReader, VectorEncoder
from pincite.verify.statements.entailment import EntailmentModel
from pincite.verify.statements.own_judgement import OwnJudgement


class LibraryWriters:
    """Opens language models, each once; they are kept when an ingest rebuilds the stages."""

    def __init__(self) -> None:
        self._opened: dict[str, tuple[LanguageModel | None, str]] = {}
        self._lock = threading.RLock()

    def for_settings(self, settings: Settings) -> tuple[LanguageModel | None, str]:
        """The model that these settings need, and why it is unavailable or replaced, if so.

        None if nothing is written and no reranker uses a language model.
        """
        chosen = settings.generation
        if chosen.mode == "extractive" and settings.rerank.model != "llm":
            return None, ""
        return self.named(chosen)

    def named(self, chosen: GenerationSettings) -> tuple[LanguageModel | None, str]:
        """The model that these settings name, whether or not answers are written with it."""
        key = repr(_opening_settings(chosen))
        with self._lock:
            if key not in self._opened:
                self._opened[key] = _open(chosen)
            return self._opened[key]


def _open(chosen: GenerationSettings) -> tuple[LanguageModel | None, str]:
    """The model, or the fallback alone if the model cannot be opened."""
    try:
        return open_model(chosen), ""
    except ModelError as error:
        if chosen.fallback_model in ("", "none"):
            return None, str(error)
        try:
            found = open_fallback(chosen)
        except ModelError as problem:
            return None, f"{error}; {problem}"
        return found, f"{chosen.fallback_model} writes instead: {error}"


def _opening_settings(chosen: GenerationSettings) -> dict[str, object]:
    """The settings a model is opened with; one model serves all modes and prompts."""
    return chosen.model_dump(exclude={"mode", "prompts", "temperature", "max_tokens"})


# Models that judge two texts together: rerankers, entailment, reader.

_TEST_QUESTION = "At which pressure does the valve open?"
_TEST_TEXTS = ("The valve opens at 6.5 bar.", "The office is closed on Mondays.")


class LibraryScorers:
    """Opens reranking and verification models, each once; kept when an ingest rebuilds the stages."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._opened: dict[str, PairScorer | None] = {}
        self._entailment: dict[str, EntailmentModel | None] = {}
        self._readers: dict[str, PassageReader | None] = {}
        self._judgement: OwnJudgement | None = None
        self._lock = threading.RLock()

    def for_settings(
        self, settings: Settings, writer: LanguageModel | None
    ) -> tuple[PairScorer | None, str]:
        """The reranking model that these settings name, and why it is unavailable, if so.

        `writer` is the language model, in case it is used for reranking.
        """
        local = (settings.embedding.runtime, settings.embedding.threads)
        key = repr((settings.rerank, local, writer and writer.name))
        with self._lock:
            if key not in self._opened:
                try:
                    self._opened[key] = open_scorer(settings, self._cache, language_model=writer)
                except ModelError as error:
                    return None, f"reranked by {settings.rerank.method} alone: {error}"
            return self._opened[key], ""

    def entailment_of(self, settings: Settings) -> tuple[EntailmentModel | None, str]:
        """The model that judges statements, and why it is unavailable, if so."""
        local = (settings.embedding.runtime, settings.embedding.threads)
        key = repr((settings.verification.nli_model, settings.generation.mode, local))
        with self._lock:
            if key not in self._entailment:
                try:
                    self._entailment[key] = open_entailment(settings, self._cache)
                except ModelError as error:
                    return None, f"statements judged without verification.nli_model: {error}"
            return self._entailment[key], ""

    def judgement_of(self, settings: Settings, writer: LanguageModel | None) -> OwnJudgement | None:
        """The judgement of the model that writes; None if it is not asked."""
        found = open_judgement(settings, self._cache, writer)
        with self._lock:
            if found and (self._judgement is None or self._judgement.model is not writer):
                self._judgement = found
            return found and self._judgement

    def reader_of(
        self, settings: Settings, encoder: VectorEncoder | None
    ) -> tuple[PassageReader | None, str]:
        """The model that reads quoted passages, and why it is unavailable, if so."""
        if settings.verification.reader == "none":
            return None, "confidence without the reader: verification.reader is none"
        key = encoder.name if encoder else ""
        with self._lock:
            if key not in self._readers:
                try:
                    self._readers[key] = open_reader(settings, self._cache, encoder)
                except ModelError as error:
                    return None, f"confidence without the reader: {error}"
            return self._readers[key], ""

    def problem(self, settings: Settings, writer: LanguageModel | None) -> str:
        """Try the reranking model; returns why it fails, or empty if it works or none is set."""
        scorer, problem = self.for_settings(settings, writer)
        if scorer is None:
            return problem
        try:
            scorer.score(_TEST_QUESTION, _TEST_TEXTS)
        except ModelError as error:
            return str(error)
        return ""
