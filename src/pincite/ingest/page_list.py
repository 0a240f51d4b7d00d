"""Says page numbers as a person would."""

from __future__ import annotations

from collections.abc import Iterable


def page_list(numbers: Iterable[int], count: int) -> str:
    """`page 3`, or `pages 3-7, 9 of 12`."""
    runs: list[list[int]] = []
    ordered = sorted(set(numbers))
    for number in ordered:
        if runs and number == runs[-1][-1] + 1:
            runs[-1] = [runs[-1][0], number]
        else:
            runs.append([number])
    listed = ", ".join("-".join(map(str, run)) for run in runs)
    return f"page {listed}" if len(ordered) == 1 else f"pages {listed} of {count}"
