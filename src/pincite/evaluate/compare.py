"""Compares two saved runs, question by question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pincite.errors import DatasetError
from pincite.evaluate.judge import JUDGED
from pincite.evaluate.measures import RANKING, interval
from pincite.records.files import read_json

_HIGHER_IS_BETTER = (
    "answer_precision",
    "citation_precision",
    "citation_recall",
    "citation_precision_gold",
    "citation_recall_gold",
    "exact_match",
    "token_f1",
)


def _saved_measure(name: str, row: Mapping[str, Any]) -> float | None:
    value: float | None = row.get("measures", {}).get(name)
    return value


def _of_judge(name: str, row: Mapping[str, Any]) -> float | None:
    value: float | None = row.get("judged", {}).get(name)
    return value


def _without(share: float | None) -> float | None:
    return None if share is None else 1 - share


_ANSWERS: Mapping[str, Callable[[Mapping[str, Any]], float | None]] = {
    "answered": lambda row: row["answered"] if row["answerable"] else None,
    "refused": lambda row: None if row["answerable"] else not row["answered"],
    "first_citation_holds_gold": lambda row: row["first_holds"] if row["answerable"] else None,
    "any_citation_holds_gold": lambda row: row["any_holds"] if row["answerable"] else None,
    **{name: partial(_saved_measure, name) for name in _HIGHER_IS_BETTER},
    "no_numeric_errors": lambda row: _without(_saved_measure("numeric_errors", row)),
}
"""The compared measures of answers, for which higher is better: for answerable questions whether they
were answered and whether the first, or any, citation contains the gold answer; for the others whether
they were refused; and measures that older versions did not save."""


_JUDGED: Mapping[str, Callable[[Mapping[str, Any]], float | None]] = {
    f"judged_{name}": partial(_of_judge, name) for name in JUDGED
}
"""Measures compared only if the same model with the same prompts judged both runs."""


LARGEST_SAVED_BYTES = 2_000_000_000


def load_saved(path: Path) -> dict[str, Any]:
    """Read a run saved by `eval --save`. Raises DatasetError for anything else."""
    try:
        found = read_json(path, most_bytes=LARGEST_SAVED_BYTES)
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise DatasetError(f"{path}: is not JSON ({error}); expected a saved run") from error
    if not isinstance(found, dict) or not {"report", "questions"} <= found.keys():
        raise DatasetError(
            f"{path}: is not a saved run; expected a file from 'pincite eval DATASET --save'"
        )
    try:
        _check(found)
    except KeyError as error:
        raise DatasetError(
            f"{path}: is damaged ({error} is missing); save the run again"
        ) from error
    except (AttributeError, TypeError, ValueError) as error:
        raise DatasetError(f"{path}: is damaged ({error}); save the run again") from error
    return found


def _check(saved: Mapping[str, Any]) -> None:
    """Read every field that a comparison needs, so that missing or wrong ones raise an error here."""
    names = list(saved["report"]["configurations"].keys())
    str(saved["report"]["dataset"])
    _made_with(saved)
    _judges(saved)
    for row in saved["questions"]:
        hash(row["question"])
        measured = [row[name][measure] for name in names if name in row for measure in RANKING]
        for value in (
            *measured,
            *(read(row["answer"]) for read in {**_ANSWERS, **_JUDGED}.values()),
        ):
            float(value or 0)


def compare(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Means of both runs and their difference with a 95 % interval, over the common questions.

    A difference whose interval does not contain 0 is `clear`; `worse` lists the measures that are
    clearly lower in the second run; `made_otherwise` has the differences in version, settings (None for
    a default) and judge. Raises DatasetError for runs without common questions or configurations.
    """
    old = {row["question"]: row for row in first["questions"]}
    new = {row["question"]: row for row in second["questions"]}
    names = [
        name
        for name in first["report"]["configurations"]
        if name in second["report"]["configurations"]
    ]
    pairs = [(old[question], new[question]) for question in old if question in new]
    if not names or not pairs:
        what = "question" if names else "configuration"
        raise DatasetError(
            f"the runs have no {what} in common ('{first['report']['dataset']}' and "
            f"'{second['report']['dataset']}'); compare two runs of the same set"
        )
    configurations = {
        name: {
            measure: paired(
                [
                    (before[name][measure], after[name][measure])
                    for before, after in pairs
                    if name in before and name in after
                ]
            )
            for measure in RANKING
        }
        for name in names
    }
    answers = _answers(pairs, judged=bool(_judges(first)) and _judges(first) == _judges(second))
    return {
        "first": first["report"]["dataset"],
        "second": second["report"]["dataset"],
        "made_otherwise": _made_otherwise(first, second),
        "questions": {"first": len(old), "second": len(new), "both": len(pairs)},
        "configurations": configurations,
        "answers": answers,
        "worse": [
            {"configuration": name, "measure": measure, **found}
            for name, measures in (*configurations.items(), ("answers", answers))
            for measure, found in measures.items()
            if found["questions"] and found["interval"][1] < 0
        ],
    }


def _answers(
    pairs: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]], *, judged: bool
) -> dict[str, dict[str, Any]]:
    """The compared measures of answers; those of a judge only with `judged`."""
    read = {**_ANSWERS, **_JUDGED} if judged else _ANSWERS
    return {
        measure: paired(
            [(value(before["answer"]), value(after["answer"])) for before, after in pairs]
        )
        for measure, value in read.items()
    }


def _made_otherwise(
    first: Mapping[str, Any], second: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    one, other = _made_with(first), _made_with(second)
    if not one or not other:
        return {}
    if _judges(first) and _judges(second):
        one, other = {**one, **_judges(first)}, {**other, **_judges(second)}
    return {
        name: {"first": one.get(name), "second": other.get(name)}
        for name in sorted(one.keys() | other.keys())
        if one.get(name) != other.get(name)
    }


def _made_with(saved: Mapping[str, Any]) -> dict[str, Any]:
    """The version and all non-default settings; empty for runs saved by older versions."""
    made_with = saved.get("made_with", {})
    settings = {
        f"{group}.{name}": value
        for group, values in made_with.get("settings", {}).items()
        for name, value in values.items()
    }
    return {"pincite": made_with["pincite"], **settings} if made_with else {}


def _judges(saved: Mapping[str, Any]) -> dict[str, str]:
    """The judge of a run and its prompts; empty without a judge."""
    judged = saved["report"].get("judged") or {}
    return {f"judged {name}": str(judged[name]) for name in ("by", "prompts")} if judged else {}


def paired(values: Sequence[tuple[float | None, float | None]]) -> dict[str, Any]:
    """Means of both runs and their difference, over the questions measured in both."""
    pairs = [(float(a), float(b)) for a, b in values if a is not None and b is not None]
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
