"""Raised, lowered and struck-out text, forms and days, asked for in every format that has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import docx
import pytest
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from pptx import Presentation
from reportlab.pdfgen.canvas import Canvas

from pincite import Library
from pincite.records.flow import Status

Runs: TypeAlias = list[tuple[str, str]]
UP, DOWN, STRUCK, PLAIN = "sup", "sub", "s", ""

DETECTOR = [
    [("The sensor registers 10", PLAIN), ("9", UP), (" photons per second at full light.", PLAIN)],
    [("It weighs 310 grams.", PLAIN)],
]
CHOIR = [
    [("The choir had 58", PLAIN), ("3", UP), (" singers in 2021.", PLAIN)],
    [("3", UP), (" Guests are not counted.", PLAIN)],
]
LOADS = [
    [("The floor of the attic carries 250 kg/m", PLAIN), ("2", UP), (".", PLAIN)],
    [("The stairs carry 400 kg.", PLAIN)],
]
DYES = [
    [("The buffer contains 2 × 10", PLAIN), ("-4", UP), (" mol of dye per litre.", PLAIN)],
    [("Store it at 4 °C.", PLAIN)],
]
GASES = [[("The bottle holds 20 litres of CO", PLAIN), ("2", DOWN), (" at 57 bar.", PLAIN)]]
PRICES = [
    [("A locker costs ", PLAIN), ("12", STRUCK), (" 15 euros a month.", PLAIN)],
    [("Towels are free.", PLAIN)],
]
MUSEUM = [
    [("The museum shop sells postcards and maps.", PLAIN)],
    [("The cloakroom closes at 17:30.", STRUCK)],
]
TEXTS = {
    "Detector": DETECTOR,
    "Choir": CHOIR,
    "Loads": LOADS,
    "Reagents": DYES,
    "Gases": GASES,
    "Prices": PRICES,
    "Museum": MUSEUM,
}
SHOWN = [
    ("How many photons per second does the sensor register?", {"10⁹", "10<sup>9</sup>"}),
    ("How many singers did the choir have in 2021?", {"58³", "58^3", "58<sup>3</sup>"}),
    ("What load does the floor of the attic carry?", {"kg/m²", "kg/m<sup>2</sup>"}),
    ("How much dye does the buffer contain per litre?", {"10⁻⁴", "10^-4", "10<sup>-4</sup>"}),
    ("What does the bottle hold?", {"CO₂", "CO<sub>2</sub>"}),
    ("How much is a locker a month?", {"~~12~~ 15 euros"}),
]


def as_markdown(file: Path, title: str, paragraphs: list[Runs]) -> None:
    signs = {UP: "<sup>{}</sup>", DOWN: "<sub>{}</sub>", STRUCK: "~~{}~~", PLAIN: "{}"}
    texts = ["".join(signs[style].format(text) for text, style in runs) for runs in paragraphs]
    file.write_text("\n\n".join([f"# {title}", *texts]), "utf-8")


def as_page(file: Path, title: str, paragraphs: list[Runs]) -> None:
    texts = [
        "".join(f"<{style or 'span'}>{text}</{style or 'span'}>" for text, style in runs)
        for runs in paragraphs
    ]
    body = "".join(f"<p>{text}</p>" for text in texts)
    file.write_text(f"<meta charset=utf-8><h1>{title}</h1>{body}", "utf-8")


def as_word(file: Path, title: str, paragraphs: list[Runs]) -> None:
    document = docx.Document()
    document.add_heading(title, 1)
    for runs in paragraphs:
        paragraph = document.add_paragraph()
        for text, style in runs:
            font = paragraph.add_run(text).font
            names = {UP: "superscript", DOWN: "subscript", STRUCK: "strike"}
            if style:
                setattr(font, names[style], True)
    document.save(str(file))


def as_slides(file: Path, title: str, paragraphs: list[Runs]) -> None:
    slides = Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[1])
    slide.shapes.title.text = title
    frame = slide.placeholders[1].text_frame
    for number, runs in enumerate(paragraphs):
        paragraph = frame.add_paragraph() if number else frame.paragraphs[0]
        for text, style in runs:
            run = paragraph.add_run()
            run.text = text
            properties = run._r.get_or_add_rPr()
            if style == STRUCK:
                properties.set("strike", "sngStrike")
            elif style:
                properties.set("baseline", "30000" if style == UP else "-25000")
    slides.save(str(file))


def as_sheet(file: Path, title: str, paragraphs: list[Runs]) -> None:
    fonts = {
        UP: InlineFont(vertAlign="superscript"),
        DOWN: InlineFont(vertAlign="subscript"),
        STRUCK: InlineFont(strike=True),
    }
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.title = title
    sheet.append(["No.", "Text"])
    for number, runs in enumerate(paragraphs, start=1):
        sheet.cell(number + 1, 1, number)
        sheet.cell(number + 1, 2).value = CellRichText(
            *(TextBlock(fonts[style], text) if style else text for text, style in runs)
        )
    book.save(file)


def as_rich_text(file: Path, title: str, paragraphs: list[Runs]) -> None:
    signs = {UP: r"{{\super {}}}", DOWN: r"{{\sub {}}}", STRUCK: r"{{\strike {}}}", PLAIN: "{}"}
    lines = [
        "".join(signs[style].format(text) for text, style in runs) + r"\par" for runs in paragraphs
    ]
    text = "\n".join([r"{\rtf1\ansi", title + r"\par", *lines, "}"])
    coded = "".join(sign if sign.isascii() else rf"\u{ord(sign)}?" for sign in text)
    file.write_text(coded, "ascii")


def as_pdf(file: Path, title: str, paragraphs: list[Runs]) -> None:
    canvas = Canvas(str(file))
    canvas.setFont("Helvetica-Bold", 16)
    canvas.drawString(50, 780, title)
    for number, runs in enumerate(paragraphs):
        x, y = 50.0, 740.0 - 30 * number
        for text, style in runs:
            size, rise = (7, 4 if style == UP else -2) if style in {UP, DOWN} else (11, 0)
            canvas.setFont("Helvetica", size)
            canvas.drawString(x, y + rise, text)
            end = x + canvas.stringWidth(text, "Helvetica", size)
            if style == STRUCK:
                canvas.line(x, y + 3.5, end, y + 3.5)
            x = end
    canvas.save()


WRITERS: dict[str, Callable[[Path, str, list[Runs]], None]] = {
    "md": as_markdown,
    "html": as_page,
    "docx": as_word,
    "pptx": as_slides,
    "xlsx": as_sheet,
    "rtf": as_rich_text,
    "pdf": as_pdf,
}


@pytest.fixture(scope="module", params=list(WRITERS))
def library(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp(request.param)
    for title, paragraphs in TEXTS.items():
        file = folder / f"{title.lower()}.{request.param}"
        WRITERS[request.param](file, title, paragraphs)
    with Library.open(folder / "library") as opened:
        opened.ingest(sorted(folder.glob(f"*.{request.param}")))
        yield opened


@pytest.mark.parametrize(("question", "either"), SHOWN)
def test_a_number_is_quoted_with_its_marks(
    library: Library, question: str, either: set[str]
) -> None:
    best = library.ask(question).claims[0].text
    assert any(text in best for text in either), best


def test_struck_out_text_is_told_to_be_no_longer_said(library: Library) -> None:
    answer = library.ask("When does the cloakroom close?")
    assert any("struck-out" in reason for reason in answer.reasons)
    assert not answer.short_answer


LOG = """# Log of the boiler

- 2023-02-07: burner cleaned
- 19.08.2023: pump replaced by Mr Kern
- Nov. 3, 2024: pressure tank refilled
- 1 December 2024: thermostat exchanged
"""


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("What happened on 7 February 2023?", "2023-02-07: burner cleaned"),
        ("What happened on August 19, 2023?", "19.08.2023: pump replaced by Mr Kern"),
        ("What happened on 2024-11-03?", "Nov. 3, 2024: pressure tank refilled"),
    ],
)
def test_of_a_list_of_days_the_asked_one_is_shown(
    tmp_path: Path, question: str, shown: str
) -> None:
    (tmp_path / "log.md").write_text(LOG)
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "log.md"])
        answer = library.ask(question)
        assert [claim.text for claim in answer.shown] == [shown]
        missing = library.ask("What happened on 8 February 2023?")
    assert missing.status is Status.ABSTAINED
    assert "8 February 2023" in missing.reasons[0]


def test_boxes_of_one_line_are_the_values_of_what_is_before_them(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "leave.pdf"))
    canvas.drawString(50, 700, "First day")
    canvas.acroForm.textfield(name="first", x=160, y=696, width=120, height=18, value="3 May 2025")
    canvas.drawString(50, 620, "Handover done")
    for x, value in ((160, "yes"), (220, "no")):
        canvas.acroForm.radio(name="ho", value=value, selected=value == "no", x=x, y=616, size=14)
        canvas.drawString(x + 20, 620, value)
    canvas.drawString(50, 580, "Keys returned")
    canvas.acroForm.checkbox(name="kr", x=190, y=576, size=14, checked=True)
    canvas.save()
    with Library.open(tmp_path / "library") as library:
        library.ingest([tmp_path / "leave.pdf"])
        assert "☐ yes ☒ no" in library.ask("Is the handover done?").text
        assert "Keys returned\t☒" in library.ask("Are the keys returned?").text
