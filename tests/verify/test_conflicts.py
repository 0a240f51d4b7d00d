from __future__ import annotations

from pathlib import Path

import pytest

from pincite import Answer, Library

TORQUE = "The drain plug of the supply filter needs a torque of {} at every change."


QUESTION = "Which torque does the drain plug of the supply filter need at every change?"


def ask(folder: Path, texts: dict[str, str], *, most: int = 6, question: str = QUESTION) -> Answer:
    docs = folder / "docs"
    docs.mkdir()
    for name, text in texts.items():
        (docs / name).write_text(text, encoding="utf-8")
    overrides = {"embedding": {"model": "none"}, "evidence": {"max_sentences": most}}
    with Library.open(folder / "library", overrides=overrides) as library:
        library.ingest([docs])
        return library.ask(question)


def differences(answer: Answer) -> list[str]:
    return [reason for reason in answer.reasons if "differ" in reason]


def test_two_documents_that_differ_are_quoted_side_by_side_with_their_dates(tmp_path: Path) -> None:
    texts = {
        "pump-2019.txt": TORQUE.format("45 Nm"),
        "service notes.txt": TORQUE.format("60 Nm"),
    }
    answer = ask(tmp_path, texts)
    assert {citation.quote for citation in answer.citations} == set(texts.values())
    (told,) = differences(answer)
    assert "quotes [1] and [2] differ" in told
    assert "45 Nm in pump-2019.txt (2019)" in told
    assert "60 Nm in service notes.txt" in told
    assert [claim.citations for claim in answer.claims] == [(1,), (2,)]


@pytest.mark.parametrize(
    "other",
    [
        TORQUE.format("45 Nm"),
        TORQUE.format("45.0 Nm"),
        TORQUE.format("60 Nm").replace("supply", "Lyon"),
        TORQUE.format("60 Nm in 2021"),
        "The drain plug of the return line leaks when its torque is below 60 Nm.",
        TORQUE.format("60 °C"),
    ],
)
def test_the_same_another_thing_another_time_or_another_unit_is_no_difference(
    tmp_path: Path, other: str
) -> None:
    answer = ask(tmp_path, {"pump.txt": TORQUE.format("45 Nm"), "notes.txt": other})
    assert answer.citations
    assert differences(answer) == []


def test_forms_that_are_filled_in_for_many_things_do_not_differ(tmp_path: Path) -> None:
    texts = {f"sheet {name}.txt": TORQUE.format(f"{n} Nm") for n, name in enumerate("abcd", 40)}
    assert differences(ask(tmp_path, texts)) == []


def test_what_differs_is_quoted_even_where_one_quote_was_enough(tmp_path: Path) -> None:
    texts = {"pump.txt": TORQUE.format("45 Nm"), "notes.txt": TORQUE.format("60 Nm")}
    answer = ask(tmp_path, texts, most=1)
    assert {citation.quote for citation in answer.citations} == set(texts.values())
    assert len(differences(answer)) == 1


GLOVES = "Safety gloves {} at the drill in the workshop at all times."


def test_documents_that_contradict_each_other_in_words_are_quoted_side_by_side(
    tmp_path: Path,
) -> None:
    texts = {
        "workshop rules 2019.txt": GLOVES.format("must be worn"),
        "handbook.txt": GLOVES.format("need not be worn"),
    }
    answer = ask(tmp_path, texts, question="Must safety gloves be worn at the drill?")
    assert {citation.quote for citation in answer.citations} == set(texts.values())
    (told,) = differences(answer)
    assert "“must be worn” in workshop rules 2019.txt (2019)" in told
    assert "“need not be worn” in handbook.txt" in told


@pytest.mark.parametrize(
    "names", [["press GX-200.txt", "press GX-300.txt"], ["a.txt", "b.txt", "c.txt"]]
)
def test_what_is_said_of_several_models_or_in_a_form_does_not_contradict(
    tmp_path: Path, names: list[str]
) -> None:
    verbs = ["must be worn", "need not be worn", "may be worn"]
    texts = {name: GLOVES.format(verb) for name, verb in zip(names, verbs, strict=False)}
    answer = ask(tmp_path, texts, question="Must safety gloves be worn at the drill?")
    assert answer.citations
    assert differences(answer) == []


def test_a_unit_behind_the_last_of_several_numbers_is_told_once(tmp_path: Path) -> None:
    store = "The store room of the east wing must always be kept between {} degrees."
    texts = {"a.txt": store.format("15 and 30"), "b.txt": store.format("10 and 25")}
    (told,) = differences(ask(tmp_path, texts, question=store.format("which")))
    assert "15, 30 degrees in a.txt" in told
    assert "10, 25 degrees in b.txt" in told


CODE = "# Garage\n\nThe gate opens with code {}.\n"
CARETAKER = "# House\n\nThe caretaker of the west wing is {}.\n"


@pytest.mark.parametrize(
    ("question", "text", "here", "there"),
    [
        ("What is the code of the gate?", CODE, "3333", "4444"),
        ("What is the code of the gate?", CODE, "AX-33", "AX-44"),
        ("Who is the caretaker of the west wing?", CARETAKER, "Mr Adams", "Mrs Boyle"),
    ],
)
def test_another_code_or_name_below_the_same_heading_is_shown_beside_it(
    tmp_path: Path, question: str, text: str, here: str, there: str
) -> None:
    texts = {"a.md": text.format(here), "b.md": text.format(there)}
    answer = ask(tmp_path, texts, question=question)
    for value in (here, there):
        assert any(value in claim.text for claim in answer.shown)
    (told,) = differences(answer)
    assert here in told
    assert there in told
    assert not answer.short_answer


@pytest.mark.parametrize(
    ("text", "headings", "here", "there"),
    [
        ("The code of the alarm is {}.", ("Alarm", "Alarm system"), "4471", "9902"),
        (
            "The keys of the boathouse are kept by {}.",
            ("Keys", "Boathouse"),
            "Mr Lund",
            "Ms Ferro",
        ),
    ],
)
def test_headings_that_both_name_the_subject_may_differ(
    tmp_path: Path, text: str, headings: tuple[str, str], here: str, there: str
) -> None:
    both = zip(headings, (here, there), strict=True)
    texts = {
        f"{name}.md": f"# {heading}\n\n{text.format(value)}\n"
        for name, (heading, value) in zip("ab", both, strict=True)
    }
    (told,) = differences(ask(tmp_path, texts, question=text.format("what or whom")))
    assert here in told
    assert there in told


def test_two_things_of_one_kind_do_not_differ(tmp_path: Path) -> None:
    text = "# {} valve\n\nThe code of the valve is {}.\n"
    texts = {"a.md": text.format("North", "4471"), "b.md": text.format("South", "9902")}
    answer = ask(tmp_path, texts, question="What is the code of the valve?")
    assert differences(answer) == []


@pytest.mark.parametrize(
    "other",
    [
        "# Barn\n\nThe gate opens with code 4444.\n",
        "# Garage\n\nThe door opens with code 4444.\n",
        "# Garage\n\nThe gate opens with code 3333.\n",
        "# Garage\n\nThe gate opens with code 3333 or with 4444.\n",
    ],
)
def test_a_code_of_something_else_is_no_difference(tmp_path: Path, other: str) -> None:
    texts = {"a.md": CODE.format("3333"), "b.md": other}
    answer = ask(tmp_path, texts, question="What is the code of the gate?")
    assert answer.citations
    assert differences(answer) == []


def test_a_year_is_a_time_and_no_code(tmp_path: Path) -> None:
    text = "# Roof\n\nThe annual meeting of the members was in {}.\n"
    texts = {"a.md": text.format("2022"), "b.md": text.format("2023")}
    answer = ask(tmp_path, texts, question="When was the annual meeting of the members?")
    assert differences(answer) == []
