"""Answers written by a language model, with the evidence of each statement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from pincite.records.reasons import Reason, ReasonKind
from pincite.stages import Answerer, LanguageModel, TermWeights
from pincite.text.terms import terms


class GeneratedAnswerer:
    """The model writes from the evidence alone; the support of each statement is found here.

    The source numbers that the model gives are hints: small models forget them and mix them up. If
    the model is not available the draft is that of `fallback`, and says so; the verifier also falls
    back to it if too little of what the model wrote is supported.
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
        """One claim for each sentence that the model wrote; none if it says it cannot answer.

        `grown` first gets the quotes, then what is written so far. If the model fails while it writes,
        its whole sentences are kept. The exact rows of a table are the answer without it.
        """
        fallback = self._fallback.draft(question, selection)
        if not selection.context or selection.is_exact:
            return fallback
        if grown:
            grown(fallback)
        pieces: list[str] = []
        failed = ""
        try:
            writing = self._model.write(self._prompt(question, selection.context))
            on_text = partial(self._report, grown, selection.context) if grown else None
            written = until_it_repeats(_noted(writing, pieces), on_text)
        except ModelError as error:
            written, failed = "".join(pieces), str(error)
            if not statements(written, cut_off=True):
                alone = Reason.of(ReasonKind.QUOTES_ALONE, cause=str(error))
                return replace(fallback, notices=(alone,))
        said = statements(written, cut_off=bool(failed) or writing.is_cut)
        if not said:
            cause = f"{writing.model} wrote no statement"
            alone = Reason.of(ReasonKind.QUOTES_ALONE, cause=cause)
            return replace(fallback, notices=(*writing.notices, alone))
        if refuses(written, self._prompts.refusal):
            refusal = f"{writing.model} says: {self._prompts.refusal}"
            return Draft(
                claims=(),
                evidence=(),
                mode=Mode.GENERATED,
                notices=(*writing.notices, refusal),
                model=asked_model(writing),
            )
        model = asked_model(writing)
        told = [one for one in said if not refuses(one.text, self._prompts.refusal)]
        notices = [*writing.notices]
        notices += [f"{writing.model} also says: {self._prompts.refusal}"] if told != said else []
        notices += [f"the text ends where the model failed: {failed}"] if failed else []
        draft = self._draft(told, selection.context)
        fallback = replace(fallback, model=model)
        return replace(draft, notices=tuple(notices), fallback=fallback, model=model)

    def _report(
        self, grown: Callable[[Draft], None], context: Sequence[Evidence], written: str
    ) -> None:
        if not refuses(written, self._prompts.refusal):
            grown(self._draft(statements(written), context))

    def _draft(self, written: Sequence[Statement], context: Sequence[Evidence]) -> Draft:
        claims = self._claims(written, context)
        return Draft(claims=tuple(claims), evidence=tuple(context), mode=Mode.GENERATED)

    def _claims(self, written: Sequence[Statement], context: Sequence[Evidence]) -> list[Claim]:
        numbered = self._reading.numbered(context)
        claims = []
        for statement in written:
            numbers = [number for number in statement.sources if 1 <= number <= len(numbered)]
            named = [item for number in numbers for item in numbered[number - 1]]
            carriers = self._carriers.find(statement.text, named, context)
            ids = tuple(item.id for item in carriers)
            claims.append(Claim(text=statement.text, evidence_ids=ids))
        return claims

    def _prompt(self, question: Question, context: Sequence[Evidence]) -> Prompt:
        return Prompt(
            messages=self._reading.messages(question, context),
            max_tokens=self._max_tokens,
            temperature=self._temperature,
        )


def _noted(pieces: Iterable[str], kept: list[str]) -> Iterator[str]:
    """The pieces as they come, each of which is also kept."""
    for piece in pieces:
        kept.append(piece)
        yield piece


# The sentences that support a statement written by a model.

_MOST = 3
"""A statement that needs more sentences than this is not a single statement."""

_WORTH_ADDING = 0.1
"""Share of a statement's weight that a further sentence must add."""

_NAMED_SOURCES_LEAD = 0.15
"""Other sentences replace the sources that the model named only if their share is this much higher."""


class Carriers:
    """Finds the sentences with most of a statement's words, weighted by inverse document frequency."""

    def __init__(self, weights: TermWeights) -> None:
        self._weights = weights

    def find(
        self, statement: str, named: Sequence[Evidence], context: Sequence[Evidence]
    ) -> tuple[Evidence, ...]:
        """Up to three sentences, from the sources the model `named` unless others contain clearly more.

        Empty if no sentence shares a word with the statement.
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
        """Sentences that together cover the wanted terms greedily, and the covered share in 0..1."""
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
