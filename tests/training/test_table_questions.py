"""What is learnt about table questions, and how it is kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pincite.text.tables.learned.choosing import probabilities, read_weights
from pincite.text.tables.learned.features import FEATURES, number_of
from pincite.text.tables.learned.indexed import IndexedTable
from tests.text.test_tables import table_of
from training.table_questions import Work, learn, row_of, save

SCORES = "Team,Won,Lost\nOslo,4,9\nBergen,7,2\nMolde,1,5\n"


def test_what_is_right_becomes_likelier(capsys: pytest.CaptureFixture[str]) -> None:
    Work.common = frozenset()
    indexed = IndexedTable(table_of(SCORES))
    rows = [
        *row_of("how many did Oslo win?", indexed, ["4"]),
        *row_of("how many did Bergen win?", indexed, ["7"]),
        *row_of("what is the weather in Molde?", indexed, None),
    ]
    assert [row.right.any() for row in rows] == [True, True, False]
    weights = learn(rows, passes=20, rate=0.1, shrink=1e-4)
    assert "pass 20" in capsys.readouterr().out
    asked = next(row_of("how many did Molde win?", indexed, ["1"]))
    before = probabilities(np.zeros(FEATURES, np.float32), asked.given)
    after = probabilities(weights, asked.given)
    assert after[:-1][asked.right].sum() > 2 * before[:-1][asked.right].sum()
    assert probabilities(weights, rows[2].given)[-1] > 0.5


def test_weights_are_kept_in_eight_bits(tmp_path: Path) -> None:
    weights = np.zeros(FEATURES, np.float32)
    far = [0, 3, 700, FEATURES - 1]
    weights[far] = 1.0, -0.5, 2.0, 0.25
    weights[number_of("tiny") or 1] += 1e-4
    save(weights, frozenset({"win", "lose"}), tmp_path / "weights.npz")
    kept = read_weights(tmp_path / "weights.npz")
    assert np.abs(kept.of_features - weights).max() <= 2.0 / 127 / 2 + 1e-6
    assert kept.common == {"win", "lose"}
