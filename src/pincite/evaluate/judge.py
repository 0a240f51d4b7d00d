"""A language model judges answers, as in RAGAS (Es et al. 2023, arXiv:2309.15217)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from pincite.errors import ModelError, ModelUnreachable, UsageError
from pincite.evaluate.datasets import GoldQuestion
from pincite.evaluate.judge_prompts import JudgePrompts
from pincite.library import Library
from pincite.records import Answer, Citation, Mode, Prompt
from pincite.stages import LanguageModel
from pincite.text.sentences import sentence_spans

_TOKENS_OF_A_VERDICT = 8
"""In the output, where a model may put each on a line of its own with blanks before it."""
_TOKENS_OF_BRACES = 24
_UNKNOWN = "not known"
_FAILURES = 3
"""Of its server, one after the other: then it is asked no more, since each may take minutes."""
_NOTES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What a model said of one answer: yes or no for each thing it was asked about, by measure.

    `not_judged` are the measures for which there was no reply that can be read.
    """

    verdicts: Mapping[str, tuple[bool, ...]]
    not_judged: tuple[str, ...]

    @property
    def values(self) -> dict[str, float]:
        """Each measure that was judged, in 0..1: the share of yes; of passages by their order."""
        return {
            name: average_precision(found) if name == "context_precision" else float(mean(found))
            for name, found in self.verdicts.items()
        }


class Judge:
    """Asks a model for yes or no at temperature 0.

    A reply that is not one yes or no for each thing that was asked is no judgement, never a guess.
    When its server failed or was too slow three times in a row, the model is asked no more.
    """

    def __init__(self, model: LanguageModel, prompts: JudgePrompts) -> None:
        self._model = model
        self._prompts = prompts
        self._said: Counter[str] = Counter()
        self._by: dict[str, None] = {}
        self._failures = 0

    @property
    def by(self) -> str:
        """The models that judged."""
        return ", ".join(self._by) or self._model.name

    @property
    def prompts(self) -> str:
        """The file of what the model was told."""
        return self._prompts.name

    @property
    def notes(self) -> tuple[str, ...]:
        """Why some of it was not judged, and what the model's notices say."""
        told = [f"judge: {said} ({n:,} times)" for said, n in self._said.most_common(_NOTES)]
        more = len(self._said) - len(told)
        return (*told, f"judge: {more:,} other notices") if more else tuple(told)

    def check(self) -> None:
        """Ask for one verdict. Raises UsageError where the model cannot be had at all."""
        try:
            self._reply("faithfulness", {"quotes": ["It is red."], "statements": ["It is red."]}, 1)
        except ModelError as error:
            raise UsageError(
                f"--judge: the language model cannot be had: {error}; see 'pincite models list'"
            ) from error

    def judge(self, question: GoldQuestion, answer: Answer, passages: Sequence[str]) -> Judgement:
        """What the model says of an answer, and of the passages found for it, best first."""
        verdicts: dict[str, tuple[bool, ...]] = {}
        not_judged = []
        for measure, (known, count) in _asked(question, answer, passages).items():
            found = self._verdicts(measure, known, count)
            if found is None:
                not_judged.append(measure)
            else:
                verdicts[measure] = found
        return Judgement(verdicts=verdicts, not_judged=tuple(not_judged))

    def _verdicts(
        self, measure: str, known: Mapping[str, str | Sequence[str]], count: int
    ) -> tuple[bool, ...] | None:
        if self._failures >= _FAILURES:
            self._said[f"not asked any more, after {_FAILURES} failures in a row"] += 1
            return None
        try:
            reply = self._reply(measure, known, count)
        except ModelError as error:
            self._failures += isinstance(error, ModelUnreachable)
            self._said[str(error)] += 1
            return None
        self._failures = 0
        found = _read(reply, count)
        if found is None:
            self._said[f"{measure}: a reply that cannot be read"] += 1
        return found

    def _reply(self, measure: str, known: Mapping[str, str | Sequence[str]], count: int) -> str:
        prompt = Prompt(
            messages=tuple(self._prompts.messages(measure, known)),
            max_tokens=_TOKENS_OF_A_VERDICT * count + _TOKENS_OF_BRACES,
            schema=_schema(count),
        )
        writing = self._model.write(prompt)
        reply = "".join(writing)
        self._by.setdefault(writing.model)
        # A reply that was cut off shows in what can be read of it.
        self._said.update(() if writing.is_cut else writing.notices)
        return reply


def open_judge(library: Library, prompts: JudgePrompts) -> Judge:
    """A judge with the language model of a library's settings, which was asked once.

    Raises UsageError where the settings name none, and where it cannot be had.
    """
    model, problem = library.writer()
    if model is None:
        raise UsageError(
            f"--judge: {problem or 'the settings name no language model'}; expected "
            "generation.model, such as PINCITE_GENERATION__MODEL=smollm2 (docs/models.md)"
        )
    judge = Judge(model, prompts)
    judge.check()
    return judge


def average_precision(useful: Sequence[bool]) -> float:
    """RAGAS' context precision: the mean, over the useful passages, of precision at their ranks."""
    ranks = [rank for rank, is_useful in enumerate(useful, start=1) if is_useful]
    return sum(count / rank for count, rank in enumerate(ranks, start=1)) / max(1, len(ranks))


def _asked(
    question: GoldQuestion, answer: Answer, passages: Sequence[str]
) -> dict[str, tuple[Mapping[str, str | Sequence[str]], int]]:
    """What is filled in for each measure that can be judged here, and how many verdicts it takes."""
    asked: dict[str, tuple[Mapping[str, str | Sequence[str]], int]] = {}
    reference = question.answers[0] if question.answers else ""
    statements = [reference[start:end] for start, end in sentence_spans(reference)]
    told = [claim.text for claim in answer.claims]
    # What is counted over the whole collection is stated by no quote.
    if told and answer.mode is not Mode.COUNTED:
        quotes = [_with_announcement(citation) for citation in answer.citations]
        asked["faithfulness"] = {"quotes": quotes, "statements": told}, len(told)
    if told:
        asked["answer_relevance"] = {"question": question.text, "answer": answer.text}, 1
    if question.answerable is not False and passages:
        known = {"question": question.text, "passages": passages}
        precision = {**known, "reference": reference or _UNKNOWN}
        asked["context_precision"] = precision, len(passages)
        if statements:
            asked["context_recall"] = {**known, "statements": statements}, len(statements)
    return asked


def _with_announcement(citation: Citation) -> str:
    """The quote below the lines that announce it, without which it may say the opposite."""
    return " ".join((*(label.text for label in citation.announced_by), citation.quote))


def _schema(count: int) -> dict[str, Any]:
    verdict = {"type": "string", "enum": ["yes", "no"]}
    verdicts = {"type": "array", "items": verdict, "minItems": count, "maxItems": count}
    return {
        "type": "object",
        "properties": {"verdicts": verdicts},
        "required": ["verdicts"],
        "additionalProperties": False,
    }


def _read(reply: str, expected: int) -> tuple[bool, ...] | None:
    """The verdicts, where there is exactly one for each; text around the JSON does no harm."""
    start, end = reply.find("{"), reply.rfind("}")
    try:
        found = json.loads(reply[start : end + 1])["verdicts"]
    except (ValueError, KeyError, TypeError):
        return None
    if not isinstance(found, list) or len(found) != expected:
        return None
    read = [{"yes": True, "no": False}.get(str(verdict).strip().lower()) for verdict in found]
    return None if None in read else tuple(map(bool, read))
