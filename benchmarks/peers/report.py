"""The page with the tables: docs/peers.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.peers.measures import SETTLES_FOR, Ratio, Row, ratios
from benchmarks.peers.systems import OURS, SYSTEMS

INTRODUCTION = """# Beside other systems

The same passages, questions, weights (all-MiniLM-L6-v2) and cores for every system; each in a
process of its own, as its documentation recommends (`benchmarks/peers/systems` names the pages).
Passages are given as they are, so that nobody's splitter counts. Made by

<!-- not run: takes long, and needs the data sets -->
```sh
python -m benchmarks.peers.run --markdown docs/peers.md
```

which `benchmarks/peers/README.md` explains. nDCG@10 is over documents: a document stands where its
first passage stands among the ten asked for. Latency is that of one call to the system's search,
question encoded, in milliseconds; `per s` is questions answered per second by all clients together.
Memory is the peak of the process (for Pincite also of its reader processes, after the plus).
"""


def page(sections: Sequence[str]) -> str:
    """The whole page."""
    return "\n".join([INTRODUCTION, *sections]).rstrip() + "\n"


def section(
    facts: Mapping[str, Any], results: Sequence[Mapping[str, Any]], table: list[Row]
) -> str:
    """Everything about one collection."""
    is_shared = any(result["vectors"] == "shared" for result in results)
    given = ", vectors given to the peers" if is_shared else ""
    lines = [
        f"## {facts['passages']:,} passages{given}",
        "",
        f"`{facts['options']}{' --vectors shared' if is_shared else ''}`",
        "",
        *_facts(facts, results),
        "",
        *_speed(table),
        "",
        "nDCG@10 by set:",
        "",
        *_quality(table),
        "",
        *_ratios("Pincite against the best of the others in each line:", ratios(table)),
        *_against_plain(table),
        *_versions(results),
    ]
    return "\n".join(lines) + "\n"


def _facts(facts: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    counts = ", ".join(f"{name} {count}" for name, count in facts["passages_by_set"].items())
    yield (
        f"{facts['questions']} questions; {facts['mean_tokens']:.0f} tokens a passage on average. "
        f"Passages by origin: {counts}."
    )
    yield ""
    runs = len({result["run"] for result in results})
    cores = " and ".join(map(str, sorted({result["cores"] for result in results})))
    yield (
        f"{facts['processor']}, {cores} cores used; "
        + ("all from one run." if runs == 1 else f"put together from {runs} runs.")
        + " `load` is the load average of the machine before the system began. The system before it "
        "leaves up to the number of cores; what is above was slowed down by other work."
    )


def _speed(table: Sequence[Row]) -> Iterator[str]:
    clients = list(table[0].latencies) if table else []
    heads = ["system", "ingest passages/s"]
    for count in clients:
        heads += [f"p50, {count} cl.", f"p95, {count} cl.", f"per s, {count} cl."]
    yield from _head([*heads, "ingest MB", "query MB", "disk MB", "nDCG@10", "load"])
    for row in table:
        children = f" + {row.children_peak_mb:.0f}" if row.children_peak_mb else ""
        cells = [row.name, _rate(row)]
        for count in clients:
            measured = row.latencies[count]
            cells += [f"{measured.p50:.1f}", f"{measured.p95:.1f}", f"{measured.per_second:.1f}"]
        cells += [f"{row.ingest_peak_mb:.0f}{children}", f"{row.query_peak_mb:.0f}"]
        cells += [f"{row.disk_mb:.0f}", f"{row.mean_quality:.3f}", f"{row.load_before:.1f}"]
        yield _line(cells)


def _rate(row: Row) -> str:
    if not row.has_own_vectors:
        return f"(index only: {row.ingest_rate:.0f})"
    alone = f" (encode and index alone: {row.index_rate:.0f})" if row.index_rate else ""
    return f"{row.ingest_rate:.0f}{alone}"


def _quality(table: Sequence[Row]) -> Iterator[str]:
    sets = list(table[0].quality) if table else []
    yield from _head(["system", *sets, "mean"])
    for row in table:
        figures = [*(row.quality[name] for name in sets), row.mean_quality]
        yield _line([row.name, *(f"{figure:.3f}" for figure in figures)])


def _against_plain(table: Sequence[Row]) -> Iterator[str]:
    plain = [row for row in table if not SYSTEMS[row.system].is_variant]
    if len(plain) < len(table):
        yield from _ratios(
            "The same against others as their documentation shows them first:", ratios(plain)
        )


def _ratios(told: str, found: Sequence[Ratio]) -> Iterator[str]:
    if not found:
        return
    yield told
    yield ""
    yield from _head(["what", OURS, "best other", "which", "ratio", "goal"])
    for ratio in found:
        digits = 3 if ratio.best < 1 else 1
        yield _line(
            [
                ratio.what,
                f"{ratio.ours:.{digits}f}",
                f"{ratio.best:.{digits}f}",
                ratio.best_name,
                f"{ratio.ratio:.2f}",
                "met" if ratio.is_met else "not met",
            ]
        )
    yield ""
    yield (
        "Goals: ingest at least 2 times the best other, median latency at most half of the "
        f"fastest other at equal or better nDCG@10 (equal: within {SETTLES_FOR})."
    )
    yield ""


def _versions(results: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "What was measured:"
    yield ""
    for result in results:
        versions = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
        yield f"- {result['system']}: {SYSTEMS[result['system']].about} ({versions})"


def _head(cells: Sequence[str]) -> Iterator[str]:
    yield _line(cells)
    yield "|" + "|".join("---" for _ in cells) + "|"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
