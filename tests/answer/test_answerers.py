from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from pincite.answer.extractive import ExtractiveAnswerer
from pincite.answer.generated import Carriers, GeneratedAnswerer
from pincite.answer.model_text import Reading
from pincite.answer.prompts import load_prompts
from pincite.answer.quoted import QuotedAnswerer
from pincite.errors import ModelError
from pincite.models.llm.output import Output, Pieces
from pincite.records.document import Span
from pincite.records.flow import (
    Draft,
    Evidence,
    Mode,
    Passage,
    Prompt,
    Question,
    Selection,
    Source,
)
from pincite.stages import LanguageModel
from pincite.testing.fakes import EvenWeights, MemorySources
from pincite.testing.language_models import ScriptedModel
from pincite.testing.samples import text_document

DOWN = ModelError("the server at 127.0.0.1 refused the connection; start it")
QUESTION = Question(text="Which torque do the bolts need?")
SENTENCES = [
    "The bolts need a torque of 45 Nm.",
    "Gloves must be worn at all times.",
    "The pump was built in Lyon in 1987.",
    "It is painted green.",
]
DOCUMENT = text_document(f"{SENTENCES[0]} {SENTENCES[1]}\n\n{SENTENCES[2]} {SENTENCES[3]}")
SOURCES = MemorySources([DOCUMENT])


def evidence(number: int, passage: str, score: float = 0.5) -> Evidence:
    sentence = SENTENCES[number]
    start = DOCUMENT.text.index(sentence)
    span = Span(document_id=DOCUMENT.id, start=start, end=start + len(sentence))
    held_in = Passage(id=passage, span=span, section=("Pump",), page=3, sentences=(span,))
    return Evidence(id=f"s{number + 1}", span=span, quote=sentence, passage=held_in, score=score)


CONTEXT = (evidence(0, "p1", 0.9), evidence(1, "p1"), evidence(2, "p2"), evidence(3, "p2"))
SELECTION = Selection(evidence=(CONTEXT[0],), context=CONTEXT)


def reading(mode: Mode) -> Reading:
    return Reading(load_prompts("default"), mode, SOURCES)


def generated(model: LanguageModel) -> GeneratedAnswerer:
    return GeneratedAnswerer(
        model,
        reading(Mode.GENERATED),
        load_prompts("default"),
        Carriers(EvenWeights()),
        ExtractiveAnswerer(SOURCES),
        max_tokens=100,
        temperature=0,
    )


def quoted(model: LanguageModel, most: int = 6) -> QuotedAnswerer:
    return QuotedAnswerer(
        model, reading(Mode.QUOTED), ExtractiveAnswerer(SOURCES), max_sentences=most, temperature=0
    )


def quotes_of(ids: Sequence[str]) -> list[str]:
    return [item.quote for item in CONTEXT if item.id in ids]


def test_what_the_model_writes_is_brought_together_with_the_sentences_that_carry_it() -> None:
    model = ScriptedModel(["The torque of the bolts is 45 Nm [1]. The pump was built in 1987 [2]."])
    draft = generated(model).draft(QUESTION, SELECTION)
    assert draft.mode is Mode.GENERATED
    assert [claim.text for claim in draft.claims] == [
        "The torque of the bolts is 45 Nm.",
        "The pump was built in 1987.",
    ]
    assert quotes_of(draft.claims[0].evidence_ids) == [SENTENCES[0]]
    assert quotes_of(draft.claims[1].evidence_ids) == [SENTENCES[2]]
    assert all(claim.verdict is None for claim in draft.claims)
    assert draft.fallback is not None
    assert [claim.evidence_ids for claim in draft.fallback.claims] == [("s1",)]


@pytest.mark.parametrize("mark", ["", " [2]", " [9]"])
def test_a_source_that_is_missing_wrong_or_unknown_is_put_right(mark: str) -> None:
    draft = generated(ScriptedModel([f"Gloves must be worn{mark}."])).draft(QUESTION, SELECTION)
    assert quotes_of(draft.claims[0].evidence_ids) == [SENTENCES[1]]


def test_a_statement_that_shares_no_word_with_the_sources_names_no_evidence() -> None:
    draft = generated(ScriptedModel(["Elephants remember [1]."])).draft(QUESTION, SELECTION)
    assert draft.claims[0].evidence_ids == ()


def test_a_model_that_refuses_leaves_nothing_to_show_and_says_so() -> None:
    draft = generated(ScriptedModel(["The documents do not say."])).draft(QUESTION, SELECTION)
    assert draft.claims == ()
    assert draft.fallback is None
    assert draft.notices == ("scripted says: The documents do not say.",)


@pytest.mark.parametrize("answerer", [generated, quoted])
def test_without_the_model_the_quotes_are_shown_and_the_reason_is_told(answerer: object) -> None:
    draft = answerer(ScriptedModel([DOWN])).draft(QUESTION, SELECTION)  # type: ignore[operator]
    assert draft.mode is Mode.EXTRACTIVE
    assert [claim.evidence_ids for claim in draft.claims] == [("s1",)]
    assert "refused the connection" in draft.notices[0]


@pytest.mark.parametrize("answerer", [generated, quoted])
def test_no_model_is_asked_when_there_is_nothing_to_read(answerer: object) -> None:
    model = ScriptedModel(["It is 5."])
    draft = answerer(model).draft(QUESTION, Selection(evidence=()))  # type: ignore[operator]
    assert draft.claims == ()
    assert not model.prompts


def test_the_model_reads_each_passage_once_with_number_place_and_exact_text() -> None:
    model = ScriptedModel(["It is 5."])
    generated(model).draft(QUESTION, SELECTION)
    read = model.prompts[0].messages[1].content
    assert f"[1] notes.txt, page 3, Pump\n{SENTENCES[0]} {SENTENCES[1]}" in read
    assert f"[2] notes.txt, page 3, Pump\n{SENTENCES[2]} {SENTENCES[3]}" in read
    assert QUESTION.text in read


def test_the_model_reads_the_name_that_a_file_has_in_the_collection() -> None:
    class Filed(MemorySources):
        def source(self, document_id: str, collection: str | None = None) -> Source:
            return replace(super().source(document_id), path=f"/{collection}/{collection}.txt")

    sources = Filed([DOCUMENT])
    told = Reading(load_prompts("default"), Mode.GENERATED, sources).messages(
        replace(QUESTION, collection="north"), CONTEXT
    )
    assert "[1] north.txt, page 3, Pump" in told[1].content


def test_sentences_that_were_left_out_between_two_are_marked() -> None:
    left_out = (CONTEXT[0], *CONTEXT[2:])
    one_passage = [
        Evidence(id=e.id, span=e.span, quote=e.quote, passage=CONTEXT[0].passage, score=e.score)
        for e in left_out
    ]
    told = reading(Mode.GENERATED).block(1, one_passage)
    assert f"{SENTENCES[0]}\n[...]\n{SENTENCES[2]} {SENTENCES[3]}" in told


def test_a_model_that_chooses_returns_numbers_and_the_sentences_are_printed() -> None:
    model = ScriptedModel(['{"sentences": [3, 1, 1]}'])
    draft = quoted(model).draft(QUESTION, SELECTION)
    assert draft.mode is Mode.QUOTED
    assert [claim.text for claim in draft.claims] == [SENTENCES[0], SENTENCES[2]]
    assert draft.notices == ()
    read = model.prompts[0]
    assert f"[3] {SENTENCES[2]}" in read.messages[1].content
    assert read.schema is not None
    assert json.dumps([1, 2, 3, 4]) in json.dumps(read.schema)


def test_no_more_sentences_are_printed_than_asked_for_and_unknown_numbers_are_nothing() -> None:
    draft = quoted(ScriptedModel(['{"sentences": [0, 7, -1, 2, 3, 4]}']), most=2).draft(
        QUESTION, SELECTION
    )
    assert [claim.text for claim in draft.claims] == [SENTENCES[1], SENTENCES[2]]


def test_a_model_that_chooses_nothing_leaves_nothing_to_show_and_says_so() -> None:
    draft = quoted(ScriptedModel(['{"sentences": []}'])).draft(QUESTION, SELECTION)
    assert draft.claims == ()
    assert draft.notices == ("scripted found no sentence that answers",)


@pytest.mark.parametrize(
    "output", ["The torque is 99 Nm.", "[1]", '{"sentences": ["1"]}', '{"sentences": [true]}', ""]
)
def test_a_model_that_writes_something_else_writes_nothing(output: str) -> None:
    draft = quoted(ScriptedModel([output])).draft(QUESTION, SELECTION)
    assert draft.mode is Mode.EXTRACTIVE
    assert [claim.evidence_ids for claim in draft.claims] == [("s1",)]
    assert "chosen without a model" in draft.notices[0]


def test_only_the_best_sentences_are_offered_in_their_order() -> None:
    model = ScriptedModel(['{"sentences": [1]}'])
    draft = quoted(model, most=1).draft(QUESTION, SELECTION)
    read = model.prompts[0].messages[1].content
    assert f"[1] {SENTENCES[0]}" in read
    assert f"[3] {SENTENCES[2]}" in read
    assert SENTENCES[3] not in read
    assert [claim.evidence_ids for claim in draft.claims] == [("s1",)]


def test_who_watches_is_given_each_statement_when_the_next_one_begins() -> None:
    model = ScriptedModel(
        ["The bolts need 6.5 Nm. [1] The pump was built in 1987. [2] Gloves must be worn [1]."]
    )
    seen: list[list[str]] = []
    whole = generated(model).draft(
        QUESTION, SELECTION, lambda draft: seen.append([claim.text for claim in draft.claims])
    )
    told = [claim.text for claim in whole.claims]
    # First the quotes, which need no model.
    assert seen[0][0].startswith("The bolts need a torque of 45 Nm.")
    assert seen[1:] == [told[:1], told[:2]]
    assert len(told) == 3


def test_a_refusal_is_not_shown_to_who_watches() -> None:
    refusal = load_prompts("default").refusal
    seen: list[Draft] = []
    generated(ScriptedModel([f"{refusal} The pump is old [2]. It is green [2]."])).draft(
        QUESTION, SELECTION, seen.append
    )
    assert [draft.mode for draft in seen] == [Mode.EXTRACTIVE]


def test_a_refusal_among_statements_is_told_and_is_none() -> None:
    refusal = load_prompts("default").refusal
    draft = generated(ScriptedModel([f"The pump was built in 1987. [2] {refusal}"])).draft(
        QUESTION, SELECTION
    )
    assert [claim.text for claim in draft.claims] == ["The pump was built in 1987."]
    assert any("also says" in notice for notice in draft.notices)


def test_what_was_written_before_the_model_failed_is_kept() -> None:
    class Failing(ScriptedModel):
        def write(self, prompt: Prompt) -> Output:
            whole = super().write(prompt)

            def pieces() -> Pieces:
                yield from whole
                raise ModelError("no answer within 60 s")

            return Output(self.name, pieces(), max_tokens=prompt.max_tokens)

    draft = generated(Failing(["The pump was built in 1987. [2] It is painted"])).draft(
        QUESTION, SELECTION
    )
    assert [claim.text for claim in draft.claims] == ["The pump was built in 1987."]
    assert "within 60 s" in draft.notices[-1]
    assert draft.fallback is not None
