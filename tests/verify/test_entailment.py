"""Models that judge whether quotes carry a statement: what their values mean, and what follows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pincite.errors import ModelError
from pincite.records.flow import Citation, CitedCell, Label, Mode, Question, Verdict
from pincite.testing.fakes import EvenWeights
from pincite.verify.statements.claims import ClaimChecker, Finding, premise_of
from pincite.verify.statements.entailment import EntailmentModel, open_entailment_model
from tests.rerank.overlap_graph import write_folder

PREMISE = "The relief valve opens at a pressure of 6.5 bar."
CARRIED = "At a pressure of 6.5 bar the relief valve opens."
FOREIGN = "Tomatoes need much sunlight."
LAST_IS_ENTAILMENT = ("contradiction", "neutral", "entailment")
# The graph's logit is always the last value; before it stand zeros.


def folder_with(folder: Path, *labels: str, values: int = 0) -> Path:
    names = {str(place): label for place, label in enumerate(labels)}
    return write_folder(folder, labels=values or len(labels), id2label=names)


def opened(folder: Path, cache: Path) -> EntailmentModel:
    return open_entailment_model(folder, cache, runtime="onnxruntime")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, encoder_cache: Path) -> EntailmentModel:
    folder = tmp_path_factory.mktemp("models") / "nli"
    return opened(folder_with(folder, *LAST_IS_ENTAILMENT), encoder_cache)


@pytest.fixture(scope="module")
def against(tmp_path_factory: pytest.TempPathFactory, encoder_cache: Path) -> EntailmentModel:
    """Takes every statement with the words of its premise for a contradiction."""
    folder = tmp_path_factory.mktemp("models") / "against"
    return opened(folder_with(folder, "ENTAILMENT", "NEUTRAL", "CONTRADICTION"), encoder_cache)


def test_three_values_mean_what_the_labels_say(
    model: EntailmentModel, against: EntailmentModel
) -> None:
    assert model.judge(CARRIED, PREMISE).supported > 0.9
    assert model.judge(FOREIGN, PREMISE).supported < 0.1
    assert against.judge(CARRIED, PREMISE).contradicted > 0.9
    assert against.judge(CARRIED, PREMISE).supported < 0.1


def test_shares_of_three_values_sum_to_one_with_neutral(model: EntailmentModel) -> None:
    found = model.judge(FOREIGN, PREMISE)
    # Neutral and contradiction have the same logit in this graph.
    assert found.supported + 2 * found.contradicted == pytest.approx(1)


@pytest.mark.parametrize(
    ("labels", "is_turned"),
    [
        (("hallucinated", "consistent"), False),
        (("not_entailment", "entailment"), False),
        (("entailment", "not_entailment"), True),
        (("SUPPORTED", "UNSUPPORTED"), True),
    ],
)
def test_of_two_values_the_labels_say_which_means_yes(
    labels: tuple[str, str], is_turned: bool, tmp_path: Path, encoder_cache: Path
) -> None:
    found = opened(folder_with(tmp_path / "two", *labels), encoder_cache).judge(CARRIED, PREMISE)
    assert (found.supported < 0.1) is is_turned
    assert (found.supported > 0.9) is not is_turned
    assert found.contradicted == 0


def test_one_value_is_the_logit_of_consistent(tmp_path: Path, encoder_cache: Path) -> None:
    alone = opened(write_folder(tmp_path / "one", labels=1), encoder_cache)
    assert alone.judge(CARRIED, PREMISE).supported > 0.9
    assert alone.judge(FOREIGN, PREMISE).supported < 0.1


def test_quotes_longer_than_the_window_are_read_to_their_end(
    tmp_path: Path, encoder_cache: Path
) -> None:
    names = {str(place): label for place, label in enumerate(LAST_IS_ENTAILMENT)}
    folder = write_folder(tmp_path / "small", labels=3, id2label=names, max_position_embeddings=40)
    small = opened(folder, encoder_cache)
    filler = "Potatoes grow in sandy gardens near rivers. " * 20
    assert small.judge(CARRIED, filler).supported < 0.1
    assert small.judge(CARRIED, f"{filler}{PREMISE} {PREMISE}").supported > 0.5


@pytest.mark.parametrize(
    ("labels", "values", "message"),
    [
        ((), 3, r"calls its values '', '', ''; expected id2label with entailment"),
        (("LABEL_0", "LABEL_1"), 2, r"calls its values 'LABEL_0', 'LABEL_1'; expected id2label"),
        (("entailment", "neutral", "other"), 3, "expected id2label with entailment, neutral and"),
        (("entailment", "supported", "contradiction"), 3, "expected id2label"),
        (("a", "b", "c", "d"), 4, "gives 4 values for a pair; a model of verification.nli_model"),
    ],
    ids=["none", "numbers", "one unknown", "two say yes", "four"],
)
def test_a_model_that_does_not_say_what_its_values_mean_is_refused(
    labels: tuple[str, ...], values: int, message: str, tmp_path: Path, encoder_cache: Path
) -> None:
    folder = folder_with(tmp_path / "unclear", *labels, values=values)
    with pytest.raises(ModelError, match=message):
        opened(folder, encoder_cache)


def test_labels_that_are_no_object_are_told(tmp_path: Path, encoder_cache: Path) -> None:
    folder = write_folder(tmp_path / "list", labels=3)
    (folder / "config.json").write_text(json.dumps({"id2label": ["entailment"]}))
    with pytest.raises(ModelError, match=r"its id2label is \['entailment'\]; expected an object"):
        opened(folder, encoder_cache)


def test_a_folder_that_is_not_there_says_what_is_expected(
    tmp_path: Path, encoder_cache: Path
) -> None:
    with pytest.raises(ModelError, match=r"does not exist; expected a folder with model\.onnx"):
        opened(tmp_path / "nowhere", encoder_cache)


def citation(quote: str, *cells: CitedCell) -> Citation:
    return Citation(
        document="d", source="", sha256="", page=None, section="", start=0, end=len(quote),
        start_byte=None, end_byte=None, quote=quote, cells=cells,
    )  # fmt: skip


def check(model: EntailmentModel, claim: str, quote: str = PREMISE, least: float = 0.5) -> Finding:
    checker = ClaimChecker(EvenWeights(), entailment=model, least_entailed=least)
    question = Question(text="What is said?")
    return checker.check(question, claim, [citation(quote)], Mode.GENERATED)


def test_what_is_entailed_is_shown_with_its_probability(model: EntailmentModel) -> None:
    found = check(model, CARRIED)
    assert found.verdict is Verdict.SUPPORTED
    assert found.support is not None
    assert found.support > 0.9


def test_what_is_contradicted_is_left_out_with_a_verdict_of_its_own(
    against: EntailmentModel,
) -> None:
    assert check(against, CARRIED).verdict is Verdict.CONTRADICTED


def test_what_is_not_entailed_is_left_out_and_the_model_named(model: EntailmentModel) -> None:
    found = check(model, "The valve is made of brass.")
    assert found.verdict is Verdict.NOT_CLEARLY_CARRIED
    assert found.detail == f"{found.support:.2f} by nli"


def test_the_threshold_that_is_set_decides(model: EntailmentModel) -> None:
    sure = check(model, CARRIED).support or 0.0
    assert check(model, CARRIED, least=sure - 0.001).holds
    assert not check(model, CARRIED, least=sure + 0.001).holds


def test_numbers_and_negations_are_checked_before_any_model(model: EntailmentModel) -> None:
    wrong = check(model, "At a pressure of 7.5 bar the relief valve opens.")
    assert wrong.verdict is Verdict.NUMBER_NOT_IN_QUOTE
    negated = check(model, "At a pressure of 6.5 bar the relief valve does not open.")
    assert negated.verdict is Verdict.NEGATION_DIFFERS


def test_the_model_reads_what_the_cells_of_a_quote_mean() -> None:
    year, row = Label(start=0, end=4, text="2019"), Label(start=5, end=12, text="Revenue")
    cell = CitedCell(start=8, end=10, text="12", columns=(year,), rows=(row,))
    assert premise_of([citation("Revenue 12", cell)]) == "Revenue 12\nRevenue, 2019: 12"


def test_the_model_is_named(model: EntailmentModel) -> None:
    assert ClaimChecker(EvenWeights(), entailment=model).judged_by == model.name
    assert ClaimChecker(EvenWeights()).judged_by == "words alone"
