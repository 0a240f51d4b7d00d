"""Small collections in other languages than English, with the built-in encoder, which reads English."""

from __future__ import annotations

from pathlib import Path

import pytest

from end_to_end.running import library_of
from pincite.records.flow import Status

LEASE = (
    "Mietvertrag\n\nDie Miete beträgt 650 Euro. Die Kaution beträgt 900 Euro. Die Mieterin hat die "
    "Wohnung schonend zu behandeln. Das Sieb ist einmal pro Woche zu leeren.\n"
)
KETTLE = (
    "Чайник\n\nЧайник весит 1,2 кг вместе с подставкой. Гарантия на прибор составляет два года со дня "
    "покупки. Ремонтные работы разрешены только мастеру сервисного центра. Накипь удаляют раз в месяц "
    "лимонной кислотой. Сетевой шнур нельзя заменять самостоятельно.\n"
)
HOUSE = (
    "管理規約\n\n管理費は月額12,500円です。修繕積立金は月額18,000円です。口座振替日は毎月27日です。"
    "駐車場の使用料は別に定めます。ペットは一匹まで飼うことができます。ゴミは朝8時までに出してください。\n"
)
ROOMS = (
    "# Zimmer und Mieten\n\n| Zimmer | Miete | Fläche |\n|---|---|---|\n| 101 | 450 | 18 |\n"
    "| 102 | 520 | 21 |\n"
)
PRICES = (
    "# Preise\n\n| Artikel | Preis |\n|---|---|\n| FR-100 | 649,90 |\n| FR-200 | 899,00 |\n"
    "| FR-300 | 120,00 |\n"
)


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        (LEASE, "Wie hoch ist die Kaution?", "Die Kaution beträgt 900 Euro."),
        (KETTLE, "Как часто удалять накипь?", "Накипь удаляют раз в месяц лимонной кислотой."),
        (KETTLE, "Можно ли заменять шнур?", "Сетевой шнур нельзя заменять самостоятельно."),
        (HOUSE, "管理費はいくらですか", "管理費は月額12,500円です。"),
    ],
)
def test_the_sentence_with_the_asked_word_is_quoted_and_no_other(
    tmp_path: Path, text: str, question: str, answer: str
) -> None:
    answered = library_of({"a.txt": text}, tmp_path).ask(question)
    told = [claim.text[slice(*claim.telling)] for claim in answered.claims if claim.telling]
    assert told == [answer]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (KETTLE, "Как приготовить борщ?"),
        (KETTLE, "Кто выиграл чемпионат мира по футболу?"),
        (HOUSE, "東京タワーの高さは何メートルですか？"),
        (HOUSE, "怎么做红烧肉？"),
    ],
)
def test_what_no_document_speaks_of_is_refused_in_every_script(
    tmp_path: Path, text: str, question: str
) -> None:
    assert library_of({"a.txt": text}, tmp_path).ask(question).status is Status.ABSTAINED


@pytest.mark.parametrize(
    ("text", "question", "row"),
    [
        (ROOMS, "Wie hoch ist die Miete von Zimmer 102?", "102 | 520 | 21"),
        (PRICES, "Was kostet FR-200?", "FR-200 | 899,00"),
    ],
)
def test_a_library_that_does_not_tell_its_language_is_asked_in_any(
    tmp_path: Path, text: str, question: str, row: str
) -> None:
    answered = library_of({"a.md": text}, tmp_path).ask(question)
    assert any(row in citation.quote for citation in answered.citations)
