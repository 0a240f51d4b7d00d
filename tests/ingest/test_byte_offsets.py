"""Every sentence of a text format leads back to its bytes, whatever the encoding."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.ingest.readers import FileReader
from pincite.records.document import Document
from pincite.text.sentences import sentence_spans

LETTERS = {
    "utf-8": "aZ äß€ 日本語 🙂 עברית.\n# |,",
    "utf-8-sig": "aZ äß€ 日本語 🙂.\n# |,",
    "utf-16": "aZ äß€ 日本語 🙂.\n# |,",
    "utf-32": "aZ äß€ 日本語 🙂.\n# |,",
    "cp1252": "aZ äöüß€éà„“.\n# |,",
    "cp1251": "аЯ жщыэю ёй.\n# |,",
    "shift_jis": "東京の天気予報は雨です。カタカナ\n# |,",
    "gb18030": "北京的天气预报说明天下雨。\n# |,",
    "euc_kr": "서울의 날씨는 비가 옵니다.\n# |,",
}
STARTS = {
    "cp1252": "Die Prüfung der Anlage für übermäßige Wärme gehört zur Übergabe. ",
    "cp1251": "Настоящий документ описывает порядок проверки насосов на заводе. ",
    "shift_jis": "東京の天気予報によると、明日は雨が降るそうです。傘を持って行きましょう。",
    "gb18030": "北京的天气预报说明天下雨。请带好雨伞，注意安全。本文件描述检查程序。",
    "euc_kr": "서울의 날씨는 내일 비가 온다고 합니다. 우산을 가지고 가십시오. ",
}
SUFFIXES = (".txt", ".md", ".csv")


def assert_sentences_lead_back(document: Document, content: bytes) -> None:
    assert document.encoding is not None
    for block in document.blocks:
        for start, end in sentence_spans(document.text[block.start : block.end]):
            first, last = block.start + start, block.start + end
            where = document.byte_range(first, last)
            assert where is not None
            found = content[slice(*where)].decode(document.encoding)
            assert found == document.text[first:last]


@pytest.mark.parametrize("encoding", LETTERS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_each_sentence_is_found_in_the_bytes(encoding: str, data: st.DataObject) -> None:
    letters = LETTERS[encoding]
    words = data.draw(st.lists(st.text(letters, min_size=1, max_size=12), min_size=1, max_size=8))
    text = STARTS.get(encoding, "A first sentence. ") + " ".join(words) + "\n\nEnd."
    content = text.encode(encoding)
    for suffix in SUFFIXES:
        document = FileReader().read_attachment(Path(f"a{suffix}"), content)
        if document.encoding is not None:
            assert_sentences_lead_back(document, content)


@pytest.mark.parametrize("encoding", LETTERS)
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_usual_encodings_are_found_and_lead_back(encoding: str, suffix: str) -> None:
    text = STARTS.get(encoding, "A first sentence. Ein Maß für 東京. ") * 5 + "\r\n\r\nEnd."
    content = text.encode(encoding)
    document = FileReader().read_attachment(Path(f"a{suffix}"), content)
    assert document.text == text
    assert_sentences_lead_back(document, content)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_mojibake_stays_as_it_is_in_the_file(suffix: str) -> None:
    text = "Grüße aus Köln. Die Prüfung fällt aus.".encode().decode("cp1252") + "\n"
    content = text.encode("utf-8")
    document = FileReader().read_attachment(Path(f"a{suffix}"), content)
    assert document.text == text
    assert_sentences_lead_back(document, content)


def test_quotes_far_into_a_long_text_lead_back(tmp_path: Path) -> None:
    content = ("Größe und Länge, 日本語. " * 1500).encode()
    (tmp_path / "long.txt").write_bytes(content)
    document = FileReader().read(tmp_path / "long.txt")

    for start in (0, 4095, 4096, 4097, 12_288, len(document.text) - 5):
        place = document.byte_range(start, start + 5)
        assert place is not None
        assert content[slice(*place)].decode() == document.text[start : start + 5]
