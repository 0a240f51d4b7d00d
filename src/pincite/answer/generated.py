"""Answers that a language model writes; every statement is brought together with its evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from pincite.answer.carrying import Carriers
from pincite.answer.prompts import Prompts
from pincite.answer.reading import Reading
from pincite.answer.written import Statement, asked_model, refuses, statements, until_it_repeats
from pincite.errors import ModelError
from pincite.records import Claim, Draft, Evidence, Mode, Prompt, Question, Selection
from pincite.stages import Answerer, LanguageModel


class GeneratedAnswerer:
    """The model writes from the evidence alone; which sentences carry a statement is looked up here.

    The numbers that the model gives for its sources are hints: small models forget them and mix
    them up. When the model cannot be had the draft is that of `fallback`, and says so; the verifier
    also falls back to it when too little of what the model wrote is carried.
    """

    def __init__(
        self,
        model: LanguageModel,
        reading: Reading,
        prompts: Prompts,
        carriers: Carriers,
        fallback: Answerer,
        *,
        max_tokens: int,
        temperature: float,
    ) -> None:
        self._model = model
        self._reading = reading
        self._prompts = prompts
        self._carriers = carriers
        self._fallback = fallback
        self._max_tokens = max_tokens
        self._temperature = temperature

    def draft(
        self,
        question: Question,
        selection: Selection,
        grown: Callable[[Draft], None] | None = None,
    ) -> Draft:
        """One claim for each sentence that the model wrote; none when it says it cannot answer."""
        fallback = self._fallback.draft(question, selection)
        if not selection.context:
            return fallback
        try:
            writing = self._model.write(self._prompt(question, selection.context))
            tell = partial(self._tell, grown, selection.context) if grown else None
            written = until_it_repeats(writing, tell)
        except ModelError as error:
            return replace(fallback, notices=(f"the quotes themselves are shown: {error}",))
        if refuses(written, self._prompts.refusal):
            said = f"{writing.model} says: {self._prompts.refusal}"
            return Draft(
                claims=(),
                evidence=(),
                mode=Mode.GENERATED,
                notices=(*writing.notices, said),
                model=asked_model(writing),
            )
        told = statements(written, cut_off=writing.is_cut)
        asked = asked_model(writing)
        draft = self._draft(told, selection.context)
        fallback = replace(fallback, model=asked)
        return replace(draft, notices=writing.notices, fallback=fallback, model=asked)

    def _tell(
        self, grown: Callable[[Draft], None], context: Sequence[Evidence], written: str
    ) -> None:
        if not refuses(written, self._prompts.refusal):
            grown(self._draft(statements(written), context))

    def _draft(self, told: Sequence[Statement], context: Sequence[Evidence]) -> Draft:
        return Draft(
            claims=tuple(self._claims(told, context)), evidence=tuple(context), mode=Mode.GENERATED
        )

    def _claims(self, told: Sequence[Statement], context: Sequence[Evidence]) -> list[Claim]:
        numbered = self._reading.numbered(context)
        claims = []
        for statement in told:
            numbers = [number for number in statement.sources if 1 <= number <= len(numbered)]
            named = [item for number in numbers for item in numbered[number - 1]]
            carriers = self._carriers.of(statement.text, named, context)
            ids = tuple(item.id for item in carriers)
            claims.append(Claim(text=statement.text, evidence_ids=ids))
        return claims

    def _prompt(self, question: Question, context: Sequence[Evidence]) -> Prompt:
        return Prompt(
            messages=self._reading.messages(question, context),
            max_tokens=self._max_tokens,
            temperature=self._temperature,
        )
