"""Plots how the indexes grow with a library, as SVG."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

_WIDTH, _HEIGHT, _LEFT, _BELOW = 330, 260, 56, 40
_PANELS: tuple[tuple[str, Callable[[Any], float]], ...] = (
    ("p95 of dense + lexical + fusion, ms", lambda run: run["fused"]["p95"]),
    ("memory of the indexes, MB", lambda run: run["memory_mb"]),
    ("time to open, s", lambda run: run["open_s"]),
)


def growth(results: Sequence[Any]) -> str:
    """Three panels over the number of passages, both axes logarithmic."""
    panels = "".join(
        f'<g transform="translate({place * _WIDTH} 0)">{_panel(title, value, results)}</g>'
        for place, (title, value) in enumerate(_PANELS)
    )
    width = _WIDTH * len(_PANELS) + _BELOW  # the last number stands over the edge of its panel
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {_HEIGHT}" '
        f'font-family="system-ui,sans-serif" font-size="12" fill="#333">'
        f'<rect width="{width}" height="{_HEIGHT}" fill="#fff"/>{panels}</svg>\n'
    )


def _panel(title: str, value: Callable[[Any], float], results: Sequence[Any]) -> str:
    sizes = [float(run["passages"]) for run in results]
    values = [max(float(value(run)), 1e-3) for run in results]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    high = max(high, low + 1)

    def x(size: float) -> float:
        first, last = math.log10(sizes[0]), math.log10(sizes[-1])
        return _LEFT + (_WIDTH - _LEFT - 24) * (math.log10(size) - first) / ((last - first) or 1)

    def y(number: float) -> float:
        share = (math.log10(number) - low) / (high - low)
        return _HEIGHT - _BELOW - share * (_HEIGHT - _BELOW - 40)

    points = [(x(size), y(number)) for size, number in zip(sizes, values, strict=True)]
    parts = [f'<text x="{_LEFT}" y="20" font-weight="600">{title}</text>']
    parts += [
        f'<path d="M{_LEFT} {y(10**power):.1f}H{_WIDTH - 24}" stroke="#ddd"/>'
        f'<text x="{_LEFT - 6}" y="{y(10**power) + 4:.1f}" text-anchor="end">{10.0**power:g}</text>'
        for power in range(low, high + 1)
    ]
    line = " ".join(f"{left:.1f},{top:.1f}" for left, top in points)
    parts.append(f'<polyline points="{line}" fill="none" stroke="#0a6" stroke-width="2"/>')
    for (left, top), size, number in zip(points, sizes, values, strict=True):
        parts.append(
            f'<circle cx="{left:.1f}" cy="{top:.1f}" r="4" fill="#0a6"/>'
            f'<text x="{left:.1f}" y="{top - 9:.1f}" text-anchor="middle">{number:g}</text>'
            f'<text x="{left:.1f}" y="{_HEIGHT - 20}" text-anchor="middle">{size:,.0f}</text>'
        )
    return "".join(parts)
