from __future__ import annotations

import io
from pathlib import Path

import docx
import pytest

from pincite.ingest.readers import FileReader
from pincite.records.document import Document
from pincite.text.languages import SCRIPTS, STEMMERS
from pincite.text.list_lead_ins import announcements, is_limiting

MARKDOWN = """# Cover

We pay for:

- storm
- flood, except:
  - below ground
- fire

We do not pay for:

- theft
- damage by pets

  | pet | since |
  |---|---|
  | cat | 2020 |
- loss of drones

## What is not covered

Rust and rot. A history of leaks.

- Wear and tear.

## What is covered

- Smoke.
"""
FLAT = """The lessor must not:

1. sell
2. without our consent:
(a) let
(b) lend
3. rent out
"""


def read(tmp_path: Path, name: str, content: bytes) -> Document:
    path = tmp_path / name
    path.write_bytes(content)
    return FileReader().read(path)


def above(document: Document, quote: str) -> list[str]:
    start = document.text.index(quote)
    found = announcements(document, start, start + len(quote))
    return [document.text[first:last] for first, last in found]


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("storm", ["We pay for:"]),
        ("below ground", ["We pay for:", "flood, except:"]),
        ("fire", ["We pay for:"]),
        ("damage by pets", ["We do not pay for:"]),
        ("loss of drones", ["We do not pay for:"]),
        ("Rust and rot.", ["What is not covered"]),
        ("A history of leaks.", ["What is not covered"]),
        ("Wear and tear.", ["What is not covered"]),
        ("Smoke.", []),
        ("We pay for:", []),
        ("What is not covered", []),
    ],
)
def test_an_item_is_read_below_what_announces_it(
    tmp_path: Path, quote: str, expected: list[str]
) -> None:
    assert above(read(tmp_path, "cover.md", MARKDOWN.encode()), quote) == expected


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("1. sell", ["The lessor must not:"]),
        ("(b) lend", ["The lessor must not:", "2. without our consent:"]),
        ("3. rent out", ["The lessor must not:"]),
    ],
)
def test_where_nothing_is_indented_numbers_tell_what_is_below_what(
    tmp_path: Path, quote: str, expected: list[str]
) -> None:
    assert above(read(tmp_path, "lease.txt", FLAT.encode()), quote) == expected


def test_a_web_page_and_a_word_file_are_read_alike(tmp_path: Path) -> None:
    page = b"<h1>Cover</h1><p>We do not pay for:</p><ul><li>theft</li><li>damage by pets</li></ul>"
    made = docx.Document()
    made.add_paragraph("We do not pay for:")
    for item in ("theft", "damage by pets"):
        made.add_paragraph(item, style="List Bullet")
    content = io.BytesIO()
    made.save(content)
    for document in (
        read(tmp_path, "cover.html", page),
        read(tmp_path, "cover.docx", content.getvalue()),
    ):
        assert above(document, "damage by pets") == ["We do not pay for:"]


def test_a_sentence_with_a_full_stop_announces_a_list_where_it_limits_it(tmp_path: Path) -> None:
    text = "The following are excluded.\n\n- pets\n\nWe are glad to help.\n\n- Call us.\n"
    document = read(tmp_path, "a.md", text.encode())
    assert above(document, "pets") == ["The following are excluded."]
    assert above(document, "Call us.") == []


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("ar", "لا يغطي التأمين:"),
        ("ca", "No està cobert:"),
        ("cs", "Nehradíme:"),
        ("da", "Dækker ikke:"),
        ("de", "Nicht versichert sind:"),
        ("de", "Ausschlüsse"),
        ("el", "Δεν καλύπτονται:"),
        ("en", "We don't pay for:"),
        ("en", "Exclusions"),
        ("es", "No se cubre:"),
        ("fi", "Emme korvaa:"),
        ("fr", "Ce qui n'est pas couvert"),
        ("hi", "हम भुगतान नहीं करते:"),
        ("hu", "Nem térítjük meg:"),
        ("hy", "Չի փոխհատուցվում՝"),
        ("id", "Tidak dijamin:"),
        ("it", "Non sono coperti:"),
        ("nl", "Niet verzekerd:"),
        ("no", "Dekkes ikke:"),
        ("pl", "Nie zwracamy kosztów:"),
        ("pt", "Não estão cobertos:"),
        ("ro", "Nu sunt acoperite:"),
        ("ru", "Не возмещается:"),
        ("sv", "Ersätts inte:"),
        ("ta", "இவை வழங்கப்படுவதில்லை:"),
        ("tr", "Teminat dışında kalanlar:"),
        ("vi", "Không được bảo hiểm:"),
        ("zh", "不予赔偿："),
        ("ja", "補償されないもの："),
        ("ko", "보상하지 않는 손해"),
    ],
)
def test_a_limiting_line_is_told_in_every_language(language: str, line: str) -> None:
    around = f"{line} {_SENTENCES.get(language, '')}"
    assert is_limiting(line, around)


_SENTENCES = {
    "ca": "Les pèrdues que són causades per una plaga amb els seus danys i no una altra cosa.",
    "cs": "Škody, které jsou způsobeny tím, že je dům pro nájem a není v něm nikdo, kdo se stará.",
    "es": "Los daños que se deben a una plaga y los que la persona ha causado con su coche.",
    "pl": "Szkody, które są skutkiem tego, że dom nie jest zamieszkany przez kogoś, kto o niego dba.",
    "ro": "Pagubele care sunt cauzate de o persoană și cele care au fost făcute cu mașina sa.",
}


@pytest.mark.parametrize(
    "line",
    ["Policy No. 12", "Order no 7", "What is covered", "Versichert sind:", "Vietnam", "Open Sans"],
)
def test_other_lines_limit_nothing(line: str) -> None:
    assert not is_limiting(line, line)


def test_no_language_of_the_index_is_left_out() -> None:
    from pincite.text.list_lead_ins import _table

    own, _ = _table()
    assert own.keys() >= {*STEMMERS, *(language for _, _, language, _ in SCRIPTS), "vi"}


def test_a_quote_from_the_middle_of_a_definition_is_announced_by_its_term(tmp_path: Path) -> None:
    file = tmp_path / "options.html"
    file.write_text("<dl><dt>--keep</dt><dd>Keeps all. It is slow.</dd></dl>")
    document = FileReader().read(file)
    start = document.text.index("It is slow.")
    (term,) = announcements(document, start, start + 11)
    assert document.text[slice(*term)] == "--keep"
    assert announcements(document, 0, start) == ()
