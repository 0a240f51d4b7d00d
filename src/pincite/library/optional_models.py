"""Which language model and which pair scorers do the settings name, and can they be used?"""

from __future__ import annotations

import threading
from pathlib import Path

from pincite.assemble.reranking import open_scorer
from pincite.assemble.verifying import open_entailment, open_reader
from pincite.errors import ModelError
from pincite.models.llm.opening import open_fallback, open_model
from pincite.settings.groups import GenerationSettings
from pincite.settings.loading import Settings
from pincite.stages import LanguageModel, PairScorer, PassageReader
from pincite.verify.statements.entailment import EntailmentModel


class LibraryWriters:
    """Opens language models, each once; they outlive the stages, which follow every ingest."""

    def __init__(self) -> None:
        self._opened: dict[str, tuple[LanguageModel | None, str]] = {}
        self._one_at_a_time = threading.RLock()

    def of(self, settings: Settings) -> tuple[LanguageModel | None, str]:
        """The model that these settings need, and why there is none where it cannot be had.

        None, too, where nothing is written and no reranker asks a language model.
        """
        chosen = settings.generation
        if chosen.mode == "extractive" and settings.rerank.model != "llm":
            return None, ""
        return self.named(chosen)

    def named(self, chosen: GenerationSettings) -> tuple[LanguageModel | None, str]:
        """The model that these settings name, whether answers are written with it or not."""
        key = repr(_of_the_model(chosen))
        with self._one_at_a_time:
            if key not in self._opened:
                self._opened[key] = _open(chosen)
            return self._opened[key]


def _open(chosen: GenerationSettings) -> tuple[LanguageModel | None, str]:
    """The model, or the fallback alone where the model's file is not there."""
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


def _of_the_model(chosen: GenerationSettings) -> dict[str, object]:
    """What a model is opened with; the same one serves every mode and every prompt."""
    return chosen.model_dump(exclude={"mode", "prompts", "temperature", "max_tokens"})


# Which models read two texts together to judge them, and can they be had?

_CHECKED = "At which pressure does the valve open?"
_CHECKED_WITH = ("The valve opens at 6.5 bar.", "The office is closed on Mondays.")


class LibraryScorers:
    """Opens rerankers' and verifiers' models, each once; they outlive the stages of an ingest."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._opened: dict[str, PairScorer | None] = {}
        self._entailment: dict[str, EntailmentModel | None] = {}
        self._readers: dict[str, PassageReader | None] = {}
        self._one_at_a_time = threading.RLock()

    def of(self, settings: Settings, writer: LanguageModel | None) -> tuple[PairScorer | None, str]:
        """The model that these settings name, and why there is none where it cannot be had.

        `writer` is the language model, in case it is to judge.
        """
        local = (settings.embedding.runtime, settings.embedding.threads)
        key = repr((settings.rerank, local, writer and writer.name))
        with self._one_at_a_time:
            if key not in self._opened:
                try:
                    self._opened[key] = open_scorer(settings, self._cache, language_model=writer)
                except ModelError as error:
                    return None, f"reranked by {settings.rerank.method} alone: {error}"
            return self._opened[key], ""

    def entailment_of(self, settings: Settings) -> tuple[EntailmentModel | None, str]:
        """The model that judges statements, and why there is none where it cannot be had."""
        local = (settings.embedding.runtime, settings.embedding.threads)
        key = repr((settings.verification.nli_model, settings.generation.mode, local))
        with self._one_at_a_time:
            if key not in self._entailment:
                try:
                    self._entailment[key] = open_entailment(settings, self._cache)
                except ModelError as error:
                    return None, f"statements judged without verification.nli_model: {error}"
            return self._entailment[key], ""

    def reader_of(self, settings: Settings) -> tuple[PassageReader | None, str]:
        """The model that reads quoted passages, and why there is none where it cannot be had."""
        if settings.verification.reader == "none":
            return None, "confidence without the reader: verification.reader is none"
        key = repr(settings.embedding)
        with self._one_at_a_time:
            if key not in self._readers:
                try:
                    self._readers[key] = open_reader(settings, self._cache)
                except ModelError as error:
                    return None, f"confidence without the reader: {error}"
            return self._readers[key], ""

    def problem(self, settings: Settings, writer: LanguageModel | None) -> str:
        """Why the model cannot judge, after trying; empty when it can, or when none is wanted."""
        scorer, problem = self.of(settings, writer)
        if scorer is None:
            return problem
        try:
            scorer.score(_CHECKED, _CHECKED_WITH)
        except ModelError as error:
            return str(error)
        return ""
