"""Which answers are right, and what is counted about them?"""

from __future__ import annotations

import pytest

from evaluation.matching import Stretch, folded
from evaluation.questions import Gold, Judged
from evaluation.scoring import Score, score
from evaluation.showing import Shown, ShownQuote

DAYS = "You earn 13 days of sick leave a year."
BESIDE = "The office closes at six in the evening."


def asked(**given: object) -> Judged:
    form: dict[str, object] = {
        "id": "handbook-o-001",
        "half": "open",
        "collection": "handbook",
        "kind": "fact",
        "question": "how many sick days",
        "history": (),
        "expect": "answer",
        "gold": ((Gold(file="leave.md", quote=DAYS),),),
        "must_show": (("13",),),
        "must_not_show": (),
        "ideal": "13 days",
    }
    return Judged(**{**form, **given})  # type: ignore[arg-type]


def answer(*quotes: str, is_answered: bool = True) -> Shown:
    return Shown(
        is_answered=is_answered,
        printed="\n".join(quotes) + "\n",
        read=folded("\n".join(quotes)),
        quotes=tuple(
            ShownQuote(stretch=Stretch(file="leave.md", text=one), read=folded(one))
            for one in quotes
        ),
        confidence=0.8,
    )


def judged(question: Judged, shown: Shown) -> Score:
    places = [[Stretch(file=one.file, text=one.quote) for one in place] for place in question.gold]
    return score(question, places, shown)


def test_an_answer_with_the_place_and_the_words_is_right() -> None:
    found = judged(asked(), answer(DAYS))
    assert found.is_right
    assert (found.places_shown, found.quotes_beside, found.is_first_right) == (1, 0, True)


def test_the_right_words_from_another_place_are_wrong() -> None:
    found = judged(asked(), answer("There were 13 people in the room."))
    assert found.misses == ("no gold place is shown",)


def test_the_place_without_all_words_is_wrong() -> None:
    found = judged(asked(must_show=(("13",), ("carry over",))), answer(DAYS))
    assert found.misses == ("does not show 'carry over'",)
    assert not found.shows_everything


def test_one_of_a_group_is_enough() -> None:
    assert judged(asked(must_show=(("thirteen", "13"),)), answer(DAYS)).is_right


def test_what_must_not_be_shown_makes_it_wrong() -> None:
    found = judged(asked(must_not_show=("six",)), answer(DAYS, BESIDE))
    assert found.misses == ("shows 'six'",)


def test_quotes_beside_the_point_are_counted_and_the_first_is_looked_at() -> None:
    found = judged(asked(), answer(BESIDE, DAYS))
    assert found.is_right
    assert (found.quotes, found.quotes_beside, found.is_first_right) == (2, 1, False)
    assert not found.is_clear
    assert judged(asked(), answer(DAYS, BESIDE)).is_clear


def test_of_several_alternatives_one_shows_the_place() -> None:
    places = ((Gold(file="leave.txt", quote="other words"), Gold(file="leave.md", quote=DAYS)),)
    found = judged(asked(gold=places), answer(DAYS))
    assert (found.places, found.places_shown) == (1, 1)


def test_a_refusal_is_wrong_where_the_documents_answer() -> None:
    assert judged(asked(), answer(is_answered=False)).misses == ("refused",)


@pytest.mark.parametrize(("is_answered", "is_right"), [(True, False), (False, True)])
def test_what_the_documents_do_not_say_is_to_be_refused(is_answered: bool, is_right: bool) -> None:
    question = asked(kind="absent", expect="refuse", gold=(), must_show=())
    quotes = (BESIDE,) if is_answered else ()
    assert judged(question, answer(*quotes, is_answered=is_answered)).is_right is is_right


@pytest.mark.parametrize("expect", ["answer", "refuse"])
def test_in_another_language_a_refusal_and_a_right_answer_count(expect: str) -> None:
    question = asked(kind="language", expect=expect)
    assert judged(question, answer(is_answered=False)).is_right
    assert judged(question, answer(DAYS)).is_right
    assert not judged(question, answer(BESIDE)).is_right


def test_a_false_premise_is_refused_or_denied_by_its_place() -> None:
    question = asked(kind="premise", expect="deny", must_show=(), must_not_show=("six",))
    assert judged(question, answer(is_answered=False)).is_right
    assert judged(question, answer(DAYS)).is_right
    assert not judged(question, answer("Everybody leaves early.")).is_right
    assert not judged(question, answer(DAYS, BESIDE)).is_right


def test_a_score_is_the_same_after_json() -> None:
    found = judged(asked(), answer(BESIDE))
    assert Score.of({**found.form(), "misses": list(found.misses), "more": 1}) == found
