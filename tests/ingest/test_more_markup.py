"""Rich text, Org, AsciiDoc and TeX: what their marks mean is kept, and nothing in them is run."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import ReadError
from pincite.ingest.readers import FileReader
from pincite.records.document import BlockKind, Document, FlagKind

RTF = rb"""{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset2 Symbol;}
{\f2\fcharset204 Times;}}{\stylesheet{\s0 Normal;}{\s1\b heading 1;}}{\info{\title Lease of a hall}}
{\header\trowd\cellx1\intbl Seen on each page\cell\row {\listtext 9.\tab}{\title Not it}\par}
{\shp{\*\shpinst{\sp{\sn shapeType}{\sv 202}}{\shptxt Boxed words.\par}}}
\pard\s1 Rent\par
\pard\plain A culture has 10{\super 6} cells, H{\sub 2}O, 12{\f1\'b0}, \u8364?430,
 {\strike 40} 55 pounds.\par
{\listtext\'b7\tab}\ls1 A first item\par
\pard{\pntext 2.\tab}Second item\par
\pard A hall{\super\chftn}{\footnote\pard {\super\chftn} The large one.\par} in caf\'e9
 {\f2\'cf\'f0\'e8}
{\v words that nobody is shown here} {\deleted gone}\par
\trowd\trhdr\cellx1\cellx2\intbl Valve\cell Minutes\cell\row
\trowd\cellx1\cellx2\intbl Seven\cell 40\cell\row
\pard {\field{\*\fldinst HYPERLINK "http://x.example"}{\fldrslt our page}}
{\pict\bin4 }}{}}\u-10179?\u-8704?.\par}"""

ORG = b"""#+TITLE: Orchard notes
* TODO Spraying          :garden:
SCHEDULED: <2026-03-02 Mon>
:PROPERTIES:
:ID: 4711
:END:
A culture has 10^6 cells and H_{2}O. It costs +40+ 55 pounds.
See [[https://x.example][the list]], =a*b*c=.
- [X] order copper
- [ ] order sulphur
  in bags
1. Begin early
| Valve | Minutes |
|-------+---------|
| Seven | 40      |
#+begin_src sh
rm -rf /
#+end_src
#+begin_comment
words that nobody is shown here
#+end_comment
#+INCLUDE: "other.org"
"""

ASCIIDOC = b"""= Kiln manual
:max-temp: 1280

== Firing
A culture has 10^6^ cells and H~2~O. It costs [line-through]#40# 55 pounds.
See https://x.example[the list].

[WARNING]
====
Never open it above {max-temp} degrees.
====

* [x] order copper
Cone:: A small pyramid
Glaze::
A glassy coat

[cols="1,2",options="header"]
|===
|Valve
|Minutes

|Seven |40
|Eight
|45
|===

----
rm -rf /
----
// words that nobody is shown here
include::other.adoc[]
"""

TEX = rb"""\documentclass{article}
\title{Vial study}\author{Ana Lopes}
\begin{document}
\maketitle
\section{Results}\label{sec:r}
A culture has $10^{6}$ cells\footnote{By hand.} and H$_2$O at \SI{9.8}{\metre\per\second\squared}.
It costs \sout{40} 55 pounds, 5\,\% off for M\"uller. % words that nobody is shown here

About $\frac{a+b}{2} \leq 5$ and \qty{3}{\kilo\gram} in \si{\square\metre}.
\begin{enumerate}
\item Open the valve.
\item Close it.
\end{enumerate}
\begin{tabular}{lr}
\toprule
Valve & Minutes \\
\midrule
Seven & 40 \\
\end{tabular}
\begin{verbatim}
x = 1

y = 2
\end{verbatim}
\input{other}
\end{document}
"""

FILES = {"a.rtf": RTF, "a.org": ORG, "a.adoc": ASCIIDOC, "a.tex": TEX}
NAMES = sorted(FILES)


def read(name: str, content: bytes | None = None) -> Document:
    return FileReader().read_content(Path(name), FILES[name] if content is None else content)


def blocks(document: Document, kind: BlockKind) -> list[str]:
    return [document.text[one.start : one.end] for one in document.blocks if one.kind is kind]


@pytest.mark.parametrize("name", NAMES)
def test_raised_lowered_and_struck_out_text_keeps_its_mark(name: str) -> None:
    text = read(name).text
    assert "10⁶ cells" in text
    assert "H₂O" in text
    assert "~~40~~ 55 pounds" in text


@pytest.mark.parametrize("name", NAMES)
def test_a_table_has_its_head_and_cells(name: str) -> None:
    document = read(name)
    row = next(one for one in document.blocks if document.text[one.start :].startswith("Seven"))
    assert row.kind is BlockKind.TABLE_ROW
    cells = [document.text[cell.start : cell.end] for cell in row.cells]
    heads = [document.text[slice(*head)] for head in row.cells[1].column_headers]
    assert (cells, heads) == (["Seven", "40"], ["Minutes"])


@pytest.mark.parametrize("name", NAMES)
def test_hidden_words_are_flagged_and_in_no_quote(name: str) -> None:
    document = read(name)
    assert blocks(document, BlockKind.HIDDEN) == ["words that nobody is shown here"]
    assert [one.kind for one in document.flags] == [FlagKind.HIDDEN_TEXT]


@pytest.mark.parametrize(
    ("name", "section"),
    [("a.rtf", "Rent"), ("a.org", "Spraying"), ("a.adoc", "Firing"), ("a.tex", "Results")],
)
def test_headings_are_places_of_what_is_below(name: str, section: str) -> None:
    document = read(name)
    found = next(one for one in document.blocks if "culture" in document.text[one.start : one.end])
    assert found.section[-1] == section


@pytest.mark.parametrize("name", ["a.org", "a.adoc", "a.tex"])
def test_included_files_are_not_opened_but_told(name: str) -> None:
    assert read(name).gaps == ("1 included file not read",)


def test_rich_text_has_signs_of_its_fonts_code_pages_and_of_unicode() -> None:
    document = read("a.rtf")
    assert "12°, €430" in document.text
    assert "café При" in document.text
    assert "😀" in document.text
    assert document.title == "Lease of a hall"
    assert "gone" not in document.text
    assert "Seen on each page" not in document.text
    assert document.text.startswith("Boxed words.\n\nRent\n")
    assert document.warnings == (
        "its tracked changes are read as accepted; deleted text is left out",
        "the headers and footers of its pages are left out",
        "1 picture; text in them is not read",
    )


def test_rich_text_has_notes_lists_and_links() -> None:
    document = read("a.rtf")
    assert "A hall¹ in" in document.text
    assert "¹ The large one." in blocks(document, BlockKind.PARAGRAPH)
    assert blocks(document, BlockKind.LIST_ITEM) == ["A first item", "2. Second item"]
    assert "our page" in document.text
    assert "http" not in document.text


def test_org_reads_ticks_and_leaves_out_drawers_and_dates_of_planning() -> None:
    document = read("a.org")
    items = blocks(document, BlockKind.LIST_ITEM)
    assert items == ["☑ order copper", "☐ order sulphur in bags", "1. Begin early"]
    assert "See the list, a*b*c." in document.text
    assert "4711" not in document.text
    assert "SCHEDULED" not in document.text


def test_asciidoc_fills_in_attributes_and_names_warnings() -> None:
    document = read("a.adoc")
    assert "WARNING: Never open it above 1280 degrees." in document.text
    items = blocks(document, BlockKind.LIST_ITEM)
    assert items == ["☑ order copper", "Cone: A small pyramid", "Glaze: A glassy coat"]
    assert blocks(document, BlockKind.TABLE_ROW)[1:] == ["Seven | 40", "Eight | 45"]


def test_tex_reads_quantities_formulas_notes_and_steps() -> None:
    document = read("a.tex")
    assert "cells¹ and H₂O at 9.8\u00a0m/s²." in document.text
    assert "(a+b)/2 ≤ 5 and 3\u00a0kg in m²" in document.text
    assert "5% off for Müller" in document.text
    assert "¹ By hand." in document.text
    assert blocks(document, BlockKind.LIST_ITEM) == ["1. Open the valve.", "2. Close it."]
    assert blocks(document, BlockKind.CODE) == ["x = 1\n\ny = 2"]


def test_rich_text_in_another_name_is_read_as_what_it_is() -> None:
    document = read("letter.txt", rb"{\rtf1 The deposit is 430 pounds.\par}")
    assert document.text == "The deposit is 430 pounds."
    assert document.warnings[0] == "it is named .txt but is a RTF file; it was read as RTF"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.rtf", b"{\\rtf1 " + b"{" * 5_000),
        ("a.tex", b"{" * 5_000),
        ("a.tex", b"\\begin{center}" * 5_000),
        ("a.rtf", b"no rich text"),
    ],
)
def test_files_that_cannot_be_followed_are_refused_with_a_reason(name: str, content: bytes) -> None:
    with pytest.raises(ReadError):
        read(name, content)


@given(st.sampled_from(NAMES), st.integers(0, 700), st.integers(0, 400), st.binary(max_size=8))
def test_damaged_files_are_read_or_refused(name: str, at: int, length: int, put: bytes) -> None:
    content = FILES[name]
    try:
        document = read(name, content[:at] + put + content[at + length :])
    except ReadError:
        return
    for block in document.blocks:
        assert document.text[block.start : block.end].strip()
    document.text.encode()
