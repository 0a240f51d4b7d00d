"""A few words in an East Asian or Russian code page are read as what they are."""

from __future__ import annotations

import pytest

from pincite.ingest.encoding.decode import decode


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp932", "株式会社㈱テスト　髙橋様\n①電源を入れる。②設定を確認する。"),
        ("cp932", "品番,商品名,価格\nT-01,煎茶,1280\nT-02,玉露,3500\n"),
        ("koi8_r", "Отпуск составляет 28 дней.\nЗаявление подаётся за две недели."),
        ("gbk", "押金：三百元"),
        ("cp949", "연차 휴가는 15일입니다. 근무 시간은 오전 9시부터입니다."),
        ("cp1251", "ПРАВИЛА ВНУТРЕННЕГО РАСПОРЯДКА\nОТПУСК СОСТАВЛЯЕТ 28 ДНЕЙ."),
        ("cp1251", "Ключ;500 руб.\nЗамок;1200 руб."),
        ("cp866", "Отпуск составляет 28 дней.\nЗаявление подаётся за две недели."),
        ("big5", "員工每年享有十天年假。請假須提前三天申請。"),
        ("cp1253", "Η άδεια είναι 25 ημέρες. Το ενοίκιο είναι 500 ευρώ."),
        ("cp1255", "דמי השכירות משולמים עד החמישי בחודש. החופשה היא עשרים ימים."),
        ("cp1252", "Die Gebühr beträgt 20 Mark für Schüler: „täglich außer Sonntag“."),
    ],
)
def test_short_texts_are_decoded(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)).text == text
