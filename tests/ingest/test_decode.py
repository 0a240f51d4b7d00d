from __future__ import annotations

import codecs
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import ReadError
from pincite.ingest.encoding.decode import Decoded, decode

ENGLISH = "The “torque” is 45 °C – naïve café costs 30 € and it’s the manager’s résumé. "
JAPANESE = (
    "この文書は日本語で書かれています。安全のために必ず手順を守ってください。温度は二十度です。"
)
CHINESE = "本公司的年度报告包括财务报表和审计意见。员工应当遵守安全操作规程，并及时报告事故。"
KOREAN = "이 문서는 한국어로 작성되었습니다. 안전을 위하여 반드시 절차를 지켜 주십시오."
RUSSIAN = (
    "Настоящий документ описывает порядок работы библиотеки. Читатель обязан соблюдать правила."
)


def assert_slices_lead_back(decoded: Decoded, content: bytes) -> None:
    assert decoded.encoding is not None
    draw = random.Random(7)
    for _ in range(20):
        start, end = sorted(draw.randrange(len(decoded.text) + 1) for _ in range(2))
        first = decoded.first_byte + len(decoded.text[:start].encode(decoded.encoding))
        last = first + len(decoded.text[start:end].encode(decoded.encoding))
        assert content[first:last].decode(decoded.encoding) == decoded.text[start:end]


@pytest.mark.parametrize(
    ("text", "encoding", "expected"),
    [
        (ENGLISH * 3, "utf-8", "utf-8"),
        (ENGLISH * 3, "cp1252", "cp1252"),
        ("Preis: 5 €, Größe übrig", "cp1252", "cp1252"),
        (JAPANESE * 3, "shift_jis", None),
        (CHINESE * 3, "gb18030", None),
        (KOREAN * 3, "euc_kr", None),
        (RUSSIAN * 3, "windows-1251", None),
        (ENGLISH, "utf-16-le", "utf-16-le"),
        (ENGLISH, "utf-16-be", "utf-16-be"),
    ],
)
def test_a_text_in_a_common_encoding_is_decoded_exactly(
    text: str, encoding: str, expected: str | None
) -> None:
    content = text.encode(encoding)
    decoded = decode(content)
    assert decoded.text == text
    assert expected in (None, decoded.encoding)
    assert_slices_lead_back(decoded, content)


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_byte_order_mark_is_no_part_of_the_text(mark: bytes, encoding: str) -> None:
    content = mark + ENGLISH.encode(encoding)
    decoded = decode(content)
    assert (decoded.text, decoded.encoding) == (ENGLISH, encoding)
    assert decoded.first_byte == len(mark)
    assert_slices_lead_back(decoded, content)


def test_newlines_and_mojibake_are_left_alone() -> None:
    text = "Itâ€™s broken\r\nbut ours to keep\rso\n"
    assert decode(text.encode()).text == text


def test_a_codec_with_shift_states_gives_no_byte_positions_and_says_so() -> None:
    decoded = decode(JAPANESE.encode("iso2022_jp"))
    assert decoded.text == JAPANESE
    assert decoded.encoding is None
    assert "byte positions" in (decoded.warning or "")


@pytest.mark.parametrize("content", [b"MZ\x00\x01\x02" * 50, bytes(range(1, 32)) * 9 + b"abc"])
def test_binary_content_is_refused(content: bytes) -> None:
    with pytest.raises(ReadError, match="looks like a binary file, not text"):
        decode(content)


@given(st.binary(max_size=300))
def test_any_bytes_are_decoded_so_that_slices_lead_back_or_refused(content: bytes) -> None:
    try:
        decoded = decode(content)
    except ReadError:
        return
    if decoded.encoding is not None:
        assert decoded.text.encode(decoded.encoding) == content[decoded.first_byte :]


@pytest.mark.parametrize(
    "text",
    [
        "The deposit for the tent is 12 €.\n",
        "The rental fee is £25 per day.\n",
        "Die Höhe des Krans beträgt 77 Meter.",
        "Everything here is plain English.\n" * 200 + "5 µm particles\n",
        "Everything here is plain English.\n" * 200 + "§ 5\n",
        "Umlauts: ÄÖÜ äöüß",
        "a;25 £\nb;30 £\nc;£££££££££\n",
        "–––––––––––– ••••••••",
        "L'élève a été reçu où ça ? « Noël » Straße, ¡Qué año!",
        "Ñandú; piñata; año; Ávila; Cádiz; Æsop; façade; œuvre; Ÿ",
        "1° 2' ± 3 ² ³ ¼ ½ ¾ × ÷\n" * 8,
    ],
)
def test_a_handful_of_signs_in_a_latin_text_is_windows_1252(text: str) -> None:
    decoded = decode(text.encode("cp1252"))
    assert (decoded.text, decoded.encoding, decoded.doubt) == (text, "cp1252", None)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (JAPANESE, "euc_jp"),
        ("これは日本語の文章です。漢字とひらがなとカタカナが含まれています。", "euc_jp"),
        ("テスト データ\n", "shift_jis"),
        (CHINESE, "gbk"),
        ("本公司的年度報告包括財務報表和審計意見。員工應當遵守安全操作規程。", "big5"),
        (RUSSIAN, "koi8_r"),
        (RUSSIAN, "cp866"),
        ("Το παρόν έγγραφο περιγράφει τη διαδικασία της βιβλιοθήκης.", "iso8859_7"),
        ("The pump in the east hall was checked. " * 9 + RUSSIAN, "cp1251"),
        ("The pump in the east hall was checked. " * 9 + JAPANESE, "shift_jis"),
    ],
)
def test_text_in_another_script_is_recognised_alone_and_among_english(
    text: str, encoding: str
) -> None:
    assert decode(text.encode(encoding)).text == text


@pytest.mark.parametrize(
    ("text", "encodings"),
    [
        ("Każdy pracownik powinien przestrzegać zasad. Łódź i źródło.", "cp1250 iso8859_2 cp852"),
        ("Příliš žluťoučký kůň. Každý pracovník musí dodržovat.", "cp1250 iso8859_2 cp852"),
        ("Az előírások: gőzfűtés közben tűzveszély, tükörfúrógép.", "cp1250 iso8859_2 cp852"),
        ("Her çalışan kurallara uymalıdır. Yağmurlu günlerde şöyle.", "cp1254 iso8859_9"),
        ("Die Größe der Anlage beträgt fünf Meter. Öl nachfüllen.", "cp850 cp437 mac_roman"),
    ],
)
def test_other_latin_code_pages_are_told_by_letters_that_only_they_give(
    text: str, encodings: str
) -> None:
    for encoding in encodings.split():
        assert decode(text.encode(encoding)).text == text


@pytest.mark.parametrize("text", ["Preis: 5 € für Öl", "Le cœur de la sœur coûte 5 €"])
def test_the_euro_of_iso_8859_15_is_told_from_the_sign_that_windows_has_there(text: str) -> None:
    decoded = decode(text.encode("iso8859_15"))
    assert (decoded.text, decoded.encoding, decoded.doubt) == (text, "iso8859_15", None)


def test_a_byte_that_windows_1252_does_not_have_costs_no_quotation_marks() -> None:
    decoded = decode(b"Die \x84T\xfcr\x93 \x81 kostet 5 \x80.")
    assert decoded.text == "Die „Tür“ \ufffd kostet 5 €."
    assert decoded.encoding is None
    assert "1 invalid byte" in (decoded.doubt or "")
    assert "invalid bytes" in (decoded.warning or "")


def test_no_control_character_is_taken_for_a_letter_of_another_code_page() -> None:
    decoded = decode("Škola je v Čačak i Đakovo, žena".encode("cp1250"))
    assert decoded.text.startswith("Škola")
    assert decoded.doubt


def test_a_short_text_is_doubtful_however_often_it_is_repeated() -> None:
    assert decode("你好,世界\n".encode("gb18030") * 8).doubt


def test_letters_that_could_be_of_several_code_pages_are_told() -> None:
    decoded = decode("Łódź, Gdańsk".encode("cp1250"))
    assert decoded.text == "Łódź, Gdańsk"
    assert "is uncertain" in (decoded.doubt or "")
    assert "is uncertain" in (decode("Насос 5".encode("cp1251")).doubt or "")


@pytest.mark.parametrize(
    ("content", "text", "where"),
    [
        (
            "Die Größe zählt. ".encode() + b"\xff Ende",
            "Die Größe zählt. \ufffd Ende",
            "damaged (not",
        ),
        ("Die Größe: 日".encode()[:-1], "Die Größe: \ufffd", "damaged at its end"),
        (b"\xef\xbb\xbfGr\xf6\xdfe", "Gr\ufffd\ufffde", "2 characters"),
    ],
)
def test_bad_bytes_in_a_utf8_file_are_told_and_cost_nothing_else(
    content: bytes, text: str, where: str
) -> None:
    decoded = decode(content)
    assert (decoded.text, decoded.encoding) == (text, None)
    assert where in (decoded.doubt or "")
    assert len(decoded.warnings) == 2


def test_windows_1252_that_happens_to_hold_a_valid_utf8_sequence_stays() -> None:
    text = "„Maß“ und „Spaß“ waren früher schön"
    assert decode(text.encode("cp1252")).text == text
