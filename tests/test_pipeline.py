"""The flow from question to answer, watched while a model writes."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from pincite import Library
from pincite.assemble.writing import writing_stages
from pincite.pipeline import answer_question
from pincite.records.flow import Mode, Preview, Question
from pincite.testing.fakes import EvenWeights
from pincite.testing.language_models import ScriptedModel

SAMPLES = Path(str(files("pincite.interfaces.samples"))) / "documents"
WRITTEN = (
    "Tomatoes grow best on a soil pH of 6.0 to 6.8 [1]. Tomatoes need 90 hours of sun [1]. "
    "Peppers prefer a slightly narrower range [1]."
)


def test_who_watches_sees_what_holds_and_nothing_else(tmp_path: Path) -> None:
    overrides = {"generation": {"mode": "generated"}, "verification": {"least_share": 0.1}}
    seen: list[Preview] = []
    with Library.open(tmp_path / "library", overrides=overrides) as library:
        library.ingest([SAMPLES / "tomato-crop-guide.md"])
        writing = writing_stages(
            library.settings, library.catalog, EvenWeights(), ScriptedModel([WRITTEN])
        )
        stages = replace(library.stages(), selector=writing.selector, answerer=writing.answerer)
        question = Question(text="Which soil pH is best for tomatoes?")
        answer = answer_question(question, stages, seen.append)
        unwatched = answer_question(question, stages)
    assert answer.mode is Mode.GENERATED
    assert [claim.text for claim in answer.left_out] == ["Tomatoes need 90 hours of sun."]
    quotes, *written = seen
    assert quotes.mode is Mode.EXTRACTIVE
    assert quotes.citations
    assert len(written) == 2, "the last statement comes with the answer"
    for preview in written:
        assert preview.claims == answer.claims[:1]
        assert preview.citations[0] in answer.citations
    assert unwatched.text == answer.text


def test_quotes_alone_are_there_at_once(tmp_path: Path) -> None:
    seen: list[Preview] = []
    with Library.open(tmp_path / "library") as library:
        library.ingest([SAMPLES / "tomato-crop-guide.md"])
        answer = library.ask("Which soil pH is best for tomatoes?", watch=seen.append)
    assert answer.citations
    assert seen == []
