"""Fits the model of `pincite.verify.statements.support` and writes the file that is shipped.

    python benchmarks/fit_support.py            # fit, print figures, write support.toml
    python benchmarks/fit_support.py --check    # figures alone

Sets count alike, and in each set supported and unsupported statements do. A statement is as good as
its worst sentence: of an unsupported one only that sentence is fitted, which is found anew six times.
Printed figures are those of sets left out of the fit: area under the ROC curve and balanced accuracy
at the threshold 1/2. Beside the signals that are shipped stand others that were tried.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from fit_confidence import Rows, newton
from numpy.typing import NDArray
from support_cases import CHANGED, JUDGED, Checked, Judged, default_aligner, judged

import pincite.verify.statements
from pincite.evaluate.measures import auroc
from pincite.settings.groups import DEFAULT_ENCODER
from pincite.verify.statements.support import SUPPORT_MODEL, unaligned

SIGNALS: Mapping[str, Callable[[Checked], float]] = {
    "unaligned": lambda one: unaligned(one.support.aligned or 0.0),
    "faulty": lambda one: float(one.is_faulty),
    "aligned": lambda one: one.support.aligned or 0.0,
    "held": lambda one: one.support.held,
    "changed": lambda one: len(one.support.changed) / max(1, one.support.words),
    "missing": lambda one: float(bool(one.support.missing)),
    "length": lambda one: float(np.log(max(1, one.support.words))),
}
SHIPPED = ("unaligned", "faulty")
TRIED = (
    SHIPPED,
    ("held",),
    ("unaligned",),
    ("aligned", "faulty"),
    ("unaligned", "faulty", "held"),
    ("unaligned", "faulty", "changed"),
    ("unaligned", "faulty", "missing"),
    ("unaligned", "faulty", "length"),
)
RIDGE = 1e-3
"""On standardised signals."""
ROUNDS = 6


def _is_read(sentence: Checked) -> bool:
    """Whether it has words and quotes to compare."""
    return sentence.support.aligned is not None


class Part:
    """One set: rows of signals by sentence, which statement each belongs to, and labels of those."""

    def __init__(self, found: Sequence[Judged]) -> None:
        read = [one for one in found if any(map(_is_read, one.sentences))]
        self.label = np.array([float(one.is_supported) for one in read])
        rows = [
            (place, [signal(sentence) for signal in SIGNALS.values()])
            for place, one in enumerate(read)
            for sentence in one.sentences
            if _is_read(sentence)
        ]
        self.owner = np.array([place for place, _ in rows])
        self._rows = np.array([row for _, row in rows])

    def x(self, signals: Sequence[str]) -> Rows:
        """(sentences, 1 + signals), with 1 in front."""
        chosen = [list(SIGNALS).index(name) for name in signals]
        rows: Rows = np.column_stack([np.ones(len(self._rows)), self._rows[:, chosen]])
        return rows

    def worst(self, scores: Rows) -> Rows:
        """The score of the worst sentence of each statement."""
        lowest = np.full(len(self.label), np.inf)
        np.minimum.at(lowest, self.owner, scores)
        return lowest

    def weights(self, scores: Rows | None) -> Rows:
        """Of sentences; both kinds of statements have the sum 1."""
        shared = 1 / np.bincount(self.owner)[self.owner]
        is_worst = shared if scores is None else scores <= self.worst(scores)[self.owner] + 1e-12
        supported = self.label[self.owner] == 1
        good, bad = np.where(supported, shared, 0), np.where(supported, 0, is_worst)
        weights: Rows = good / good.sum() + bad / bad.sum()
        return weights


def fit(parts: Sequence[Part], signals: Sequence[str]) -> Rows:
    """Intercept and coefficients for the signals as they are."""
    x = [part.x(signals) for part in parts]
    mean = np.concatenate(x)[:, 1:].mean(axis=0)
    spread = np.concatenate(x)[:, 1:].std(axis=0) + 1e-9
    standard = [np.column_stack([rows[:, 0], (rows[:, 1:] - mean) / spread]) for rows in x]
    y = np.concatenate([part.label[part.owner] for part in parts])
    found: Rows | None = None
    for _ in range(ROUNDS):
        weights = [
            part.weights(None if found is None else rows @ found)
            for part, rows in zip(parts, standard, strict=True)
        ]
        found = newton(np.concatenate(standard), y, np.concatenate(weights), RIDGE)
    assert found is not None
    slopes = found[1:] / spread
    return np.concatenate([[found[0] - slopes @ mean], slopes])


def left_out(parts: Mapping[str, Part], name: str, signals: Sequence[str]) -> tuple[float, float]:
    """AUROC and balanced accuracy on a set, by a model that saw the other sets."""
    own = parts[name]
    model = fit([part for other, part in parts.items() if other != name], signals)
    scores, good = own.worst(own.x(signals) @ model), own.label == 1
    area = auroc(list(scores[good]), list(scores[~good])) or 0.0
    return area, float(((scores[good] >= 0).mean() + (scores[~good] < 0).mean()) / 2)


def report(parts: Mapping[str, Part], signals: Sequence[str]) -> None:
    """One row: figures of each set, left out of the fit, and their means."""
    figures: NDArray[np.float64] = np.array([left_out(parts, name, signals) for name in parts])
    cells = [f"{area:.3f} {100 * right:.1f} %" for area, right in (*figures, figures.mean(axis=0))]
    print(f"| {' + '.join(signals)} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Print the table, fit on all sets, write the file."""
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    asked.add_argument("--check", action="store_true", help="do not write the file")
    asked.add_argument("--most", type=int, help="statements of each set")
    chosen = asked.parse_args()
    aligner = default_aligner()
    sets = (*JUDGED, CHANGED)
    parts = {name: Part(judged(name, aligner, chosen.most)) for name in sets}
    print(f"| signals | {' | '.join(sets)} | mean |\n|{'---|' * (len(sets) + 2)}")
    for signals in TRIED:
        report(parts, signals)
    found = fit(list(parts.values()), SHIPPED)
    lines = [
        "# Logistic model of pincite.verify.statements.support. Written by",
        "# `python benchmarks/fit_support.py`; not to be edited.",
        "",
        f'encoder = "{DEFAULT_ENCODER}"',
        "",
        "[weights]",
        *(
            f"{name} = {value:.3f}"
            for name, value in zip(("intercept", *SHIPPED), found, strict=True)
        ),
    ]
    print("\n".join(lines))
    if not chosen.check:
        shipped = Path(pincite.verify.statements.__file__).parent / SUPPORT_MODEL
        shipped.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
