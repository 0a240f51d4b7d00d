"""What counts as a mention, and that looking at few places loses none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.records.counts import Closeness
from pincite.text.mentions import Mentions, words_of

SIDE = Closeness.SIDE_BY_SIDE
EXACT = Closeness.EXACT
APART = Closeness.IN_ONE_SENTENCE


def found(subject: str, text: str, closeness: Closeness = SIDE, language: str = "en") -> list[str]:
    return Mentions(subject, closeness, language).found(text)


def test_any_form_of_a_word_counts() -> None:
    assert found("valve", "Valves: one VALVE, a valve's seat.") == ["Valves", "VALVE", "valve"]
    assert found("Rohr", "Die Rohre und des Rohres", language="de") == ["Rohre", "Rohres"]


def test_of_exact_words_endings_count_but_case_and_accents_do_not() -> None:
    assert found("valve", "valves, Valve", EXACT) == ["Valve"]
    assert found("fenetre", "La Fenêtre; fenêtres", EXACT) == ["Fenêtre"]


def test_a_word_inside_another_is_no_mention() -> None:
    assert found("bar", "barrier, crowbar, bar_code, 5bar") == ["bar"]


def test_a_number_keeps_its_decimals() -> None:
    assert found("5 bar", "12.5 bar, 5 bar, 5.0 bar, 1,5 bar") == ["5 bar"]
    assert found("12.5", "12.5 and 12,5 and 12 5") == ["12.5"]


@pytest.mark.parametrize(
    ("subject", "line"),
    [
        ("50212", "50212,7,21.50,York"),
        ("50212", "50212,7"),
        ("21.50", "50212,7,21.50,York"),
        ("9001", "T-9001,2025-01-02,Ann"),
        ("1042", "the codes 1042,2025,3055 apply"),
        ("300", "GX-200/GX-300,400"),
        ("1.250,75", "Preis 1.250,75 EUR"),
    ],
)
def test_a_comma_between_cells_or_codes_joins_no_numbers(subject: str, line: str) -> None:
    assert found(subject, line) == [subject]


def test_a_comma_within_a_number_joins_it() -> None:
    assert found("000", "2,000 units") == found("5", "-1,5 °C") == found("75", "1.250,75 EUR") == []


def test_words_stand_in_order_with_nothing_but_signs_between() -> None:
    text = "The relief valve; relief-valves; valve relief; relief and valve."
    assert found("relief valve", text) == ["relief valve", "relief valves"]


def test_words_apart_are_one_mention_of_their_sentence() -> None:
    text = "Check each valve before relief is given, and that valve again."
    assert len(found("relief of the valve", text, APART)) == 1
    assert found("relief valve", "Check each valve.", APART) == []


def test_a_word_broken_at_the_end_of_a_line_is_one_word() -> None:
    assert found("international", "an inter-\nnational rule") == ["international"]
    assert found("national", "an inter-\nnational rule") == []
    assert found("test stand", "the test-\nstand") == ["test stand"]


def test_what_nobody_sees_hides_no_word() -> None:
    assert len(found("torque", "t\u00adorque, tor\u200bque, to\u0301rque, ｔｏｒｑｕｅ")) == 4
    assert len(found("office", "the o\ufb03ce")) == 1
    assert len(found("café", "cafÃ© is cafe\u0301")) == 2


def test_scripts_without_spaces_are_searched_letter_by_letter() -> None:
    assert found("水压", "测试水压力", language="zh") == ["水 压"]


@pytest.mark.parametrize("subject", ["", "?!", "  ", "_"])
def test_a_subject_without_words_is_refused(subject: str) -> None:
    with pytest.raises(ValueError, match="no words"):
        Mentions(subject, SIDE, "en")


WORDS = st.sampled_from(
    ["torque", "Torques", "tórque", "to\u0301rque", "t\u00adorque", "tor-\nque", "dry", "dries",
     "Öl", "ol", "oils", "o\ufb03ce", "office", "straße", "Strasse", "12.5", "5", "5,0", "5,0,12.5",
     "йод", "水压", "test", "cafÃ©", "x_torque", "a.torque", "İstanbul", "ﬁre", "fires", "–", "“",
     "½", "ＴＥＳＴ"]
)  # fmt: skip
GAPS = st.sampled_from([" ", " ", "\n", "-", ". ", "", ", ", "\u200b"])


@given(
    parts=st.lists(st.tuples(WORDS, GAPS), max_size=12),
    subject=WORDS,
    closeness=st.sampled_from(Closeness),
    language=st.sampled_from(["en", "de", "fr", "ru", "nl"]),
)
def test_every_mention_has_one_of_the_places_inside_it(
    parts: list[tuple[str, str]], subject: str, closeness: Closeness, language: str
) -> None:
    text = "".join(word + gap for word, gap in parts)
    if not words_of(subject):
        return
    mentions = Mentions(subject, closeness, language)
    if mentions.found(text):
        assert list(mentions.places(text))


# Without what looks wrongly decoded: a word of such a text may, alone, look so again.
LETTERS = st.characters(exclude_characters="ÃâÂðÐÑØÙæåçãœ˜", exclude_categories=("Cs",))


@given(text=st.text(LETTERS, max_size=60), closeness=st.sampled_from(Closeness))
def test_a_text_mentions_each_of_its_own_words(text: str, closeness: Closeness) -> None:
    for word in words_of(text):
        mentions = Mentions(word, closeness, "en")
        assert mentions.found(text)
        assert list(mentions.places(text))
