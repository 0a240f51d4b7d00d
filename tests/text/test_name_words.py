from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.text.document_names import name_words, names_of


def single(text: str) -> set[str]:
    return {word.term for word in name_words(text) if not word.parts}


def every(text: str) -> set[str]:
    return {word.term for word in name_words(text)}


@pytest.mark.parametrize(
    ("name", "asked", "shared"),
    [
        ("2018-10K_3M.final(2)", "What was 3M's FY2018 capex in its 10-K?", {"3m", "2018", "10k"}),
        (
            "BESTBUY_2024Q2_10Q",
            "What did Best Buy sell in Q2 of FY2024?",
            {"bestbuy", "2024", "q2"},
        ),
        ("BestBuyReport", "the report of Best Buy", {"best", "buy", "report"}),
        ("Fiverr", "Consider Fiverr's privacy policy", {"fiverr"}),
        ("Société_2019", "the balance of Societe in 2019", {"societ", "2019"}),
        ("minutes_2023-07-04", "What was decided in July 2023?", {"juli", "2023"}),
        ("minutes_20230704", "What was decided in July 2023?", {"juli"}),
        ("minutes_2023-10-04", "What was decided on 2023-10-04?", {"2023", "10", "4", "octob"}),
        ("Figures FY19", "figures of 2019", {"figur", "2019"}),
        ("OEBA_10-K_FY22", "OEBA in FY2022", {"oeba", "2022"}),
        ("figures-q4-2021-ex23", "figures of FY23", {"figur"}),
        ("Figures 2019", "figures of FY19", {"figur", "2019"}),
    ],
)
def test_a_messy_name_shares_its_telling_words_with_a_question(
    name: str, asked: str, shared: set[str]
) -> None:
    (cleaned,) = names_of(f"/{name}.pdf", "")
    assert shared <= every(cleaned)
    assert shared <= every(asked)


def test_a_year_before_a_form_is_no_date() -> None:
    assert not {"octob"} & every("2018-10K")


def test_words_are_cut_at_case_digits_and_separators() -> None:
    assert single("AcmeFoods_2018-10K") == {"acm", "food", "2018", "10", "k"}
    assert {"acmefood", "2018", "10k"} <= every("AcmeFoods_2018-10K")


def test_numbers_lose_leading_zeros() -> None:
    assert single("Chapter 07") == single("chapter 7")


def test_a_word_is_marked_by_a_digit_or_a_capital_that_the_start_does_not_explain() -> None:
    marked = {w.term for w in name_words("What did Acme earn in 2018") if w.is_marked}
    assert {"acm", "2018"} <= marked
    assert not {"what", "earn"} & marked


def test_a_file_is_called_by_its_name_with_folders_and_by_its_title() -> None:
    assert names_of("/data/3M/2018/10-K.pdf", "Annual Report") == (
        "data 3M 2018 10-K",
        "Annual Report",
    )
    assert names_of("/000/000123/Fiverr.txt", "Fiverr") == ("Fiverr",)


@pytest.mark.parametrize(
    "noise", ["379f44022bb27aa53efd5d322c7b57bf", "final", "(2)", "v3", "copy", "Scan"]
)
def test_ids_copies_and_empty_words_are_left_out(noise: str) -> None:
    (name,) = names_of(f"/Acme {noise}.pdf", "")
    assert single(name) == {"acm"}
    assert names_of(f"/{noise}.pdf", "") == ()


def test_percent_signs_of_downloads_are_decoded() -> None:
    (name,) = names_of("/GreenStorm%20NDCSC.pdf", "")
    assert name.split() == ["GreenStorm", "NDCSC"]


@given(st.text(max_size=60))
def test_no_text_is_too_strange(text: str) -> None:
    words = name_words(text)
    assert len({word.term for word in words}) == len(words)
    names_of(text, text)
