"""A quote is shown as a reader of the page sees it; numbers, signs and words never change."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.records.document import BlockKind
from pincite.text.as_read import as_read, statement_key
from pincite.text.inline_marks import around_links

_ENTITY = re.compile(r"&[#\w]+;")

MARKDOWN, RESTRUCTURED_TEXT = "text/markdown", "text/x-rst"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("See [the form](https://example.org/a_(b)).", "See the form."),
        ("See [the form][1] and [`code`][2], or [**all**][].", "See the form and code, or all."),
        ("![the gate](gate.png) opens", "the gate opens"),
        ("This is **not** _allowed_ in `a*b*c`.", "This is not allowed in a*b*c."),
        ("Write to <help@example.org>.", "Write to help@example.org."),
        ("Leave&nbsp;is 5&#37; &amp; more", "Leave is 5% & more"),
        (r"\*Required\* \[sic\]", "*Required* [sic]"),
        ("Stick to it[^2].", "Stick to it."),
        ("# Annual leave #", "Annual leave"),
        ("Annual leave\n============\nTwo weeks.", "Annual leave\n\nTwo weeks."),
        ("one line\nand the next", "one line and the next"),
        ("> quoted\n> on two lines", "quoted on two lines"),
        ("guests pay\n> 25 crowns to\n> > the harbour", "guests pay 25 crowns to the harbour"),
        ("- one\n  goes on\n* two\n  1. three", "- one goes on\n- two\n  1. three"),
        ("| a | b\\|c |\n|---|:-:|\n| 1 | - |", "a | b|c\n1 | -"),
        ("Call<br>the desk<!-- soon -->", "Call the desk"),
        ('<p class="note">Bring <strong>both</strong> keys.</p>', "Bring both keys."),
        ("<details><summary>More</summary>Text</details>", "More Text"),
        ('<img src="a.png" alt="the gate">', "the gate"),
        ("12</td>\n  <td>15 <sup>a</sup></td>", "12 | 15 a"),
        ("<tr><td>1</td><td>2</td></tr>\n<tr><td>3</td><td>4</td></tr>", "| 1 | 2\n\n| 3 | 4"),
        ('Ask in {% slack_channel "people-ops" %}.', "Ask in people-ops."),
        ('{% image "img/a.png" "the gate" %}', "the gate"),
        ('Read [the guide]({% page "/a b/" %}) {% if x %}now{% endif %}', "Read the guide now"),
        ("It costs {{ price }} euros", "It costs … euros"),
        ("Write `{{ price }}`", "Write {{ price }}"),
        ("Form {: .wide}", "Form"),
        ("Text:\n\n```sh\nif x\n  y *z*\n```\n\nEnd.", "Text:\n\nif x\n  y *z*\n\nEnd."),
    ],
)
def test_marks_of_markdown_are_folded_to_what_they_show(source: str, shown: str) -> None:
    assert as_read(source, MARKDOWN) == shown


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("**First sentence.", "First sentence."),
        ("the last one.**", "the last one."),
        ("_**New in 2024!", "New in 2024!"),
        ("of the policy](https://example.org/a).", "of the policy."),
    ],
)
def test_half_a_pair_of_marks_that_a_sentence_was_cut_from_is_left_out(
    source: str, shown: str
) -> None:
    assert as_read(source, MARKDOWN) == shown


@pytest.mark.parametrize(
    "source",
    [
        "5*3*2 is 2**10 or a**2**b",
        "~~5~~ 6 days",
        "+ 5 % in 2021",
        "* 5 stars",
        "> 5 mg a day",
        "[citation needed] a[0][1]",
        "clone <folder> into <name>",
        "-5 to +3 °C, < 4 and > 2, ± 1",
        "not allowed, never; no",
        "x_1 and file_name_2",
    ],
)
def test_what_tells_numbers_or_names_apart_is_no_mark(source: str) -> None:
    assert as_read(source, MARKDOWN) == source


def test_an_exponent_in_html_is_not_a_digit_of_its_number() -> None:
    assert as_read("10<sup>2</sup> m<sup>2</sup>, CO<sub>2</sub>", MARKDOWN) == "10^2 m2, CO2"


def test_struck_text_keeps_signs_that_it_is_struck() -> None:
    assert as_read("<del>5</del> 6", MARKDOWN) == "~~5~~ 6"


def test_code_keeps_its_lines_and_what_they_are_indented_by() -> None:
    source = "    if a:\n        b = [x](y)\n"
    assert as_read(source, MARKDOWN, BlockKind.CODE) == "if a:\n    b = [x](y)"
    assert as_read("+--+\n|  |\n+--+", "text/plain", BlockKind.CODE) == "+--+\n|  |\n+--+"


def test_fences_around_code_are_not_shown() -> None:
    assert as_read("```py\na\n\nb\n```", MARKDOWN, BlockKind.CODE) == "a\n\nb"


def test_no_sentence_ends_within_a_link_a_tag_or_a_template() -> None:
    text = "Use [Book it! Now.](https://a.b/c?d=e. f) to book. Then {% x 'Go. On' %} go. End."
    cuts = [0, *(match.end() for match in re.finditer(r"[.!] ", text)), len(text)]
    found = around_links(text, list(pairwise(cuts)))
    assert [text[start:end].strip() for start, end in found] == [
        "Use [Book it! Now.](https://a.b/c?d=e. f) to book.",
        "Then {% x 'Go. On' %} go.",
        "End.",
    ]


def test_other_formats_have_no_marks_but_lines() -> None:
    source = "Leave of *two*\nweeks | [x](y) & <b>\n- one\n- two"
    assert as_read(source, "text/plain") == "Leave of *two* weeks | [x](y) & <b>\n- one\n- two"
    assert as_read("a < b\nc > d", "application/pdf") == "a < b c > d"


def test_roles_and_links_of_restructured_text_are_folded() -> None:
    source = (
        "See :ref:`the text <target>`, ``x*y``, `here <https://example.org>`_, **all** and [1]_."
    )
    assert as_read(source, RESTRUCTURED_TEXT) == "See the text, x*y, here, all and [1]."


def test_code_of_restructured_text_keeps_its_lines_and_loses_its_directive() -> None:
    source = (
        "Use ``apt``:\n\n.. code-block:: console\n\n    $ apt update\n    $ apt install x\n\n"
        "Then go\non."
    )
    assert as_read(source, RESTRUCTURED_TEXT) == (
        "Use apt:\n\n$ apt update\n$ apt install x\n\nThen go on."
    )
    code = source[source.index("..") : source.index("Then")]
    assert as_read(code, RESTRUCTURED_TEXT, BlockKind.CODE) == "$ apt update\n$ apt install x"


def test_the_mark_of_a_definition_is_not_shown() -> None:
    assert as_read(": Enable watching of the\nfolder: always.", MARKDOWN) == (
        "Enable watching of the folder: always."
    )


_MARKS = st.lists(
    st.sampled_from(
        ["*", "**", "_", "[", "](", ")", "![", "<", ">", "<b>", "</b>", "<br>", "|", "# ", "- ",
         "1. ", "> ", "\n", "\n\n", " ", "a", "Leave", "not", "5", "-5", "%", "12.5", "é", "~~",
         "{{ x }}", "{% if %}", "[^1]", "---", "|--|", "<td>", "[a][b]", "日", ".", ":"]
    ),
    max_size=30,
).map("".join)  # fmt: skip


@given(_MARKS)
def test_what_is_shown_is_shown_again_as_the_same(source: str) -> None:
    once = as_read(source, MARKDOWN)
    # Half-open marks may meet once what stood between them has gone: twice is always enough.
    twice = as_read(once, MARKDOWN)
    assert as_read(twice, MARKDOWN) == twice


@given(st.text(max_size=200) | _MARKS, st.sampled_from([MARKDOWN, RESTRUCTURED_TEXT, "text/plain"]))
def test_no_word_is_shown_that_is_not_in_the_source(source: str, media_type: str) -> None:
    shown = as_read(source, media_type)
    if not _ENTITY.search(source):
        letters = iter(sign for sign in source if sign.isalnum())
        assert all(sign in letters for sign in shown if sign.isalnum())


@given(
    st.lists(
        st.sampled_from(
            [
                "5",
                "-5",
                "+3",
                "12.5",
                "%",
                "€",
                "<",
                ">",
                "±",
                "not",
                "no",
                "mg",
                "never",
                "(7)",
                "2*3",
            ]
        ),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from([" ", "\n"]),
)
def test_numbers_signs_units_and_negations_stay(words: list[str], blank: str) -> None:
    # A line that begins with ">" is quoted.
    source = "It is " + blank.join(words).replace("\n>", " >")
    assert as_read(source, MARKDOWN).split() == source.split()


@given(st.text(max_size=300), st.sampled_from(list(BlockKind)))
def test_anything_can_be_shown(source: str, kind: BlockKind) -> None:
    assert "\ue000" in source or "\ue000" not in as_read(source, MARKDOWN, kind)


@pytest.mark.parametrize("sign", ["[", "![", "*a", "<a ", "[a](", "{%", "`a``", "<!--", "| ", "> "])
def test_hostile_text_takes_time_in_proportion_to_its_length(sign: str) -> None:
    # The parser alone takes minutes for this, which the limit of the test run would show.
    assert as_read(sign * 20_000, MARKDOWN) is not None


def test_one_statement_has_one_key_in_every_format_and_another_has_another() -> None:
    key = statement_key("- It\u2019s **not** [12](a.html) \u2013 15 days.", MARKDOWN)
    assert key == statement_key("It's not 12 -\n15 days.", "application/pdf")
    for other in ("It's 12 - 15 days.", "It's not 12 - 16 days.", "It's not -12 - 15 days."):
        assert statement_key(other, "text/plain") != key


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (
            "higher than one me-\ntre and forty centi-\nmetres",
            "higher than one metre and forty centimetres",
        ),
        ("The Administra-\ntion", "The Administration"),
        ("the well-\nknown rule", "the well-known rule"),
        ("a risk-\nfree Long-\nterm bond", "a risk-free Long-term bond"),
        ("Model AB-\n220 and 10-\n20 m", "Model AB-220 and 10-20 m"),
        ("die Verwal-\ntung", "die Verwaltung"),
        ("Nord-\nSüd", "Nord-Süd"),
        ("short-\nand long-term", "short- and long-term"),
        ("so it is -\nor not", "so it is - or not"),
    ],
)
def test_words_divided_at_the_end_of_a_line_are_shown_whole(source: str, shown: str) -> None:
    assert as_read(source, "application/pdf", BlockKind.PARAGRAPH) == shown


def test_a_hyphen_that_somebody_typed_at_the_end_of_a_line_stays() -> None:
    assert as_read("send an e-\nmail to the risk-\nfree fund", "text/plain") == (
        "send an e-mail to the risk-free fund"
    )
