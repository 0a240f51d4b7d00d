"""What a model says of its own statements: believed only where it has shown that it can tell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pincite.errors import ModelError
from pincite.records.flow import Citation, Mode, Prompt, Question, Verdict
from pincite.settings.toml_files import shipped
from pincite.testing.fakes import EvenWeights
from pincite.testing.language_models import ScriptedModel
from pincite.verify.statements.claims import ClaimChecker, Finding
from pincite.verify.statements.own_judgement import OwnJudgement

QUOTE = "The river rises in two branches that descend from the flank of the mountains."
STATEMENT = "The river starts in two branches which come down from the flank of the mountains."
CONTROLS = shipped("verify/statements", "controls")["control"]
CARRIED = {one["carried"] for one in CONTROLS}
DIFFERING = {one["differs"] for one in CONTROLS}


class Telling(ScriptedModel):
    """Says how likely it is that a passage says a statement."""

    def __init__(self, likelihood: Callable[[str], float | None]) -> None:
        super().__init__(["..."])
        self._likelihood = likelihood
        self.judged: list[str] = []

    def likelihood_of_yes(self, prompt: Prompt) -> float | None:
        statement = prompt.messages[-1].content.partition("Statement: ")[2].partition("\n")[0]
        self.judged.append(statement)
        return self._likelihood(statement)


def able(statement: str) -> float:
    """As a model that tells the controls apart; of others it is as sure as they say."""
    if statement.startswith("The river"):
        return 0.97
    return 0.96 if statement in CARRIED else 0.4


def check(model: Telling, folder: Path, statement: str, quote: str = QUOTE) -> Finding:
    cited = Citation(
        document="d", source="river.txt", sha256="", page=None, section="", start=0, end=len(quote),
        start_byte=None, end_byte=None, quote=quote,
    )  # fmt: skip
    checker = ClaimChecker(EvenWeights(), judgement=OwnJudgement(model, folder / "judged.json"))
    return checker.check(Question(text=""), statement, [cited], Mode.GENERATED)


def test_a_statement_in_other_words_is_shown_as_such_with_its_likelihood(tmp_path: Path) -> None:
    found = check(Telling(able), tmp_path, STATEMENT)
    assert (found.verdict, found.support) == (Verdict.WORDED_FREELY, 0.97)


@pytest.mark.parametrize(
    ("likelihood", "why"),
    [
        (lambda _: 0.99, "it says yes to everything"),
        (lambda said: 1 - able(said), "it has them the wrong way round"),
        (lambda said: 0.98 if said not in CARRIED else 0.99, "0.97 is less than of what is wrong"),
        (lambda said: min(able(said), 0.95), "0.95 is not enough"),
        (lambda _: None, "it does not tell"),
    ],
)
def test_a_model_is_not_believed_if(
    tmp_path: Path, likelihood: Callable[[str], float | None], why: str
) -> None:
    def of(statement: str) -> float | None:
        is_last = statement == STATEMENT and likelihood(statement) is not None
        return min(0.97, likelihood(statement) or 0) if is_last else likelihood(statement)

    assert check(Telling(of), tmp_path, STATEMENT).verdict is Verdict.NOT_CLEARLY_CARRIED, why


def test_the_controls_are_asked_once_for_each_model_and_the_same_statement_too(
    tmp_path: Path,
) -> None:
    first, again = Telling(able), Telling(able)
    check(first, tmp_path, STATEMENT)
    check(again, tmp_path, STATEMENT)
    assert again.judged == [STATEMENT]
    assert len(first.judged) == 2 * len(CARRIED) + 1
    judgement = OwnJudgement(first, tmp_path / "judged.json")
    assert judgement.likelihood(STATEMENT, QUOTE) == judgement.likelihood(STATEMENT, QUOTE) == 0.97
    assert first.judged.count(STATEMENT) == 2


@pytest.mark.parametrize("written", ["", "[1]", '{"scripted 1": "high"}', "{"])
def test_a_damaged_file_of_results_is_made_anew(tmp_path: Path, written: str) -> None:
    (tmp_path / "judged.json").write_text(written)
    assert check(Telling(able), tmp_path, STATEMENT).holds
    again = Telling(able)
    assert check(again, tmp_path, STATEMENT).holds
    assert again.judged == [STATEMENT]


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("The river starts in 3 branches which come down from the mountains.", QUOTE),
        ("The river does not start in two branches that descend from the mountains.", QUOTE),
        ("The river Isar starts in two branches which come down from the mountains.", QUOTE),
        ("The river always starts in two branches which come down from the mountains.", QUOTE),
        (STATEMENT, QUOTE.replace("rises", "probably rises")),
        (STATEMENT, QUOTE.replace(".", " if it has rained.")),
    ],
)
def test_numbers_names_negations_and_conditions_are_never_left_to_a_model(
    tmp_path: Path, statement: str, quote: str
) -> None:
    model = Telling(able)
    assert not check(model, tmp_path, statement, quote).holds
    assert model.judged == []


def test_a_model_that_fails_leaves_the_words(tmp_path: Path) -> None:
    def fails(_: str) -> float:
        raise ModelError("the server is gone")

    assert check(Telling(fails), tmp_path, STATEMENT).verdict is Verdict.NOT_CLEARLY_CARRIED
    assert not (tmp_path / "judged.json").exists()
