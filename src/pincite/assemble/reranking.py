"""Builds the reranker and opens its model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from pincite.assemble.plugins import added_scorer
from pincite.errors import ModelError
from pincite.models.encoders.spec import reads_latin_only
from pincite.rerank.cross_encoders import (
    ModelReranker,
    open_fastembed_cross_encoder,
    open_onnx_cross_encoder,
    open_torch_cross_encoder,
)
from pincite.rerank.language_model import LanguageModelScorer
from pincite.rerank.late_interaction import STATES_ALONE, LateInteractionReranker, WordShare
from pincite.rerank.order import ByScript, Cut
from pincite.rerank.server import RerankServer, ServedScorer
from pincite.rerank.token_state_cache import HotPassages
from pincite.rerank.without_model import SentenceCosineReranker, TermCoverageReranker
from pincite.settings.groups import RerankSettings
from pincite.settings.loading import Settings
from pincite.stages import (
    LanguageModel,
    PairScorer,
    PassageReader,
    Reranker,
    TermWeights,
    VectorEncoder,
    shows_tokens,
)
from pincite.store.catalog.catalog import Catalog
from pincite.verify.statements.entailment import EntailmentModel
from pincite.verify.statements.own_judgement import OwnJudgement

_MEGABYTE = 1024 * 1024

_LATIN = WordShare(others=0.1)
_UNREAD = WordShare(english=0.4, others=0.4)
"""Weights of the question's words in a sentence, with an encoder trained on English: for the script
that it knows, and for others, where it knows single letters at best (docs/retrieval.md)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The open models of a library; None for those it does not use.

    `hot` is the cache of token states for late interaction, `scorer` the result of `open_scorer`,
    `writer` the language model of the modes that need one, `judgement` its own of what it wrote,
    `entailment` the model that checks the statements it writes, `reader` the model that reads quoted
    passages for order and confidence.
    """

    encoder: VectorEncoder | None
    hot: HotPassages | None = None
    scorer: PairScorer | None = None
    writer: LanguageModel | None = None
    judgement: OwnJudgement | None = None
    entailment: EntailmentModel | None = None
    reader: PassageReader | None = None


def hot_passages(
    settings: Settings, catalog: Catalog, encoder: VectorEncoder | None
) -> HotPassages | None:
    """The cache of token states for late interaction; None if the encoder does not provide them."""
    if not shows_tokens(encoder):
        return None
    return HotPassages(
        encoder,
        limit_bytes=settings.rerank.memory_mb * _MEGABYTE,
        stored=partial(catalog.token_codes, model=encoder.name),
    )


def open_scorer(
    settings: Settings, cache: Path, *, language_model: LanguageModel | None = None
) -> PairScorer | None:
    """The model that reads candidates together with the question; None if none is set.

    `cache` is the folder for optimised graphs, `language_model` the one of the group `generation`.
    Raises ModelError if the reranker is not available.
    """
    chosen = settings.rerank
    if chosen.model == "none":
        return None
    if chosen.model == "llm":
        if language_model is None:
            raise ModelError(
                "rerank.model is 'llm', but no language model is set: set generation.model"
            )
        return LanguageModelScorer(language_model, together=chosen.batch_size)
    kind, _, name = chosen.model.partition(":")
    if kind == "plugin":
        return added_scorer(settings, cache)
    if kind == "rerank-server":
        return ServedScorer(
            RerankServer(
                url=chosen.url,
                model=name,
                timeout_seconds=chosen.timeout_seconds,
                retries=chosen.retries,
                batch_size=chosen.batch_size,
            )
        )
    return _cross_encoder(settings, cache)


def _cross_encoder(settings: Settings, cache: Path) -> PairScorer:
    window, threads = settings.rerank.max_tokens, settings.embedding.threads
    runtime = settings.embedding.runtime
    kind, _, name = settings.rerank.model.partition(":")
    if kind == "sentence-transformers":
        return open_torch_cross_encoder(name, max_tokens=window, threads=threads)
    if kind == "fastembed":
        return open_fastembed_cross_encoder(
            name, cache, max_tokens=window, runtime=runtime, threads=threads
        )
    folder = Path(settings.rerank.model).expanduser()
    return open_onnx_cross_encoder(
        folder, cache, max_tokens=window, runtime=runtime, threads=threads
    )


def reranker(
    chosen: RerankSettings, catalog: Catalog, weights: TermWeights, models: Models
) -> Reranker:
    """Builds the reranker of the method, followed by the model that reads candidates, if any."""
    cut = Cut(candidates=chosen.candidates, weight=chosen.weight, threshold=chosen.threshold)
    by_method = partial(_reranker_without_model, chosen.method, catalog, weights, models)
    if models.scorer is None:
        if models.encoder is None or not reads_latin_only(models.encoder.name):
            return by_method(cut)
        foreign = replace(cut, weight=min(chosen.weight, chosen.foreign_weight))
        return ByScript(
            latin=by_method(cut, words=_LATIN),
            other=by_method(foreign, words=_UNREAD, stage="late_unread"),
        )
    return ModelReranker(
        models.scorer,
        first=by_method(replace(cut, threshold=0.0)),
        instead=by_method(cut),
        sources=catalog,
        cut=cut,
    )


def _reranker_without_model(
    method: str,
    catalog: Catalog,
    weights: TermWeights,
    models: Models,
    cut: Cut,
    *,
    words: WordShare = STATES_ALONE,
    stage: str = "late_interaction",
) -> Reranker:
    """`words` and `stage` apply to late interaction only."""
    encoder = models.encoder
    if encoder is None or method == "term_coverage":
        return TermCoverageReranker(catalog, weights, cut)
    if method == "late_interaction" and shows_tokens(encoder) and models.hot is not None:
        return LateInteractionReranker(
            encoder, models.hot, catalog, weights, cut, words=words, stage=stage
        )
    vectors = partial(catalog.sentence_vectors, model=encoder.name)
    return SentenceCosineReranker(encoder, vectors, cut)
