"""Plots how indexes grow with a library, as SVG."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

_WIDTH, _HEIGHT, _LEFT, _BELOW = 330, 260, 56, 40
_COLOURS = ("#0a6", "#c50", "#06c", "#a0a", "#888", "#b90")
_PANELS: Mapping[str, Callable[[Any], float]] = {
    "p95 of dense + lexical + fusion, ms": lambda run: run["fused"]["p95"],
    "memory of the indexes, MB": lambda run: run["memory_mb"],
    "time to open, s": lambda run: run["open_s"],
}

Points = Sequence[tuple[float, float]]
"""Sizes, ascending, and what was measured at each."""


def growth(results: Sequence[Any]) -> str:
    """Three panels over the number of passages, both axes logarithmic."""
    return panels(
        {
            title: {"": [(float(run["passages"]), float(value(run))) for run in results]}
            for title, value in _PANELS.items()
        }
    )


def panels(drawn: Mapping[str, Mapping[str, Points]]) -> str:
    """A panel for each title, with a line for each name; names are beneath."""
    names = list(dict.fromkeys(name for series in drawn.values() for name in series))
    colours = dict(zip(names, _COLOURS, strict=False))
    parts = [
        f'<g transform="translate({place * _WIDTH} 0)">{_panel(title, series, colours)}</g>'
        for place, (title, series) in enumerate(drawn.items())
    ]
    width = _WIDTH * len(drawn) + _BELOW  # the last number stands over the edge of its panel
    height = _HEIGHT
    if any(names):
        height += 20
        parts += [
            f'<text x="{_LEFT + place * 200}" y="{_HEIGHT + 6}" fill="{colour}" '
            f'font-weight="600">{name}</text>'
            for place, (name, colour) in enumerate(colours.items())
        ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="system-ui,sans-serif" font-size="12" fill="#333">'
        f'<rect width="{width}" height="{height}" fill="#fff"/>{"".join(parts)}</svg>\n'
    )


def _panel(title: str, series: Mapping[str, Points], colours: Mapping[str, str]) -> str:
    every = [point for points in series.values() for point in points]
    sizes = sorted({size for size, _ in every})
    x, y, powers = _scales(sizes, [max(value, 1e-3) for _, value in every])
    parts = [f'<text x="{_LEFT}" y="20" font-weight="600">{title}</text>']
    parts += [
        f'<path d="M{_LEFT} {y(10**power):.1f}H{_WIDTH - 24}" stroke="#ddd"/>'
        f'<text x="{_LEFT - 6}" y="{y(10**power) + 4:.1f}" text-anchor="end">{10.0**power:g}</text>'
        for power in powers
    ]
    parts += [
        f'<text x="{x(size):.1f}" y="{_HEIGHT - 20}" text-anchor="middle">{size:,.0f}</text>'
        for size in sizes
    ]
    for name, points in series.items():
        placed = [(x(size), y(max(value, 1e-3)), value) for size, value in points]
        parts += _line(placed, colours[name])
    return "".join(parts)


def _scales(
    sizes: Sequence[float], values: Sequence[float]
) -> tuple[Callable[[float], float], Callable[[float], float], Iterable[int]]:
    """Where sizes and values stand, and the powers of ten between."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    high = max(high, low + 1)
    first, last = math.log10(sizes[0]), math.log10(sizes[-1])

    def x(size: float) -> float:
        share = (math.log10(size) - first) / ((last - first) or 1)
        return _LEFT + (_WIDTH - _LEFT - 24) * share

    def y(number: float) -> float:
        share = (math.log10(number) - low) / (high - low)
        return _HEIGHT - _BELOW - share * (_HEIGHT - _BELOW - 40)

    return x, y, range(low, high + 1)


def _line(placed: Sequence[tuple[float, float, float]], colour: str) -> list[str]:
    points = " ".join(f"{left:.1f},{top:.1f}" for left, top, _ in placed)
    line = f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
    return [line] + [
        f'<circle cx="{left:.1f}" cy="{top:.1f}" r="4" fill="{colour}"/>'
        f'<text x="{left:.1f}" y="{top - 9:.1f}" text-anchor="middle">{value:.4g}</text>'
        for left, top, value in placed
    ]
