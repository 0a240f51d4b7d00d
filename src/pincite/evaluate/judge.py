"""Judges answers with a language model, as in RAGAS (Es et al. 2023, arXiv:2309.15217)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from string import Template
from typing import Any

from pincite.answer.prompts import without_turn_marks
from pincite.errors import ModelError, ModelUnreachable, UsageError
from pincite.evaluate.datasets import GoldQuestion
from pincite.library.library import Library
from pincite.records.flow import Answer, Citation, Message, Mode, Prompt
from pincite.settings.toml_files import TomlFile, toml_file
from pincite.stages import LanguageModel
from pincite.text.as_read import whole_characters
from pincite.text.locations import on_one_line
from pincite.text.sentences import sentence_spans

_TOKENS_OF_A_VERDICT = 8
"""In the output, where a model may put each verdict on its own indented line."""
_TOKENS_OF_BRACES = 24
_UNKNOWN = "not known"
_FAILURES = 3
"""Consecutive server failures after which the model is no longer asked: each may take minutes."""
_NOTES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A model's verdicts on one answer, yes or no, by measure.

    `not_judged` are the measures without a readable reply.
    """

    verdicts: Mapping[str, tuple[bool, ...]]
    not_judged: tuple[str, ...]

    @property
    def values(self) -> dict[str, float]:
        """The judged measures, in 0..1: the share of yes or, for passages, the average precision."""
        return {
            name: average_precision(found) if name == "context_precision" else float(mean(found))
            for name, found in self.verdicts.items()
        }


class Judge:
    """Asks a model for yes or no at temperature 0.

    A reply without exactly one yes or no for each item is not a judgement; nothing is guessed. After
    three consecutive failures or timeouts of the server, the model is no longer asked.
    """

    def __init__(self, model: LanguageModel, prompts: JudgePrompts) -> None:
        self._model = model
        self._prompts = prompts
        self._notices: Counter[str] = Counter()
        self._by: dict[str, None] = {}
        self._failures = 0

    @property
    def by(self) -> str:
        """The models that judged."""
        return ", ".join(self._by) or self._model.name

    @property
    def prompts(self) -> str:
        """The name of the prompt file."""
        return self._prompts.name

    @property
    def notes(self) -> tuple[str, ...]:
        """Why some answers were not judged, and the model's notices."""
        shown = [
            f"judge: {notice} ({n:,} times)" for notice, n in self._notices.most_common(_NOTES)
        ]
        more = len(self._notices) - len(shown)
        return (*shown, f"judge: {more:,} other notices") if more else tuple(shown)

    def check(self) -> None:
        """Ask for one verdict. Raises UsageError if the model is not available."""
        try:
            self._reply("faithfulness", {"quotes": ["It is red."], "statements": ["It is red."]}, 1)
        except ModelError as error:
            raise UsageError(
                f"--judge: the language model is not available: {error}; see 'pincite models list'"
            ) from error

    def judge(self, question: GoldQuestion, answer: Answer, passages: Sequence[str]) -> Judgement:
        """The model's judgement of an answer and of the passages found for it, best first."""
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
            self._notices[f"no longer asked, after {_FAILURES} failures in a row"] += 1
            return None
        try:
            reply = self._reply(measure, known, count)
        except ModelError as error:
            self._failures += isinstance(error, ModelUnreachable)
            self._notices[str(error)] += 1
            return None
        self._failures = 0
        found = _read(reply, count)
        if found is None:
            self._notices[f"{measure}: an unreadable reply"] += 1
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
        # A reply that was cut off is unreadable, which is noted already.
        self._notices.update(() if writing.is_cut else writing.notices)
        return reply


def open_judge(library: Library, prompts: JudgePrompts) -> Judge:
    """A judge with the language model of a library's settings, checked with one question.

    Raises UsageError if the settings name no model, or if it is not available.
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
    """RAGAS's context precision: the mean precision at the ranks of useful passages, in 0..1."""
    ranks = [rank for rank, is_useful in enumerate(useful, start=1) if is_useful]
    return sum(count / rank for count, rank in enumerate(ranks, start=1)) / max(1, len(ranks))


def _asked(
    question: GoldQuestion, answer: Answer, passages: Sequence[str]
) -> dict[str, tuple[Mapping[str, str | Sequence[str]], int]]:
    """For each measure that applies: the values of the prompt's fields, and the number of verdicts."""
    asked: dict[str, tuple[Mapping[str, str | Sequence[str]], int]] = {}
    reference = question.answers[0] if question.answers else ""
    statements = [reference[start:end] for start, end in sentence_spans(reference)]
    claims = [claim.text for claim in answer.claims]
    # No quote states a count over the whole collection.
    if claims and answer.mode is not Mode.COUNTED:
        quotes = [_with_announcement(citation) for citation in answer.citations]
        asked["faithfulness"] = {"quotes": quotes, "statements": claims}, len(claims)
    if claims:
        asked["answer_relevance"] = {"question": question.text, "answer": answer.text}, 1
    if question.answerable is not False and passages:
        known = {"question": question.text, "passages": passages}
        precision = {**known, "reference": reference or _UNKNOWN}
        asked["context_precision"] = precision, len(passages)
        if statements:
            asked["context_recall"] = {**known, "statements": statements}, len(statements)
    return asked


def _with_announcement(citation: Citation) -> str:
    """The quote after the lines that introduce it, without which it may mean the opposite."""
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
    """The verdicts if there are as many as expected; text around the JSON is ignored."""
    start, end = reply.find("{"), reply.rfind("}")
    try:
        found = json.loads(reply[start : end + 1])["verdicts"]
    except (ValueError, KeyError, TypeError):
        return None
    if not isinstance(found, list) or len(found) != expected:
        return None
    read = [{"yes": True, "no": False}.get(str(verdict).strip().lower()) for verdict in found]
    return None if None in read else tuple(map(bool, read))


# Prompts of the judge: built-in files, or the user's own.

JUDGED: Mapping[str, Sequence[str]] = {
    "faithfulness": ("quotes", "statements"),
    "answer_relevance": ("question", "answer"),
    "context_precision": ("question", "reference", "passages"),
    "context_recall": ("question", "passages", "statements"),
}
"""The judged measures and the fields of their prompts."""

_FOLDER = "evaluate/judging"
_PARTS = ("system", "user")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePrompts:
    """The system and user texts for each measure; `name` is the file's name."""

    name: str
    texts: Mapping[str, tuple[str, str]]

    def messages(self, measure: str, known: Mapping[str, str | Sequence[str]]) -> Sequence[Message]:
        """The messages for the model. Lists become numbered lines.

        Each text is on one line without chat template marks, so that no document can break out.
        """
        filled = {name: _shown(value) for name, value in known.items()}
        system, user = self.texts[measure]
        return (
            Message(role="system", content=Template(system).safe_substitute()),
            Message(role="user", content=Template(user).safe_substitute(filled)),
        )


def load_judge_prompts(chosen: str = "default") -> JudgePrompts:
    """The prompts of a built-in file or the user's own.

    Raises SettingsError that names the file, the key, what was found and what was expected.
    """
    file = toml_file(chosen, shipped_in=_FOLDER, setting="--judge-prompts")
    file.only("", file.content, JUDGED)
    texts = {}
    for measure, fields in JUDGED.items():
        found = file.table(measure, file.content.get(measure))
        file.only(measure, found, _PARTS)
        system = _text(file, f"{measure}.system", found.get("system"), ())
        texts[measure] = (system, _text(file, f"{measure}.user", found.get("user"), fields))
    return JudgePrompts(name=chosen, texts=texts)


def _text(file: TomlFile, key: str, found: object, fields: Sequence[str]) -> str:
    """A text with exactly these fields. Raises SettingsError otherwise."""
    if not isinstance(found, str) or not found.strip():
        raise file.problem(key, found, "a text")
    template = Template(found)
    if not template.is_valid() or set(template.get_identifiers()) != set(fields):
        known = " and ".join(f"${field}" for field in fields) or "no fields"
        raise file.problem(key, found, f"a text with {known} (a dollar sign is written $$)")
    return found.strip("\n")


def _shown(value: str | Sequence[str]) -> str:
    if isinstance(value, str):
        return on_one_line(without_turn_marks(whole_characters(value)))
    return "\n".join(f"[{number}] {_shown(text)}" for number, text in enumerate(value, start=1))
