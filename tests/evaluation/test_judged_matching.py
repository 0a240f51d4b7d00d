"""When do two texts count as the same for a judge of answers?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.matching import Stretch, find, folded, is_from, readable


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Ask your **supervisor**  first.", "ask your supervisor first."),
        ("See [the guide](https://x.example/a_b) now", "see the guide now"),
        ("## Leave\n\n- annual\n- sick", "leave annual sick"),
        ("Line<br>break &amp; more", "line break & more"),
        ("use `git_rebase` _now_", "use git_rebase now"),
        ("It’s 5–7 days", "it's 5-7 days"),
        ("| a | b |", "a b"),
    ],
)
def test_marks_case_and_blanks_do_not_count(text: str, seen: str) -> None:
    assert folded(text) == seen


@given(st.text())
def test_folding_leaves_no_double_blanks_and_no_capitals(text: str) -> None:
    seen = folded(text)
    assert seen == " ".join(seen.split())
    assert not any("A" <= letter <= "Z" for letter in seen)


def test_placeholders_in_angle_brackets_are_no_tags() -> None:
    assert folded("git rebase <upstream>") == "git rebase <upstream>"


@pytest.mark.parametrize("text", ["it is 28 days", "28", "(28)", "costs $28."])
def test_a_number_is_readable_where_it_stands_alone(text: str) -> None:
    assert readable("28", folded(text))


@pytest.mark.parametrize("text", ["128 days", "28,500", "1.28", "2834", "28.5"])
def test_a_number_is_not_readable_inside_another(text: str) -> None:
    assert not readable("28", folded(text))


def test_short_words_are_whole_words_and_long_ones_may_go_on() -> None:
    assert not readable("no", folded("it is known"))
    assert readable("no", folded("No, it is not"))
    assert readable("supervisor", folded("your supervisors"))


def test_nothing_is_never_readable() -> None:
    assert not readable("**", "anything")


def test_a_quote_shows_a_place_when_their_spans_overlap() -> None:
    place = Stretch(file="a.md", text="Sick leave is earned.", spans=((10, 31),))
    assert is_from(Stretch(file="a.md", text="x", spans=((30, 40),)), place)
    assert not is_from(Stretch(file="a.md", text="x", spans=((31, 40),)), place)
    assert not is_from(Stretch(file="b.md", text="x", spans=((10, 31),)), place)


def test_a_quote_of_the_same_words_in_another_file_shows_the_place() -> None:
    place = Stretch(file="a.html", text="Rebase replays commits on another base.")
    assert is_from(
        Stretch(file="a.txt", text="So: rebase replays\ncommits on another base."), place
    )
    assert is_from(Stretch(file="a.txt", text="replays commits on another base"), place)


def test_a_few_words_of_a_place_do_not_show_it() -> None:
    place = Stretch(file="a.html", text="Rebase replays commits on another base.")
    assert not is_from(Stretch(file="a.txt", text="commits"), place)
    assert not is_from(Stretch(file="a.txt", text=""), place)


def test_a_place_of_a_few_words_is_shown_only_by_its_span() -> None:
    place = Stretch(file="a.html", text="commits", spans=((7, 14),))
    assert not is_from(Stretch(file="b.html", text="It lists commits and more."), place)
    assert is_from(Stretch(file="a.html", text="It lists commits.", spans=((0, 16),)), place)


@given(st.lists(st.text("abcé(.*", min_size=1), min_size=1), st.sampled_from([" ", "\n", " \n\t "]))
def test_words_are_found_whatever_blanks_are_between_them(words: list[str], blank: str) -> None:
    text = f"begin {blank.join(words)} end"
    (found, *_) = find(" ".join(words), text)
    assert text[slice(*found)].split() == " ".join(words).split()


def test_words_that_stand_twice_are_found_twice() -> None:
    assert find("sick leave", "sick leave and sick\nleave") == ((0, 10), (15, 25))


def test_words_that_are_not_there_are_not_found() -> None:
    assert not find("no such words", "other words")
    assert not find("", "other words")
