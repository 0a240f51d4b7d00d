"""Reranking with models that read question and text together, such as cross-encoders."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from pincite.errors import ModelError
from pincite.models.inference.files import (
    fingerprint,
    is_downloaded,
    name_of_folder,
    not_installed,
    tokenizer_beside,
)
from pincite.models.inference.pairs import PairReader, PairUse, open_pair_reader, window_of
from pincite.models.inference.runtimes import JUDGEMENT
from pincite.models.inference.tokenizer import open_tokenizer, tokenizer_bytes
from pincite.models.inference.torch_models import TorchRuntime, torch_folder, weights_of
from pincite.models.vectors import sigmoid
from pincite.records.flow import Hit, Question, Ranking
from pincite.rerank.order import PASSAGE_SHARE, Cut, final_score, reorder
from pincite.stages import PairScorer, Reranker, Sources


class ModelReranker:
    """Orders the candidates of another reranker by how well a model thinks they answer.

    The other one, `first`, drops nothing. It scores every sentence, and gives the order in which
    the model reads candidates if time is short. A sentence's score moves with its passage's, by a
    third of the difference. If the model fails, `instead` orders the candidates and a notice says
    so.
    """

    def __init__(
        self,
        scorer: PairScorer,
        *,
        first: Reranker,
        instead: Reranker,
        sources: Sources,
        cut: Cut,
    ) -> None:
        self._scorer = scorer
        self._first = first
        self._instead = instead
        self._sources = sources
        self._cut = cut

    def rerank(self, question: Question, hits: Sequence[Hit]) -> Ranking:
        """The first candidates with new scores in a new order, then the rest as they were."""
        compared = self._first.rerank(_with_half_of_the_time(question), hits)
        candidates, rest = self._cut.split(compared.hits)
        try:
            judged = self._judged(question, candidates)
        except ModelError as error:
            ranking = self._instead.rerank(question, hits)
            notice = f"reranked without {self._scorer.name.partition('#')[0]}: {error}"
            return replace(ranking, notices=(*ranking.notices, notice))
        came_with = {hit.passage.id: hit.score for hit in hits}
        scored = [
            self._scored(hit, came_with[hit.passage.id], score)
            for hit, score in zip(candidates, judged, strict=False)
        ]
        missed = candidates[len(judged) :]
        ranking = reorder(scored, [*missed, *rest], stage=self._scorer.kind, cut=self._cut)
        notice = (
            f"time budget: {len(judged)} of {len(candidates)} candidates were read by the model"
        )
        return replace(ranking, notices=(*compared.notices, notice) if missed else compared.notices)

    def _judged(self, question: Question, hits: Sequence[Hit]) -> list[float]:
        """Scores of the hits in order, for as many as there is time for; at least one batch."""
        texts = [hit.passage.with_context(self._sources.text_of(hit.passage.span)) for hit in hits]
        step = len(texts) if question.deadline is None else self._scorer.together
        scores: list[float] = []
        seconds = 0.0
        while len(scores) < len(texts) and (
            question.deadline is None
            or not scores
            or time.perf_counter() + seconds <= question.deadline
        ):
            started = time.perf_counter()
            some = texts[len(scores) : len(scores) + step]
            scores += self._scorer.score(question.asked, some)
            seconds = time.perf_counter() - started
        return scores

    def _scored(self, hit: Hit, came_with: float, score: float) -> Hit:
        scored = hit.moved(came_with, **{self._scorer.kind: score})
        total = final_score(scored, stage=self._scorer.kind, cut=self._cut)
        moved = PASSAGE_SHARE * (total - hit.score)
        return replace(
            scored,
            sentence_scores=tuple(min(1.0, max(0.0, s + moved)) for s in hit.sentence_scores),
        )


def _with_half_of_the_time(question: Question) -> Question:
    if question.deadline is None:
        return question
    return replace(question, deadline=(time.perf_counter() + question.deadline) / 2)


# Cross-encoders: one transformer reads question and text together (Nogueira and Cho 2019).


class CrossEncoder:
    """A transformer that reads question and text together (Nogueira and Cho 2019).

    A model with one value gives a logit, whose sigmoid is the score; one with two gives logits of
    "no" and "yes", and the score is the probability of "yes". A text read in several windows gets
    the score of its best window.
    """

    kind = "cross_encoder"
    together = 4
    """Batch size, in texts: enough to keep every core busy."""

    def __init__(self, pairs: PairReader) -> None:
        """Raises ModelError for a model with more than two values for a pair."""
        if pairs.values not in (1, 2):
            raise ModelError(
                f"{pairs.name}: gives {pairs.values} values for a pair, and a reranker gives 1, or 2 "
                "(no, yes): this model is for something else"
            )
        self.name = pairs.name
        self.runtime = pairs.runtime
        self._pairs = pairs

    def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """One in 0..1 for each text, in order."""
        read = self._pairs.read(question, texts)
        return [max(_probability(logits) for logits in windows) for windows in read]


def _probability(logits: NDArray[Any]) -> float:
    return sigmoid(float(logits[0] if len(logits) == 1 else logits[1] - logits[0]))


# Opens cross-encoders: an ONNX folder, what fastembed has downloaded, or a PyTorch model.

_USE = PairUse(setting="rerank.model", recipe="cross-encoder/1", first="short")
"""The recipe number changes with the preparation of pairs, which changes scores."""


def open_onnx_cross_encoder(
    place: Path, cache: Path, *, max_tokens: int, runtime: str = "auto", threads: int = 0
) -> CrossEncoder:
    """Opens the cross-encoder in a folder, or an .onnx file in one. `cache` stores optimised graphs.

    Raises ModelError if something is missing or cannot be run.
    """
    return CrossEncoder(
        open_pair_reader(
            place,
            cache,
            _USE,
            max_tokens=max_tokens,
            runtime=runtime,
            threads=threads,
        )
    )


def open_fastembed_cross_encoder(
    name: str, cache: Path, *, max_tokens: int, runtime: str = "auto", threads: int = 0
) -> CrossEncoder:
    """Opens a cross-encoder by a name such as Xenova/ms-marco-MiniLM-L-6-v2.

    Raises ModelError for a name that fastembed does not know, and for a model that it has not
    downloaded yet: nothing is downloaded here.
    """
    try:
        from fastembed.rerank.cross_encoder import TextCrossEncoder
    except ImportError as error:
        raise not_installed(name) from error
    fetch = "from fastembed.rerank.cross_encoder import TextCrossEncoder; TextCrossEncoder('NAME')"
    _, file = is_downloaded(
        TextCrossEncoder.CROSS_ENCODER_REGISTRY, name, called="cross-encoder", fetch=fetch
    )
    return open_onnx_cross_encoder(
        file, cache, max_tokens=max_tokens, runtime=runtime, threads=threads
    )


def open_torch_cross_encoder(name: str, *, max_tokens: int, threads: int = 0) -> CrossEncoder:
    """Opens the cross-encoder in a folder, or by a name in the local model cache.

    Raises ModelError if it is missing: nothing is downloaded.
    """
    folder = torch_folder(name, owner="cross-encoder")
    runtime = TorchRuntime(folder, threads=threads, wanted=JUDGEMENT)
    tokenizer = tokenizer_beside(folder)
    window = window_of(folder, max_tokens)
    parts = [
        *weights_of(folder),
        tokenizer_bytes(tokenizer),
        str(window).encode(),
        _USE.recipe.encode(),
    ]
    return CrossEncoder(
        PairReader(
            name=f"{name_of_folder(folder)}#{fingerprint(parts)}",
            tokenizer=open_tokenizer(tokenizer),
            runtime=runtime,
            max_tokens=window,
            use=_USE,
        )
    )
