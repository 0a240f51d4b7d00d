"""Answerable and unanswerable questions of the open sets, with the signals of each answer.

Kinds: `own` (the documents answer), `unanswerable` (asked of these documents, but they do not
answer), `removed` (own, but the answering documents are not searched) and `foreign` (from another
set).
"""

from __future__ import annotations

import hashlib
import json
import pickle
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from open_sets import WORK, collection, load

import pincite
from pincite.assemble.encoders import open_encoder
from pincite.assemble.verifying import open_reader
from pincite.evaluate.datasets import Collection, Dataset, GoldQuestion
from pincite.models.inference.prepared import prepared_folder
from pincite.pipeline import AnswerStages
from pincite.records.document import Span
from pincite.records.filters import Scope
from pincite.records.flow import Evidence, Hit, Question
from pincite.settings.loading import Layer, load_settings
from pincite.store.index.engines import IndexTermWeights
from pincite.verify.abstention.signals import Signals, measure

MOST = 300
MOST_OF = {"squad2-open": 3600, "xquad-open": 150, "legalbench-open": 120, "chunkeval": 120}
MOST_REMOVED = 300
FOREIGN_EACH = 12
LANGUAGES = {"xquad-open": "en"}
NOT_ASKED_ELSEWHERE = ("legalbench-open", "chunkeval")
"""Sets whose questions name their document, which would make them too easy."""
AKIN = (
    {"squad2-open", "xquad-open"},
    {"nq-open", "clapnq-open", "mtrag-un-open"},
)
"""Sets over the same articles: a question of one may be answered by the other."""


PICKING = tuple(
    "answer assemble chunk embed evidence index ingest reading rerank retrieve text".split()
)
"""Folders of the package on which it depends what would be cited."""
KEPT_HITS = 20
"""Of each question; the first ones have all scores."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One question and what would be cited for it; `right` if that holds the gold answer.

    `first` if the first citation does, `short` if the reader's short answer overlaps the gold answer's
    place. `group` is the article that it was asked about.
    """

    kind: str
    question: str
    signals: Signals
    right: bool
    first: bool
    short: bool
    group: str


@dataclass(frozen=True, kw_only=True)
class Found:
    """A question and what would be cited for it, of which the signals are taken."""

    kind: str
    gold: GoldQuestion
    question: Question
    hits: tuple[Hit, ...]
    evidence: tuple[Evidence, ...]


def cases(
    name: str, sets: Sequence[str], overrides: Layer | None = None, most: int | None = None
) -> list[Case]:
    """Every kind of question, asked of one set's library.

    What is found for each is kept for the next run of the same code; signals are taken anew.
    """
    wanted = json.dumps(
        [name, sets, overrides, most, settings_digest(), code_digest()], default=str
    )
    kept = WORK / "cases" / f"{name}-{hashlib.sha256(wanted.encode()).hexdigest()[:12]}.pickle"
    stages = dict(overrides or {})
    # Only another encoder needs a library of its own.
    of_library = {"embedding": stages.pop("embedding")} if "embedding" in stages else {}
    data = load(name)
    with collection(data, of_library) as made:
        asking = Asking(made, stages)
        if not kept.exists():
            pairs = _to_ask(data, sets, most)
            found = [one for kind, q in pairs if (one := asking.found(kind, q))]
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(pickle.dumps(found))
        return [asking.measured(one) for one in pickle.loads(kept.read_bytes())]


def code_digest() -> str:
    """Of this file and of all that finds and picks quotes; what judges them does not count."""
    package = Path(pincite.__file__).parent
    files = [one for folder in PICKING for one in sorted((package / folder).rglob("*.*"))]
    chosen = [Path(__file__), *(one for one in files if one.suffix in (".py", ".toml"))]
    return hashlib.sha256(b"".join(one.read_bytes() for one in chosen)).hexdigest()


def settings_digest() -> str:
    """Of the settings that the benchmarks run under."""
    return load_settings()[0].digest()


def _to_ask(data: Dataset, sets: Sequence[str], most: int | None) -> list[tuple[str, GoldQuestion]]:
    """Questions with their kinds."""
    chance = random.Random(data.name)
    chosen = questions(data, most)
    own = [q for q in chosen if q.answerable is not False and q.relevant]
    asked = [
        ("own" if q.answerable is not False and q.relevant else "unanswerable", q) for q in chosen
    ]
    taken = own if len(own) <= MOST_REMOVED else chance.sample(own, MOST_REMOVED)
    asked += [("removed", q) for q in taken]
    asked += [("foreign", q) for q in _foreign(data.name, sets, chance)]
    return asked


def questions(data: Dataset, most: int | None = None) -> tuple[GoldQuestion, ...]:
    """Those of a set that are asked."""
    limit = MOST_OF.get(data.name, MOST)
    return data.some(min(limit, most or limit), LANGUAGES.get(data.name))


def _foreign(name: str, sets: Sequence[str], chance: random.Random) -> list[GoldQuestion]:
    akin = next((group for group in AKIN if name in group), {name})
    others = [other for other in sets if other not in {*akin, *NOT_ASKED_ELSEWHERE}]
    asked: list[GoldQuestion] = []
    for other in others:
        answerable = [q for q in questions(load(other)) if q.relevant]
        asked += chance.sample(answerable, min(FOREIGN_EACH, len(answerable)))
    return asked


class Asking:
    """Runs the stages up to the draft, with documents left out where wanted."""

    def __init__(self, made: Collection, overrides: Layer) -> None:
        self._made = made
        catalog = made.library.catalog
        self._keys = np.array(catalog.passage_keys())
        passages = catalog.passages([int(key) for key in self._keys])
        self._names = [set(made.names(passages[int(k)].span.document_id)) for k in self._keys]
        self._gone: set[str] = set()
        # The searches themselves must not see what is taken away: scores are scaled by what is found.
        catalog.keys_in = self._keys_in  # type: ignore[method-assign]
        settings = made.library.settings
        changed = {
            group: getattr(settings, group).model_copy(update=dict(values))
            for group, values in overrides.items()
        }
        chosen = settings.model_copy(update=changed)
        self._stages: AnswerStages = made.library.stages_with(chosen)
        prepared = prepared_folder(made.library.path)
        has_encoder = chosen.embedding.model != "none"
        encoder = open_encoder(chosen.embedding, prepared) if has_encoder else None
        self._reader = open_reader(chosen, prepared, encoder)
        indexes, _ = made.library.index_state()
        assert indexes is not None
        self._weights = IndexTermWeights(indexes.lexical, indexes.manifest.languages)

    def case(self, kind: str, gold: GoldQuestion) -> Case | None:
        """None where nothing at all was found: then there is nothing to be sure of."""
        found = self.found(kind, gold)
        return self.measured(found) if found else None

    def found(self, kind: str, gold: GoldQuestion) -> Found | None:
        """What would be cited."""
        stages = self._stages
        question, hits = self.searched(gold.text, without=self._removed(kind, gold))
        evidence = stages.answerer.draft(question, stages.selector.select(question, hits)).evidence
        if not evidence:
            return None
        return Found(
            kind=kind,
            gold=gold,
            question=question,
            hits=tuple(hits[:KEPT_HITS]),
            evidence=tuple(evidence),
        )

    def searched(self, text: str, *, without: set[str]) -> tuple[Question, Sequence[Hit]]:
        """A question as it is understood, and what is found where these documents are left out."""
        stages = self._stages
        self._gone = without
        question = stages.understander.understand(Question(text=text))
        found = stages.retriever.retrieve(question).hits
        return question, stages.reranker.rerank(question, found).hits

    def measured(self, found: Found) -> Case:
        """Its signals, and whether it is right."""
        holds = [found.kind == "own" and self._holds(item, found.gold) for item in found.evidence]
        catalog = self._made.library.catalog
        best = found.evidence[0].span.document_id
        signals = measure(
            found.question,
            [item.narrowed() for item in found.evidence],
            found.hits,
            weights=self._weights,
            sources=catalog,
            reader=self._reader,
        )
        short = signals.read.short if signals.read else None
        return Case(
            kind=found.kind,
            question=found.gold.text,
            signals=signals,
            right=any(holds),
            first=holds[0],
            short=found.kind == "own" and short is not None and self._overlaps(short, found.gold),
            group=self._made.names(best)[0].partition("#")[0],
        )

    def _overlaps(self, short: Span, gold: GoldQuestion) -> bool:
        """Whether a short answer has characters of a gold span."""
        names = self._made.names(short.document_id)
        return any(
            span.document in names and span.start < short.end and short.start < span.end
            for span in gold.spans
        )

    def _removed(self, kind: str, gold: GoldQuestion) -> set[str]:
        """Documents that are not searched."""
        return set(gold.relevant) if kind == "removed" else set()

    def _keys_in(self, scope: Scope) -> NDArray[Any] | None:
        """Keys of the passages whose documents are not taken away."""
        kept: NDArray[Any] | None = None
        if self._gone:
            kept = self._keys[[not names & self._gone for names in self._names]]
        if scope.keys is None:
            return kept
        return np.array([key for key in scope.keys if kept is None or key in kept], dtype=np.int64)

    def _holds(self, item: Evidence, gold: GoldQuestion) -> bool:
        """Whether a quote covers a gold span; where a set has none, whether its document answers."""
        names = self._made.names(item.span.document_id)
        if not gold.spans:
            return bool(set(names) & set(gold.relevant))
        return any(
            span.document in names and item.span.start <= span.start and span.end <= item.span.end
            for span in gold.spans
        )
