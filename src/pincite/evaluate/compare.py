"""Sets two saved runs side by side, question by question."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pincite.errors import DatasetError
from pincite.evaluate.measures import RANKING, interval


def load_saved(path: Path) -> dict[str, Any]:
    """Read what `eval --save` wrote. Raises DatasetError when it is something else."""
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise DatasetError(f"{path}: is not JSON ({error}); expected a saved run") from error
    if not isinstance(found, dict) or not {"report", "questions"} <= found.keys():
        raise DatasetError(
            f"{path}: is not a saved run, as 'pincite eval DATASET --save' writes it"
        )
    return found


def compare(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Means of both runs and their difference with a 95 % interval, over the questions both have.

    A difference whose interval does not hold 0 is marked `clear`.
    """
    old = {row["question"]: row for row in first["questions"]}
    new = {row["question"]: row for row in second["questions"]}
    names = [
        name
        for name in first["report"]["configurations"]
        if name in second["report"]["configurations"]
    ]
    return {
        "first": first["report"]["dataset"],
        "second": second["report"]["dataset"],
        "configurations": {
            name: {measure: _difference(old, new, name, measure) for measure in RANKING}
            for name in names
        },
    }


def _difference(
    old: Mapping[str, Any], new: Mapping[str, Any], name: str, measure: str
) -> dict[str, Any]:
    pairs = [
        (old[question][name][measure], new[question][name][measure])
        for question in old
        if question in new and name in old[question] and name in new[question]
    ]
    if not pairs:
        return {"questions": 0}
    low, high = interval([after - before for before, after in pairs])
    before, after = (sum(values) / len(pairs) for values in zip(*pairs, strict=True))
    return {
        "questions": len(pairs),
        "first": round(before, 4),
        "second": round(after, 4),
        "difference": round(after - before, 4),
        "interval": [round(low, 4), round(high, 4)],
        "clear": low > 0 or high < 0,
        "better": sum(after > before for before, after in pairs),
        "worse": sum(after < before for before, after in pairs),
    }
