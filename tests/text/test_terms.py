from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.text.languages import UNKNOWN
from pincite.text.question_words import without_asking_words
from pincite.text.terms import _analysis, question_terms, terms

WORDS = st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789ÄÖÜßéñЖд", min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("GSE-204.1", ["gse-204.1", "gse", "204", "1"]),
        ("12.5", ["12.5", "12", "5"]),
        ("max_flow_rate", ["max_flow_rate", "max", "flow", "rate"]),
        ("info@example.org", ["info@example.org", "info", "exampl", "org"]),
        ("M12", ["m12"]),
        ("2,000", ["2,000", "2", "000"]),
        ("TK-7,21.5,Leeds,York", ["tk-7", "tk", "7", "21.5", "21", "5", "leed", "york"]),
    ],
)
def test_identifiers_give_the_whole_and_its_parts(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_punctuation_around_an_identifier_is_not_part_of_it() -> None:
    assert terms("(GSE-204.1).") == terms("GSE-204.1")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Température", "temperature"),
        ("ÅNGSTRÖM", "angstrom"),
        ("ﬁlter", "filter"),
        ("Straße", "STRASSE"),
        ("ＡＢＣ１２", "abc12"),
        ("е\u0301лка", "елка"),
    ],
)
def test_case_accents_and_compatibility_forms_make_no_difference(one: str, other: str) -> None:
    assert terms(one) == terms(other) != []


@pytest.mark.parametrize(
    ("one", "other"),
    [("pumps", "pump"), ("Newton's", "Newton"), ("Newton’s", "Newton"), ("bolts'", "bolt")],
)
def test_plurals_and_possessives_are_the_same_word(one: str, other: str) -> None:
    assert terms(one) == terms(other)


def test_contractions_are_one_word() -> None:
    assert terms("don't") == terms("don’t") == ["dont"]


def test_stop_words_are_dropped() -> None:
    assert terms("What is the torque of this bolt?") == terms("torque bolt")


def test_negations_are_no_stop_words() -> None:
    assert terms("not without") == ["not", "without"]


def test_chinese_and_japanese_give_overlapping_pairs() -> None:
    assert terms("冷却水") == ["冷却", "却水"]
    assert terms("水") == ["水"]
    assert terms("水pump冷却") == ["水", "pump", "冷却"]


def test_thai_gives_overlapping_pairs() -> None:
    assert terms("น้ำ")[0] in terms("น้ำเย็น")


def test_a_question_of_only_stop_words_keeps_them() -> None:
    assert terms("Who is it?") == []
    assert question_terms("Who is it?") == {"who": "Who", "is": "is", "it": "it"}


def test_a_question_without_words_has_no_terms() -> None:
    assert not question_terms("??? … 🎉")


def test_question_terms_are_distinct_in_order_and_know_their_word() -> None:
    found = question_terms("Pumps, valve, PUMP and valve")
    assert list(found.items()) == [("pump", "Pumps"), ("valv", "valve")]


@given(st.lists(WORDS).map(" ".join))
def test_a_question_asks_for_the_terms_its_text_has(text: str) -> None:
    asked = terms(without_asking_words(text, UNKNOWN)) or terms(text)
    assert list(question_terms(text)) == list(dict.fromkeys(asked)) or not asked


@given(st.text())
def test_a_term_is_never_empty_and_holds_no_white_space(text: str) -> None:
    assert all(term and term.split() == [term] for term in terms(text))


@given(st.lists(WORDS))
def test_words_do_not_change_their_neighbours(words: list[str]) -> None:
    apart = [term for word in words for term in terms(word)]
    assert terms(" ".join(words)) == apart
    assert terms("\n".join(words)) == apart


@given(st.lists(WORDS).map(" ".join))
def test_upper_and_lower_case_give_the_same_terms(text: str) -> None:
    assert terms(text.upper()) == terms(text.lower())


@pytest.mark.parametrize(
    "text", ["Tempe\u0301rature des vannes", "ﬁlter bowl", "한국어는", "किताब में", "が"]
)
def test_the_terms_of_a_question_are_those_of_its_text(text: str) -> None:
    assert list(question_terms(text)) == list(dict.fromkeys(terms(text)))


def test_korean_gives_pairs_and_indic_words_stay_whole() -> None:
    assert "한국" in terms("한국어는")
    assert terms("किताब") == ["किताब"]
    assert terms("が") != terms("か")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("an inter-\nnational water", ["internat", "inter-national", "water"]),
        ("part GSE-\n204 here", ["part", "gse-204", "gse", "204", "here"]),
        ("a - \nb", ["b"]),
        ("wa\u200bter so\u00adft", ["water", "soft"]),
    ],
)
def test_a_word_is_found_though_it_is_broken_or_holds_what_nobody_sees(
    text: str, expected: list[str]
) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("§ 4.2", ["§4.2", "4.2", "4", "2"]),
        ("§4.2", ["§4.2", "4.2", "4", "2"]),
        ("C++ and C#", ["c++", "c", "c#", "c"]),
        ("--dry-run", ["--dry-run", "dry-run", "dri", "run"]),
        ("maxFlowRate", ["maxflowr", "max", "flow", "rate"]),
        ("theHTTPServer", ["thehttpserv", "the", "http", "server"]),
        ("os.path.join", ["os.path.join", "os", "path", "join"]),
        ("AB1234-X", ["ab1234-x", "ab1234", "ab", "1234", "x"]),
        ("v2.10.3", ["2.10.3", "v2", "2", "10", "3"]),
    ],
)
def test_names_in_programs_laws_and_lists_of_parts_give_the_whole_and_its_parts(
    text: str, expected: list[str]
) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("one", "other"), [("AB 1234-X", "AB1234-X"), ("GSE 204", "GSE-204"), ("flowRate", "flow_rate")]
)
def test_two_spellings_of_an_identifier_share_their_parts(one: str, other: str) -> None:
    assert len(set(terms(one)) & set(terms(other))) >= 2


def test_two_hyphens_between_words_are_a_dash() -> None:
    assert terms("pump--valve") == ["pump", "valv"]


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("de", "Ventile", "Ventil"),
        ("fr", "l'événement", "événements"),
        ("es", "canciones", "canción"),
        ("it", "dell'industria", "industrie"),
        ("nl", "pompen", "pomp"),
        ("pt", "universidades", "universidade"),
        ("pl", "książka", "książki"),
        ("tr", "şehirler", "şehir"),
        ("ru", "новая", "новый"),
        ("el", "πόλεμος", "πολέμου"),
        ("ar", "الكتب", "كتب"),
        ("hi", "लड़कियों", "लड़की"),
    ],
)
def test_forms_of_a_word_are_one_term_in_many_languages(
    language: str, one: str, other: str
) -> None:
    assert terms(one, language) == terms(other, language) != []


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Wie ist das mit der"),
        ("fr", "est-ce que la"),
        ("ru", "что это и как"),
        ("hi", "यह क्या है"),
        ("tr", "bu ne için"),
    ],
)
def test_each_language_has_stop_words_of_its_own(language: str, text: str) -> None:
    assert not {term for term in terms(text, language) if term.isalpha() and term != "ce"}


def test_script_decides_over_language() -> None:
    assert terms("новая", "en") == terms("новая", "de")


def test_letters_that_are_not_made_of_two_are_folded_too() -> None:
    assert terms("Łódź Ørsted œuvre", "vi") == ["lodz", "orsted", "oeuvre"]
    assert terms("мой", "vi") != terms("мои", "vi")


def test_several_threads_get_the_same_terms() -> None:
    words = [
        f"{stem}{ending}" for stem in ("valv", "pump", "motor") for ending in ("es", "ing", "ed")
    ]
    texts = [" ".join(f"{word}{letter}" for word in words) for letter in "abcdefghij"]
    alone = [terms(text, "en") for text in texts]
    _analysis.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(terms, texts)) == alone
