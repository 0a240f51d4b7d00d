"""Answers of quotes that a language model selects but does not write."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from pincite.answer.model_text import Reading, asked_model
from pincite.errors import ModelError
from pincite.records.flow import Claim, Draft, Evidence, Mode, Prompt, Question, Selection
from pincite.stages import Answerer, LanguageModel

_KEY = "sentences"

_OFFERED_FOR_EACH = 3
"""Sentences offered for each that may be chosen; more make the choice slower, not better."""

_TOKENS_PER_NUMBER = 6
_TOKENS_AROUND = 16


class QuotedAnswerer:
    """The model may only return numbers of sentences; the program prints the sentences.

    The output is constrained to a list of the numbers it was shown, and checked again here, since
    not every server follows a schema. If the model is not available, or returns something else, the
    draft is that of `fallback`, and says so.
    """

    def __init__(
        self,
        model: LanguageModel,
        reading: Reading,
        fallback: Answerer,
        *,
        max_sentences: int,
        temperature: float,
    ) -> None:
        self._model = model
        self._reading = reading
        self._fallback = fallback
        self._max_sentences = max_sentences
        self._temperature = temperature

    def draft(
        self,
        question: Question,
        selection: Selection,
        grown: Callable[[Draft], None] | None = None,  # noqa: ARG002
    ) -> Draft:
        """The chosen sentences in the order of the sources; empty if the model chose none."""
        fallback = self._fallback.draft(question, selection)
        numbered = self._offered(selection.context)
        if not numbered or selection.is_exact:
            return fallback
        try:
            writing = self._model.write(self._prompt(question, numbered))
            chosen = self._chosen("".join(writing))
        except ModelError as error:
            return replace(fallback, notices=(f"the quotes were chosen without a model: {error}",))
        known = [numbered[number - 1] for number in chosen if 1 <= number <= len(numbered)]
        unique = list({item.span: item for item in known}.values())[: self._max_sentences]
        refused = () if unique else (f"{writing.model} found no sentence that answers",)
        in_order = [item for item in numbered if item in unique]
        return Draft(
            claims=tuple(Claim(text=item.quote, evidence_ids=(item.id,)) for item in in_order),
            evidence=tuple(in_order),
            mode=Mode.QUOTED,
            notices=(*writing.notices, *refused),
            model=asked_model(writing),
        )

    def _offered(self, context: Sequence[Evidence]) -> list[Evidence]:
        """The best sentences of the context, in their original order."""
        most = _OFFERED_FOR_EACH * self._max_sentences
        best = sorted(context, key=lambda item: -item.score)[:most]
        return [item for item in context if item in best]

    def _prompt(self, question: Question, context: Sequence[Evidence]) -> Prompt:
        return Prompt(
            messages=self._reading.messages(question, context),
            max_tokens=_TOKENS_AROUND + _TOKENS_PER_NUMBER * self._max_sentences,
            temperature=self._temperature,
            schema=chosen_numbers_schema(len(context), self._max_sentences),
        )

    def _chosen(self, written: str) -> list[int]:
        """The numbers in the model's output. Raises ModelError if it is anything else."""
        try:
            found: Any = json.loads(written)
        except ValueError as error:
            raise ModelError(
                f"{self._model.name} wrote {written[:60]!r} instead of JSON; generation.mode = "
                "'quoted' needs a model or server that follows a JSON schema"
            ) from error
        numbers = found.get(_KEY) if isinstance(found, dict) else None
        if not isinstance(numbers, list) or not all(type(number) is int for number in numbers):
            raise ModelError(
                f"{self._model.name} wrote {written[:60]!r}; expected a list of numbers, "
                f'such as {{"{_KEY}": [2, 5]}}'
            )
        return numbers


def chosen_numbers_schema(count: int, most: int) -> dict[str, Any]:
    """JSON schema of up to `most` numbers from 1 to `count`."""
    return {
        "type": "object",
        "properties": {
            _KEY: {
                "type": "array",
                "items": {"type": "integer", "enum": list(range(1, count + 1))},
                "maxItems": most,
            }
        },
        "required": [_KEY],
        "additionalProperties": False,
    }
