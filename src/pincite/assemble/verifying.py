"""Builds the checker that compares statements with their quotes."""

from __future__ import annotations

from pathlib import Path

from pincite.assemble.reranking import Models
from pincite.models.encoders.built_in import find_tokenizer
from pincite.models.encoders.windowed import MiniLmEncoder
from pincite.rerank.reader.reader import open_small_reader
from pincite.settings.loading import Settings
from pincite.stages import Assenting, LanguageModel, PassageReader, TermWeights, VectorEncoder
from pincite.verify.statements.alignment import Alignment
from pincite.verify.statements.claims import ClaimChecker
from pincite.verify.statements.entailment import EntailmentModel, open_entailment_model
from pincite.verify.statements.own_judgement import OwnJudgement


def open_entailment(settings: Settings, cache: Path) -> EntailmentModel | None:
    """The model that checks statements written by a language model; None if words are compared.

    `cache` is the folder for optimised graphs. Raises ModelError if the model is not available.
    """
    if settings.verification.nli_model == "none" or settings.generation.mode != "generated":
        return None
    return open_entailment_model(
        Path(settings.verification.nli_model).expanduser(),
        cache,
        runtime=settings.embedding.runtime,
        threads=settings.embedding.threads,
    )


def open_judgement(
    settings: Settings, cache: Path, writer: LanguageModel | None
) -> OwnJudgement | None:
    """The judgement of the model that writes, if it is asked for it; `cache` keeps how it did.

    Never beside a model for entailment, which judges all statements.
    """
    may_show = settings.verification.free_wording and settings.verification.nli_model == "none"
    if settings.generation.mode != "generated" or not may_show or not isinstance(writer, Assenting):
        return None
    return OwnJudgement(writer, cache / "own-judgement.json")


def open_reader(
    settings: Settings, cache: Path, encoder: VectorEncoder | None
) -> PassageReader | None:
    """The model that reads quoted passages together with the question; None if it is not used.

    It is used only where the default encoder serves, be it in place of another, since it was fitted
    with that encoder's scores.
    """
    if settings.verification.reader == "none" or not isinstance(encoder, MiniLmEncoder):
        return None
    return open_small_reader(
        find_tokenizer(),
        cache,
        runtime=settings.embedding.runtime,
        threads=settings.embedding.threads,
    )


def _alignment(settings: Settings, encoder: VectorEncoder | None) -> Alignment | None:
    """Finds statements that are worded freely, if they may be shown."""
    if not settings.verification.free_wording or not isinstance(encoder, MiniLmEncoder):
        return None
    return Alignment(encoder)


def claim_checker(settings: Settings, weights: TermWeights, models: Models) -> ClaimChecker:
    """Compares words, or uses the entailment model if one is set."""
    return ClaimChecker(
        weights,
        entailment=models.entailment,
        least_entailed=settings.verification.nli_threshold,
        alignment=_alignment(settings, models.encoder),
        judgement=models.judgement,
    )
