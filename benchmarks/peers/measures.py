"""Figures from what the workers recorded: quality, speed, memory, and ratios between systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, quantiles
from typing import Any

import ir_measures
from ir_measures import nDCG

from benchmarks.peers.collection import Question
from benchmarks.peers.systems import OURS

SETTLES_FOR = 0.005
"""nDCG@10 that counts as equal: less than a question more or less in most sets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Of one number of clients; milliseconds."""

    p50: float
    p95: float
    per_second: float
    asked: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One system, searched in one way.

    `ingest_rate` counts passages per second; `index_rate` the same for encoding and indexing alone,
    where that was measured apart. Memory is that of the process, in MB. `load_before` is the load
    average of the machine before it began.
    """

    system: str
    mode: str
    has_own_vectors: bool
    ingest_rate: float
    index_rate: float | None
    ingest_peak_mb: float
    children_peak_mb: float
    query_peak_mb: float
    disk_mb: float
    latencies: Mapping[str, Latency]
    quality: Mapping[str, float]
    load_before: float

    @property
    def name(self) -> str:
        """As the tables call it."""
        return f"{self.system} ({self.mode})"

    @property
    def mean_quality(self) -> float:
        """Each set counts the same."""
        return mean(self.quality.values())


def rows(result: Mapping[str, Any], questions: Sequence[Question]) -> list[Row]:
    """One row for each way to search that was measured."""
    index_seconds = result.get("encode_and_index_seconds")
    return [
        Row(
            system=result["system"],
            mode=mode,
            has_own_vectors=result["vectors"] == "own",
            ingest_rate=result["passages"] / result["ingest_seconds"],
            index_rate=result["passages"] / index_seconds if index_seconds else None,
            ingest_peak_mb=result["ingest_peak_mb"],
            children_peak_mb=result["children_peak_mb"],
            query_peak_mb=result["query_peak_mb"],
            disk_mb=result["disk_mb"],
            latencies={
                clients: latency(asked) for clients, asked in searched.items() if clients != "found"
            },
            quality=quality(searched["found"], questions),
            load_before=result["load_average"][0],
        )
        for mode, searched in result["searches"].items()
    ]


def latency(asked: Mapping[str, Any]) -> Latency:
    """Median, 95th percentile and questions per second."""
    milliseconds = asked["ms"]
    cuts = quantiles(milliseconds, n=20, method="inclusive") if len(milliseconds) > 1 else None
    return Latency(
        p50=cuts[9] if cuts else milliseconds[0],
        p95=cuts[18] if cuts else milliseconds[0],
        per_second=len(milliseconds) / asked["seconds"],
        asked=len(milliseconds),
    )


def quality(found: Mapping[str, Sequence[str]], questions: Sequence[Question]) -> dict[str, float]:
    """nDCG@10 of each set; a document stands where its first passage stands."""
    sets: dict[str, list[Question]] = {}
    for question in questions:
        sets.setdefault(question.set, []).append(question)
    return {
        name: ir_measures.calc_aggregate(
            [nDCG @ 10],
            {question.id: question.relevant for question in asked},
            {question.id: documents(found.get(question.id, ())) for question in asked},
        )[nDCG @ 10]
        for name, asked in sorted(sets.items())
    }


def documents(passages: Iterable[str]) -> dict[str, float]:
    """A score for each document that falls with the rank of its first passage."""
    scores: dict[str, float] = {}
    for rank, passage in enumerate(passages, start=1):
        scores.setdefault(passage.rpartition("#")[0], 1 / rank)
    return scores


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """Our figure against the best of the others; `goal` is met when `ratio` reaches it."""

    what: str
    ours: float
    best: float
    best_name: str
    ratio: float
    is_met: bool | None


def ratios(table: Sequence[Row]) -> list[Ratio]:
    """Ingest (goal: at least 2), quality (goal: at least equal), median latency (goal: at most .5)."""
    ours = [row for row in table if row.system == OURS]
    peers = [row for row in table if row.system != OURS]
    if not ours or not peers:
        return []
    return [
        *_ingest(ours[0], [row for row in peers if row.has_own_vectors]),
        *(ratio for row in ours for ratio in _asking(row, peers)),
    ]


def _ingest(ours: Row, peers: Sequence[Row]) -> Iterable[Ratio]:
    if not peers:
        return
    best = max(peers, key=lambda row: row.ingest_rate)
    rates = {"ingest, everything": ours.ingest_rate, "encode and index alone": ours.index_rate}
    for what, rate in rates.items():
        if rate is not None:
            yield Ratio(
                what=f"{what}, passages/s",
                ours=rate,
                best=best.ingest_rate,
                best_name=best.name,
                ratio=rate / best.ingest_rate,
                is_met=rate >= 2 * best.ingest_rate,
            )


def _asking(ours: Row, peers: Sequence[Row]) -> Iterable[Ratio]:
    best = max(peers, key=lambda row: row.mean_quality)
    is_as_good = ours.mean_quality >= best.mean_quality - SETTLES_FOR
    yield Ratio(
        what=f"{ours.mode}: mean nDCG@10",
        ours=ours.mean_quality,
        best=best.mean_quality,
        best_name=best.name,
        ratio=ours.mean_quality / best.mean_quality,
        is_met=is_as_good,
    )
    for clients, measured in ours.latencies.items():
        fastest = min(peers, key=lambda row: row.latencies[clients].p50)
        other = fastest.latencies[clients].p50
        yield Ratio(
            what=f"{ours.mode}: p50 ms, {clients} client{'s' if clients != '1' else ''}",
            ours=measured.p50,
            best=other,
            best_name=fastest.name,
            ratio=measured.p50 / other,
            is_met=is_as_good and measured.p50 <= other / 2,
        )
