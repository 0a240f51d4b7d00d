"""Which language model writes, and can it be had?"""

from __future__ import annotations

import threading

from pincite.errors import ModelError
from pincite.llm.opening import open_fallback, open_model
from pincite.setting_groups import GenerationSettings
from pincite.settings import Settings
from pincite.stages import LanguageModel


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
