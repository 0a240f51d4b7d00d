"""The judgement of a language model on what it wrote: whether the quotes say what a statement says.

A model is first asked about statements that are known to be carried by their quotes or not
(`controls.toml`): one that does not tell them apart, as small ones, is never believed, any other above
all that it gives to those that are not carried.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from pincite.errors import ModelError
from pincite.records.files import read_json
from pincite.records.flow import Message, Prompt
from pincite.settings.toml_files import shipped
from pincite.stages import Assenting

_LEAST = 0.95
"""Above it: 9 % of the sentences of summaries (qags) that people found unsupported, 54 % of others."""
_LEAST_IN_ORDER = 0.8
"""Of all pairs of a control that is carried and one that is not (the area under the ROC curve)."""
_FIRST, _LEAST_AT_FIRST = 3, 0.5
"""Of the first controls; a model that does worse there is asked no more."""
_NEVER = 2.0
"""No probability is as high."""
_JUDGED_KEPT = 512
_RECIPE = "1"
"""Changes with the controls and the prompt."""

_SYSTEM = (
    "You check statements. Answer Yes if the passage says what the statement says, completely and "
    "without any difference in who, what, when, where or how much. Otherwise answer No."
)
_ASKED = (
    "Passage:\n{passage}\n\nStatement: {statement}\n\nDoes the passage say this? Answer Yes or No."
)


class OwnJudgement:
    """Asks a model whether quotes say what a statement says.

    `kept` is a file that remembers how models did in the controls, by their names.
    """

    def __init__(self, model: Assenting, kept: Path) -> None:
        self.model = model
        self._kept = kept
        self._lock = threading.Lock()
        self._least: float | None = None
        self._judged = lru_cache(maxsize=_JUDGED_KEPT)(self.told)

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.model.name

    def likelihood(self, statement: str, passage: str) -> float | None:
        """How likely the passage says it, in 0..1; None if too little, or if the model cannot tell."""
        try:
            least = self._threshold()
            found = self._judged(statement, passage) if least < _NEVER else None
        except ModelError:
            return None
        return found if found is not None and found > least else None

    @property
    def is_believed(self) -> bool:
        """Whether the model has told the controls apart."""
        return self._least is not None and self._least < _NEVER

    def _threshold(self) -> float:
        """The least probability that is believed; the controls are asked only once."""
        with self._lock:
            if self._least is None:
                key, known = f"{self.name} {_RECIPE}", _read(self._kept)
                least = known.get(key)
                if not isinstance(least, float) and (least := self._examined()) is not None:
                    _keep(self._kept, {**known, key: least})
                self._least = _NEVER if least is None else least
            return self._least

    def _examined(self) -> float | None:
        """The probability above which this model is believed; None if it tells none."""
        carried: list[float] = []
        differing: list[float] = []
        for one in shipped("verify/statements", "controls")["control"]:
            right = self.told(one["carried"], one["quote"])
            wrong = self.told(one["differs"], one["quote"])
            if right is None or wrong is None:
                return None
            carried.append(right)
            differing.append(wrong)
            if len(carried) == _FIRST and _in_order(carried, differing) < _LEAST_AT_FIRST:
                return _NEVER
        is_told_apart = _in_order(carried, differing) >= _LEAST_IN_ORDER
        return max(_LEAST, *differing) if is_told_apart else _NEVER

    def told(self, statement: str, passage: str) -> float | None:
        """The probability that the model gives, in 0..1, believed or not; None if it tells none."""
        asked = _ASKED.format(passage=passage, statement=statement)
        messages = (Message(role="system", content=_SYSTEM), Message(role="user", content=asked))
        return self.model.likelihood_of_yes(Prompt(messages=messages, max_tokens=1))


def _in_order(carried: Sequence[float], differing: Sequence[float]) -> float:
    pairs = [one > other for one in carried for other in differing]
    return sum(pairs) / len(pairs)


def _read(path: Path) -> dict[str, Any]:
    """What is known of the models; nothing if the file is missing or damaged."""
    try:
        found = read_json(path)
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _keep(path: Path, known: Mapping[str, float]) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(json.dumps(known), encoding="utf-8")
        draft.replace(path)
