from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.text.sentences import sentence_spans

LATIN = [
    "The valve opens.",
    "Is it?",
    "Yes!",
    "e.g.",
    "Rs. 9,375",
    "No. 5",
    "Dr. Who",
    "3.14",
    "...",
]
OTHER = ["水は冷たい。", "そうか？", "」", "مرحبا؟", "یہ ہے۔", "यह है।", "ठीक॥"]
BLANKS = ["\n", "\n\n", " ", "\t", "\u00a0", "\u2028"]
ODD = ["🎉", "(see 4.)", '"Stop."', "a", "\x00"]
PIECES = st.sampled_from(LATIN + OTHER + BLANKS + ODD)
TEXTS = st.lists(PIECES, max_size=12).map(" ".join) | st.lists(PIECES, max_size=12).map("".join)


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@given(TEXTS | st.text(max_size=60))
def test_spans_are_in_order_tight_and_leave_only_white_space_out(text: str) -> None:
    spans = sentence_spans(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(one[1] <= following[0] for one, following in pairwise(spans))
    for start, end in spans:
        assert not text[start].isspace()
        assert not text[end - 1].isspace()
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    outside = [text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
    assert not "".join(outside).strip()


@pytest.mark.parametrize(
    "expected",
    [
        ["The valve opens.", "It closes again."],
        ["It costs Rs. 9,375 crore.", "That is much."],
        ["See No. 5 for it.", "See Fig. 3 too."],
        ["Loosen it, e.g. with a key.", "Then stop."],
        ["Dr. Miller signed.", "Is 3.14 enough?", "Yes!"],
        ["Der Vertrag beginnt am 1. April 2024 und endet am 31. März 2026.", "Er gilt."],
        ["Die Miete ist bis zum 3. Werktag eines Monats zu zahlen.", "Sonst folgt die 2. Mahnung."],
        ["Friedrich II. von Preußen lebte hier.", "Er starb 1786.", "Dann kam sein Neffe."],
        ["Es waren 12.", "Dann ging einer."],
        ["1. Open the valve.", "2. Close it.", "3) Wait."],
        ["Rent is due on the first of each month.", "Heating is included."],
        ["It weighs 12 kg.", "Heating takes 5 min.", "Then stop."],
        ["Meet in Park St. Albans at 5 p.m. today.", "Bring max. 3 friends."],
        ["Abgeholt wird am 2. Donnerstag jedes Quartals.", "Der 1. Vorsitzende hilft."],
        ["Der Kurs beginnt am 2.", "Danach folgt Hrn. Dr. Köhlers Rede."],
        ["Die Fa. Bühler und Dipl.-Ing. Schäfer, Goethestr. 14, kommen.", "Alle warten."],
        ["Der Preis ist inkl. MwSt. zu zahlen.", "Es sind 2 Mio. Euro."],
        ["Das Haus ist aus dem 19. Jh.", "Danach kam die St. Galler Bahn."],
        ["Mme. Dupont et J.-P. Morel signent entre 22 h et 7 h.", "Les travaux cessent."],
        ["Firma Dña. María Pérez.", "Abre a las 20.00 h.", "Los muebles quedan."],
        ["Il dott. Rossi e l'avv. Bianchi firmano.", "Cfr. art. 5 del codice."],
        ["Er zijn regels voor bijv. de lift.", "Lees ze."],
        ["Аренда 2 450,50 руб. в месяц.", "Дом на ул. Гоголя, д. 12 стар.", "См. п. 3."],
        ["Объём 1,7 л.", "Мощность два.", "До 31 мая 2025 г.", "Стороны согласны."],
        ["Mieszka przy ul. Piotrkowskiej od godz. 8.00.", "Koniec."],
        ["hi.", "how are you.", "fine."],
        [
            "Keep it in mind.",
            "Volume I: A-K.",
            "Santa Fe wins.",
            "It is 102 (1).",
            "doi:1/2 says so.",
        ],
        ["See us.", "www.example.com has more.", "Smith et al.", "The end."],
        ["यह पहला वाक्य है।", "यह दूसरा है॥", "ठीक"],
        ["ما هذا؟", "هذا ماء."],
        ["یہ پانی ہے۔", "ٹھیک ہے۔"],
    ],
)
def test_sentences_end_where_a_reader_would_end_them(expected: list[str]) -> None:
    assert sentences(" ".join(expected)) == expected


def test_chinese_and_japanese_sentences_need_no_space_between_them() -> None:
    assert sentences("水は冷たい。飲むか？「はい。」水！") == [
        "水は冷たい。",
        "飲むか？",
        "「はい。」",
        "水！",
    ]


def test_what_goes_on_behind_a_quotation_is_the_same_sentence() -> None:
    assert sentences("「はい。」と答えた。次へ。") == ["「はい。」と答えた。", "次へ。"]


@pytest.mark.parametrize("piece", ["item7 Rs. 7,500 ", "![a](", "!", "?.", "।", "Fa. Bo "])
def test_long_texts_take_time_in_proportion_to_their_length(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    started = time.process_time()
    sentence_spans(text)
    assert time.process_time() - started < 5


def test_blank_text_has_no_sentences() -> None:
    assert sentence_spans("") == sentence_spans(" \n\t\u00a0") == []


@pytest.mark.parametrize("part", ["item7 Rs. 7,500 ", "![a](", "No. 5 ", "x.y!"])
def test_long_lists_and_runs_without_blanks_take_time_in_proportion(part: str) -> None:
    text = part * (300_000 // len(part))
    begun = time.process_time()
    spans = sentence_spans(text)
    assert time.process_time() - begun < 10
    assert (spans[0][0], spans[-1][1]) == (0, len(text.strip()))


def test_a_run_without_blanks_ends_where_its_last_word_does() -> None:
    long = "www.example.org/a?b!c" * 200
    assert sentences(f"See {long}. Then stop. It is {long}! Go on.") == [
        f"See {long}.",
        "Then stop.",
        f"It is {long}!",
        "Go on.",
    ]
