"""Does a part that a statement leaves out take back what the statement keeps?

"The plant will close, a rumour that the company denies" does not carry "The plant will close",
although it can be cut at the comma.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from pincite.toml_files import shipped
from pincite.verify.wording import Word


class _Words(NamedTuple):
    withdrawing: tuple[str, ...]
    adding: frozenset[str]


def withdrawn_by(left_out: Sequence[Word], language: str) -> list[Word]:
    """The first word of a left-out part that says, doubts or binds to a condition what is kept.

    Empty where there is none, and where the part speaks for itself ("..., and the mayor denied").
    In a language without a list the words of all others count.
    """
    words = _known().get(language) or _all()
    if not left_out or left_out[0].folded in words.adding:
        return []
    text = f" {' '.join(word.folded for word in left_out)} "
    places = [at for one in words.withdrawing if (at := text.find(f" {one} ")) >= 0]
    return [left_out[text[: min(places) + 1].count(" ") - 1]] if places else []


@cache
def _known() -> Mapping[str, _Words]:
    return {
        language: _Words(
            withdrawing=tuple(lists["withdrawing"]),
            adding=frozenset(lists["adding"]),
        )
        for language, lists in shipped("verify", "withdrawing").items()
    }


@cache
def _all() -> _Words:
    listed = _known().values()
    return _Words(
        withdrawing=tuple(one for words in listed for one in words.withdrawing),
        adding=frozenset().union(*(words.adding for words in listed)),
    )
