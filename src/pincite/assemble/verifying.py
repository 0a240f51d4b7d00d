"""What compares statements with their quotes under these settings?"""

from __future__ import annotations

from pathlib import Path

from pincite.assemble.reranking import Models
from pincite.settings.loading import Settings
from pincite.stages import TermWeights
from pincite.verify.statements.claims import ClaimChecker
from pincite.verify.statements.entailment import EntailmentModel, open_entailment_model


def open_entailment(settings: Settings, cache: Path) -> EntailmentModel | None:
    """What judges the statements of a language model; None where words do.

    `cache` is the folder in which prepared graphs are kept. Raises ModelError when it cannot be had.
    """
    if settings.verification.nli_model == "none" or settings.generation.mode != "generated":
        return None
    return open_entailment_model(
        Path(settings.verification.nli_model).expanduser(),
        cache,
        runtime=settings.embedding.runtime,
        threads=settings.embedding.threads,
    )


def claim_checker(settings: Settings, weights: TermWeights, models: Models) -> ClaimChecker:
    """Words, or the model that is set."""
    return ClaimChecker(
        weights,
        entailment=models.entailment,
        least_entailed=settings.verification.nli_threshold,
    )
