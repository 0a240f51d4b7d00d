"""Writes the page of results from the runs of all sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from statistics import mean
from typing import Any

from pincite.evaluate.compare import paired

ORDER = ("bm25", "dense", "fused", "default")
OTHERS = ORDER[:-1]
_COLOURS = {"bm25": "#c58a2b", "dense": "#4f8a5b", "fused": "#7aa6d8", "default": "#1a1a1a"}
_ANSWERS = {
    "answered": "answered",
    "answered_unanswerable": "unanswerable answered",
    "answer_precision": "answer precision",
    "citation_precision": "citation precision",
    "citation_recall": "citation recall",
    "first_citation_holds_gold": "first citation right",
    "any_citation_holds_gold": "any citation right",
    "token_f1": "token F1",
    "abstention_auroc": "abstention AUROC",
    "redundancy_before_selection": "redundancy before selection",
    "redundancy": "redundancy",
}

Run = Mapping[str, Any]


def page(
    runs: Sequence[Run],
    *,
    left_out: Mapping[str, str],
    machine: str,
    command: str,
    figure: str,
    current: str,
) -> str:
    """Markdown: measures with intervals, where default loses, answers, times."""
    stale = [name_of(run) for run in runs if run["made_of"]["code"] != current]
    parts = [
        "# Results on the open sets\n",
        f"Written by `{command}`, on {machine}. Each document of a set is one file; a document is as "
        "good as its best passage. ± is half of a 95 % bootstrap interval over questions. **Bold**: "
        "the best of BM25, dense and fused. Nothing was tuned to a single set.\n",
        *([f"Measured by an earlier version of the code: {', '.join(stale)}.\n"] if stale else []),
        f"![nDCG@10 of each set]({figure})\n",
        *_measure(runs, "nDCG@10"),
        *_measure(runs, "R@5"),
        *_losses(runs),
        *_languages(runs),
        *_answers(runs),
        *_times(runs),
    ]
    if noted := [(name_of(run), note) for run in runs for note in run["report"]["notes"]]:
        parts += ["## What the sets lack\n", *(f"- {name}: {note}" for name, note in noted), ""]
    if left_out:
        parts += ["## Sets left out\n", *(f"- {name}: {why}" for name, why in left_out.items())]
    return "\n".join(parts).rstrip() + "\n"


def name_of(run: Run) -> str:
    """The name of the set."""
    return str(run["report"]["dataset"])


def _measure(runs: Sequence[Run], measure: str) -> Iterator[str]:
    yield f"## {measure}\n"
    yield from _head("set", "documents", "questions", *ORDER)
    for run in runs:
        report = run["report"]
        best = max(OTHERS, key=lambda name: report["configurations"][name][measure])
        cells = (
            _with_interval(report["configurations"][name], measure, bold=name == best)
            for name in ORDER
        )
        asked = sum("default" in row for row in run["questions"])
        yield _row(name_of(run), f"{report['documents']:,}", f"{asked:,}", *cells)
    means = (mean(run["report"]["configurations"][name][measure] for run in runs) for name in ORDER)
    yield _row("**mean over sets**", "", "", *(f"{value:.3f}" for value in means)) + "\n"


def _with_interval(found: Mapping[str, Any], measure: str, *, bold: bool) -> str:
    low, high = found["intervals"][measure]
    value = f"**{found[measure]:.3f}**" if bold else f"{found[measure]:.3f}"
    return f"{value} ±{(high - low) / 2:.3f}"


def _losses(runs: Sequence[Run]) -> Iterator[str]:
    """Sets on which one of the others is better, question by question."""
    yield "## Where default loses\n"
    lost = []
    for measure in ("nDCG@10", "R@5"):
        for run in runs:
            found = run["report"]["configurations"]
            best = max(OTHERS, key=lambda name: found[name][measure])
            if found["default"][measure] < found[best][measure]:
                pairs = [
                    (row[best][measure], row["default"][measure])
                    for row in run["questions"]
                    if "default" in row
                ]
                lost.append((name_of(run), measure, best, paired(pairs)))
    if not lost:
        yield "Nowhere: on every set it is at least as good as the best of the others.\n"
        return
    yield from _head(
        "set", "measure", "best other", "its value", "default", "difference", "better", "worse"
    )
    for name, measure, best, found in lost:
        low, high = found["interval"]
        mark = ", clear" if found["clear"] else ""
        yield _row(
            name,
            measure,
            best,
            f"{found['first']:.3f}",
            f"{found['second']:.3f}",
            f"{found['difference']:+.3f} [{low:+.3f}, {high:+.3f}]{mark}",
            str(found["better"]),
            str(found["worse"]),
        )
    yield (
        "\nDifferences are paired by question; 'clear' where the 95 % interval does not hold 0; "
        "'better' and 'worse' count questions.\n"
    )


def _languages(runs: Sequence[Run]) -> Iterator[str]:
    spoken = [run for run in runs if run["report"]["languages"]]
    if spoken:
        yield "## nDCG@10 by language\n"
        yield from _head("set", "language", *ORDER)
    for run in spoken:
        for language, found in run["report"]["languages"].items():
            cells = (_number(found[name]) for name in ORDER)
            yield _row(name_of(run), language, *cells)
    if spoken:
        yield ""


def _answers(runs: Sequence[Run]) -> Iterator[str]:
    """Answers of default; a dash where the set has no gold for it."""
    yield "## Answers\n"
    yield from _head("set", *_ANSWERS.values())
    for run in runs:
        found = run["report"]["answers"]
        yield _row(name_of(run), *(_number(found[name]) for name in _ANSWERS))
    yield (
        "\nA citation is right when it covers a gold span, or, where a set has none, holds the words "
        "of a gold answer: references that are whole sentences are then seldom held. Precision and "
        "recall of citations are by document (docs/evaluation.md).\n"
    )


def _times(runs: Sequence[Run]) -> Iterator[str]:
    """Medians; what else the machine did at that time is in them."""
    yield "## Median milliseconds of a search, and of the stages of an answer\n"
    stages = list(runs[0]["report"]["answers"]["stages_ms"]) if runs else []
    yield from _head("set", *ORDER, *(f"answer: {stage}" for stage in stages))
    for run in runs:
        report = run["report"]
        searches = (_number(report["configurations"][name]["p50_ms"], 1) for name in ORDER)
        measured = report["answers"]["stages_ms"]
        yield _row(
            name_of(run), *searches, *(_number(measured[stage]["p50"], 1) for stage in stages)
        )
    yield ""


def plot(runs: Sequence[Run]) -> str:
    """nDCG@10 of each set as an SVG: a line for each set, a dot for each configuration."""
    left, right, step, top = 170, 24, 22, 56
    width, height = 720, top + step * len(runs) + 30
    length = width - left - right

    def x(value: float) -> float:
        return left + length * value

    shapes = [
        f"<line x1='{x(tick):.0f}' x2='{x(tick):.0f}' y1='{top - 12}' y2='{height - 26}' "
        f"stroke='#ddd'/><text x='{x(tick):.0f}' y='{height - 8}' text-anchor='middle'>{tick:g}</text>"
        for tick in (0, 0.25, 0.5, 0.75, 1)
    ]
    for number, name in enumerate(ORDER):
        place = left + 110 * number
        shapes.append(
            f"<circle cx='{place}' cy='20' r='5' fill='{_COLOURS[name]}'/>"
            f"<text x='{place + 10}' y='24'>{name}</text>"
        )
    for number, run in enumerate(runs):
        middle = top + step * number
        found = run["report"]["configurations"]
        shapes.append(
            f"<text x='{left - 10}' y='{middle + 4}' text-anchor='end'>{escape(name_of(run))}</text>"
            f"<line x1='{left}' x2='{left + length}' y1='{middle}' y2='{middle}' stroke='#eee'/>"
        )
        shapes += [
            f"<circle cx='{x(found[name]['nDCG@10']):.1f}' cy='{middle}' r='5' "
            f"fill='{_COLOURS[name]}' fill-opacity='.85'>"
            f"<title>{escape(name_of(run))}, {name}: {found[name]['nDCG@10']:.3f}</title></circle>"
            for name in ORDER
        ]
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' "
        f"height='{height}' role='img' aria-label='nDCG@10 of each set'>"
        "<style>text{font:12px system-ui,sans-serif;fill:#333}</style>"
        f"<rect width='{width}' height='{height}' fill='#fff'/>{''.join(shapes)}</svg>\n"
    )


def _head(*names: str) -> Iterator[str]:
    yield _row(*names)
    yield "|" + "---|" * len(names)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _number(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
