"""Finds the outcome of a passage in the trace of a question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    """The outcome of a passage."""

    QUOTED = "quoted"
    REFUSED = "refused"
    UNVERIFIED = "unverified"
    NOT_SELECTED = "not selected"
    NOT_COMPARED = "not compared"
    DROPPED = "dropped"
    NOT_FOUND = "not found"
    LEFT_OUT = "left out"
    WITHOUT_PHRASE = "without the quoted words"
    NOT_ALLOWED = "not allowed"
    UNKNOWN = "not in the library"


_CONCLUSIONS = {
    Outcome.QUOTED: "it is quoted in the answer",
    Outcome.REFUSED: "it was chosen as evidence, but the answer was refused",
    Outcome.UNVERIFIED: "it was chosen as evidence, but could not be verified",
    Outcome.NOT_SELECTED: "it was found, but none of its sentences was chosen",
    Outcome.NOT_COMPARED: "it was found, but too far down to be compared with the question",
    Outcome.DROPPED: "it was found, and then dropped",
    Outcome.NOT_FOUND: "it was not among the first results of either search",
    Outcome.LEFT_OUT: "it contains words that the question excludes",
    Outcome.WITHOUT_PHRASE: "it does not contain the quoted words of the question",
    Outcome.NOT_ALLOWED: "the question's collection or filters exclude it",
    Outcome.UNKNOWN: "there is no such passage in this library",
}


_LEFT_OUT = "left out by -"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fate:
    """The outcome of one passage, with an account of one line for each stage.

    `stage` is where it was lost; empty if it is quoted or was never considered.
    """

    passage_id: str
    context: str
    page: int | None
    outcome: Outcome
    stage: str
    account: tuple[str, ...]

    @property
    def conclusion(self) -> str:
        """The outcome as a clause."""
        return _CONCLUSIONS[self.outcome]


def left_out_by(words: str) -> str:
    """The reason for dropping a passage that contains words excluded by the question."""
    return f'{_LEFT_OUT}"{words}"' if len(words.split()) > 1 else f"{_LEFT_OUT}{words}"


def followed(trace: Mapping[str, Any], passage_id: str) -> tuple[Outcome, str, tuple[str, ...]]:
    """A passage's outcome in a trace, the stage that lost it, and a line for each stage."""
    account: list[str] = []
    outcome, lost_in = Outcome.NOT_FOUND, "retrieve"
    before: Mapping[str, float] = {}
    for stage in trace["stages"]:
        name = stage["name"]
        kept = [item for item in stage["kept"] if item.get("passage_id") == passage_id]
        dropped = [item for item in stage["dropped"] if item["passage_id"] == passage_id]
        account += [f"{name}: {_line(item, before, len(stage['kept']))}" for item in kept]
        if kept and dropped:
            account.append(f"{name}: {len(dropped)} other sentences of it were left out")
        else:
            account += [f"{name}: {item['reason']}" for item in dropped]
        if kept:
            outcome, lost_in = _kept_by(name, kept[0], before)
        elif dropped:
            outcome, lost_in = _dropped_by(stage, dropped[0]), name
        before = next((item["scores"] for item in kept if "scores" in item), before)
    return outcome, lost_in, tuple(account)


def _kept_by(
    name: str, item: Mapping[str, Any], before: Mapping[str, float]
) -> tuple[Outcome, str]:
    """The outcome if no later stage mentions the passage."""
    if name == "verify":
        return Outcome.QUOTED, ""
    if name == "rerank" and item["scores"].keys() == before.keys():
        return Outcome.NOT_COMPARED, "rerank"
    return Outcome.NOT_SELECTED, "select"


def _dropped_by(stage: Mapping[str, Any], item: Mapping[str, Any]) -> Outcome:
    if item["reason"].startswith(_LEFT_OUT):
        return Outcome.LEFT_OUT
    if stage["name"] == "verify":
        return Outcome.REFUSED if stage["status"] == "abstained" else Outcome.UNVERIFIED
    return Outcome.NOT_SELECTED if stage["name"] == "select" else Outcome.DROPPED


def _line(item: Mapping[str, Any], before: Mapping[str, float], count: int) -> str:
    """A line for a stage that kept it: the rank and the stage's scores."""
    if "rank" not in item:
        return f"quoted as {item['id']}"
    if "id" in item:
        return f"chosen as {item['id']}, score {item['score']:.3f}"
    new = {name: score for name, score in item["scores"].items() if name not in before}
    scores = "".join(f", {name} {score:.3f}" for name, score in new.items())
    return f"rank {item['rank']} of {count}, score {item['score']:.3f}{scores}"
