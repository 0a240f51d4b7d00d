"""A run as one self-contained HTML page with plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from pincite.evaluate.answer_measures import GROUPS
from pincite.evaluate.judge import JUDGED
from pincite.evaluate.measures import RANKING

_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a}
body{overflow-wrap:break-word}
table{border-collapse:collapse;margin:1rem 0}th,td{padding:.3rem .8rem;border-bottom:1px solid #ddd}
th,td{text-align:right;white-space:nowrap}th:first-child,td:first-child{text-align:left}small{color:#666}
.wide{overflow-x:auto}svg{max-width:100%;height:auto}text{font:12px system-ui,sans-serif;fill:#333}
"""
_WIDTH, _HEIGHT, _MARGIN = 640, 300, 48
_LABELS, _BAR, _LONGEST_LABEL = 190, 28, 28
_HEADS = ("", *RANKING, "p50 ms", "p95 ms", "per second", "peak MB")
_TICKS = (0, 0.25, 0.5, 0.75, 1)
_NOT_RUN = {"p50": None, "p95": None}


def page(form: Mapping[str, Any]) -> str:
    """The page for a report from `report_form`."""
    configurations = form["configurations"]
    curve = form["answers"]["risk_coverage"]
    parts = [
        f"<h1>{escape(form['dataset'])}</h1>",
        f"<p>{form['documents']:,} documents, {form['queries']:,} questions.</p>",
        *(f"<p><small>{escape(note)}</small></p>" for note in form["notes"]),
        "<h2>Finding</h2>",
        _table(configurations),
        _bars(configurations),
        "<h3>Milliseconds of each stage</h3>",
        _stages({name: found["stages_ms"] for name, found in configurations.items()}),
        *(_languages(form["languages"]) if form["languages"] else ()),
        "<h2>Answering</h2>",
        f"<p>Answers of the configuration {escape(form['answers_from'])}.</p>",
        _answers(form["answers"]),
        *(_judged(form["judged"]) if form["judged"] else ()),
        _stages({"milliseconds": form["answers"]["stages_ms"]}),
        "<p>Answers per second: {}; peak memory: {} MB.</p>".format(*_cost(form["answers"])),
    ]
    if curve:
        parts += [
            "<h3>Wrong answers against questions answered</h3>",
            "<p><small>Each point is a threshold of confidence; an answer counts as right when one "
            "of its citations contains the gold answer.</small></p>",
            _curve(curve),
        ]
    body = "\n".join(parts)
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width'>"
        f"<title>{escape(form['dataset'])} - Pincite evaluation</title>"
        f"<style>{_STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def _table(configurations: Mapping[str, Any]) -> str:
    heads = "".join(f"<th>{name}</th>" for name in _HEADS)
    rows = "".join(
        f"<tr><td>{escape(name)}</td>"
        + "".join(_measured(found, measure) for measure in RANKING)
        + f"<td>{_number(found['p50_ms'], 1)}</td><td>{_number(found['p95_ms'], 1)}</td>"
        + "<td>{}</td><td>{}</td></tr>".format(*_cost(found))
        for name, found in configurations.items()
    )
    return _wide(f"<table><tr>{heads}</tr>{rows}</table>")


def _measured(found: Mapping[str, Any], measure: str) -> str:
    edges = found["intervals"].get(measure) if found[measure] is not None else None
    interval = "<br><small>{:.3f}–{:.3f}</small>".format(*edges) if edges else ""
    return f"<td>{_number(found[measure], 3)}{interval}</td>"


def _cost(found: Mapping[str, Any]) -> tuple[str, str]:
    """Questions per second and peak memory in MB, as text."""
    return _number(found["queries_per_second"], 1), _number(found["peak_memory_mb"], 0)


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _stages(measured: Mapping[str, Any]) -> str:
    """Median and 95th percentile of each stage, a row for each configuration."""
    names = dict.fromkeys(stage for stages in measured.values() for stage in stages)
    heads = "".join(f"<th>{escape(name)}<br><small>p50 / p95</small></th>" for name in names)
    rows = "".join(
        f"<tr><td>{escape(name)}</td>"
        + "".join(
            f"<td>{_number(stage['p50'], 1)} / {_number(stage['p95'], 1)}</td>"
            for stage in (stages.get(name, _NOT_RUN) for name in names)
        )
        + "</tr>"
        for name, stages in measured.items()
    )
    return _wide(f"<table><tr><th></th>{heads}</tr>{rows}</table>")


def _languages(languages: Mapping[str, Mapping[str, float | None]]) -> list[str]:
    names = list(next(iter(languages.values())))
    heads = "".join(f"<th>{escape(name)}</th>" for name in ("", *names))
    rows = "".join(
        f"<tr><td>{escape(language)}</td>"
        + "".join(f"<td>{_number(found[name], 3)}</td>" for name in names)
        + "</tr>"
        for language, found in languages.items()
    )
    return ["<h3>nDCG@10 by language</h3>", _wide(f"<table><tr>{heads}</tr>{rows}</table>")]


def _answers(answers: Mapping[str, Any]) -> str:
    rows = "".join(
        f"<tr><th colspan='2'>{escape(head)}</th></tr>"
        + "".join(
            f"<tr><td>{escape(name.replace('_', ' '))}</td>{_measured(answers, name)}</tr>"
            for name in names
        )
        for head, names in GROUPS.items()
    )
    return _wide(f"<table>{rows}</table>")


def _judged(judged: Mapping[str, Any]) -> list[str]:
    """A judge's measures, the numbers judged and not judged, and its agreement with the labels."""
    heads = "".join(f"<th>{name}</th>" for name in ("", "measured", "judged", "not judged"))
    rows = "".join(
        f"<tr><td>{escape(name.replace('_', ' '))}</td>{_measured(judged, name)}"
        f"<td>{judged['judged'][name]}</td><td>{judged['not_judged'][name]}</td></tr>"
        for name in JUDGED
    )
    found = judged["agreement"]
    return [
        f"<h3>Judged by {escape(judged['by'])}</h3>",
        _wide(f"<table><tr>{heads}</tr>{rows}</table>"),
        f"<p><small>Agreement of the model with the set's labels over {found['passages']:,} passages: "
        f"{_number(found['share'], 3)}; beyond chance (Cohen's kappa): "
        f"{_number(found['kappa'], 3)}.</small></p>",
    ]


def _wide(table: str) -> str:
    """A table that scrolls separately in narrow windows."""
    return f"<div class='wide'>{table}</div>"


def _bars(configurations: Mapping[str, Any]) -> str:
    """A bar chart of nDCG@10 with intervals, one bar for each configuration."""
    height = _BAR * len(configurations) + 2 * _BAR
    length = _WIDTH - _LABELS - _MARGIN
    grid = "".join(
        f"<line x1='{_LABELS + length * tick:.1f}' x2='{_LABELS + length * tick:.1f}' y1='{_BAR}' "
        f"y2='{height - _BAR}' stroke='#ddd'/><text x='{_LABELS + length * tick:.1f}' "
        f"y='{height - 8}' text-anchor='middle'>{tick:g}</text>"
        for tick in _TICKS
    )
    shapes = []
    for number, (name, found) in enumerate(configurations.items(), start=1):
        value = found["nDCG@10"] or 0.0
        low, high = found["intervals"]["nDCG@10"]
        top = _BAR * number
        shapes.append(
            f"<text x='{_LABELS - 8}' y='{top + 19}' text-anchor='end'>{escape(_cut(name))}</text>"
            f"<rect x='{_LABELS}' y='{top + 4}' width='{length * value:.1f}' height='{_BAR - 8}' "
            f"fill='#7aa6d8'><title>{escape(name)} {value:.3f}</title></rect>"
            f"<line x1='{_LABELS + length * low:.1f}' x2='{_LABELS + length * high:.1f}' "
            f"y1='{top + _BAR / 2}' y2='{top + _BAR / 2}' stroke='#1a1a1a' stroke-width='2'/>"
            f"<text x='{_WIDTH - 4}' y='{top + 19}' text-anchor='end'>{value:.3f}</text>"
        )
    return (
        f"<svg viewBox='0 0 {_WIDTH} {height}' width='{_WIDTH}' height='{height}' role='img' "
        f"aria-label='nDCG@10'><text x='{_LABELS}' y='16'>nDCG@10</text>{grid}{''.join(shapes)}</svg>"
    )


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST_LABEL else f"{name[: _LONGEST_LABEL - 1]}…"


def _curve(points: Sequence[Sequence[float]]) -> str:
    path = " ".join(
        f"{'L' if number else 'M'}{_x(answered):.1f},{_y(wrong):.1f}"
        for number, (answered, wrong) in enumerate(points)
    )
    label = (
        f"<text x='{_WIDTH - _MARGIN}' y='{_HEIGHT - 8}' text-anchor='end'>share answered</text>"
    )
    line = f"<path d='{path}' fill='none' stroke='#b3442e' stroke-width='2'/>"
    return _plot("share wrong among answered", [line, label])


def _plot(title: str, shapes: Sequence[str]) -> str:
    ticks = "".join(
        f"<line x1='{_MARGIN}' x2='{_WIDTH - _MARGIN}' y1='{_y(value):.1f}' y2='{_y(value):.1f}' "
        f"stroke='#ddd'/><text x='{_MARGIN - 6}' y='{_y(value) + 4:.1f}' text-anchor='end'>"
        f"{value:g}</text>"
        f"<line x1='{_x(value):.1f}' x2='{_x(value):.1f}' y1='{_y(0):.1f}' y2='{_y(0) + 5:.1f}' "
        f"stroke='#333'/><text x='{_x(value):.1f}' y='{_y(0) + 18:.1f}' text-anchor='middle'>"
        f"{value:g}</text>"
        for value in _TICKS
    )
    return (
        f"<svg viewBox='0 0 {_WIDTH} {_HEIGHT}' width='{_WIDTH}' height='{_HEIGHT}' role='img' "
        f"aria-label='{escape(title)}'><text x='{_MARGIN}' y='24'>{escape(title)}</text>"
        f"{ticks}{''.join(shapes)}</svg>"
    )


def _x(value: float) -> float:
    return _MARGIN + value * (_WIDTH - 2 * _MARGIN)


def _y(value: float) -> float:
    return _HEIGHT - _MARGIN - value * (_HEIGHT - 2 * _MARGIN)
