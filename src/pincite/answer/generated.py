"""Answers that a language model writes; every statement is brought together with its evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from pincite.answer.model_text import (
    Reading,
    Statement,
    asked_model,
    refuses,
    statements,
    until_it_repeats,
)
from pincite.answer.prompts import Prompts
from pincite.errors import ModelError
from pincite.records.flow import Claim, Draft, Evidence, Mode, Prompt, Question, Selection
from pincite.stages import Answerer, LanguageModel, TermWeights
from pincite.text.terms import terms


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


# Which sentences carry a statement that a model wrote?

_MOST = 3
"""A statement that needs more sentences than this is not one statement."""

_WORTH_ADDING = 0.1
"""Share of a statement that a further sentence must add."""

_NAMED_SOURCES_LEAD = 0.15
"""How much more of the statement others must hold before the sources that the model named are left."""


class Carriers:
    """Finds the sentences that hold most of a statement's words, counted by how telling they are."""

    def __init__(self, weights: TermWeights) -> None:
        self._weights = weights

    def of(
        self, statement: str, named: Sequence[Evidence], context: Sequence[Evidence]
    ) -> tuple[Evidence, ...]:
        """Up to three sentences, from the sources the model `named` unless others hold clearly more.

        None when no sentence shares a word with the statement.
        """
        language = self._weights.language(statement)
        wanted = {term: self._weights.weight(term) for term in terms(statement, language)}
        from_named = self._greedy(wanted, named, language)
        if named and len(named) == len(context):
            return from_named[0]
        from_all = self._greedy(wanted, context, language)
        lead = from_all[1] - from_named[1]
        return from_all[0] if lead > _NAMED_SOURCES_LEAD or not from_named[0] else from_named[0]

    def _greedy(
        self, wanted: Mapping[str, float], evidence: Sequence[Evidence], language: str
    ) -> tuple[tuple[Evidence, ...], float]:
        """Sentences that together hold as much as possible of the wanted terms, and which share."""
        total = sum(wanted.values()) or 1.0
        held = {item.id: set(terms(item.quote, language)) & wanted.keys() for item in evidence}
        chosen: list[Evidence] = []
        covered: set[str] = set()
        while len(chosen) < _MOST:
            best = max(
                evidence,
                key=lambda item: (sum(wanted[t] for t in held[item.id] - covered), item.score),
                default=None,
            )
            gain = sum(wanted[t] for t in held[best.id] - covered) / total if best else 0.0
            if best is None or gain <= (_WORTH_ADDING if chosen else 0.0):
                break
            chosen.append(best)
            covered |= held[best.id]
        return tuple(chosen), sum(wanted[t] for t in covered) / total
