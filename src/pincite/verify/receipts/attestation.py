"""Attaches the result of `pincite doctor --offline` to a receipt."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pincite.errors import ReceiptError
from pincite.records.files import read_regular, strict_json
from pincite.records.flow import Answer

AIR_GAP = "air_gap"
_FIELDS = {"version", "checked_at", "settings_digest", "holds", "not_fenced", "elsewhere"}
_LARGEST_BYTES = 1_000_000


def attestation(path: Path, answer: Answer) -> dict[str, Any]:
    """The result in a file that `doctor --offline --output` wrote.

    Raises ReceiptError if it reports a connection, or was made with other settings or models than
    the answer.
    """
    try:
        found = strict_json(read_regular(path, most_bytes=_LARGEST_BYTES))
    except (OSError, ValueError) as error:
        raise ReceiptError(f"{path}: cannot be read ({error}); {_EXPECTED}") from error
    problems = _problems(found, answer.settings_digest)
    if problems:
        raise ReceiptError(f"{path}: {problems[0]}")
    return dict(found)


def attestation_problems(form: Mapping[str, Any]) -> list[str]:
    """Problems of the result in a receipt; empty if it has none."""
    if AIR_GAP not in form:
        return []
    return _problems(form[AIR_GAP], form.get("settings_digest"))


_EXPECTED = "expected what 'pincite doctor --offline --output FILE' writes"


def _problems(found: Any, settings_digest: Any) -> list[str]:
    if not isinstance(found, dict) or not found.keys() >= _FIELDS:
        return [f"not the result of a trial without a network; {_EXPECTED}"]
    problems = []
    if found["holds"] is not True or found["elsewhere"]:
        problems.append("the trial without a network did not hold")
    if found["settings_digest"] != settings_digest:
        problems.append(
            "the trial without a network was made with other settings or models than the answer: "
            "run 'pincite doctor --offline' again"
        )
    return problems
