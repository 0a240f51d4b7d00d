"""Kinds of answer that a question asks for, and whether a text has one: a number, time, place, reason.

They are recognized by function words and units, which nearly all true answers contain: see
`python benchmarks/asked_kinds.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pincite.records.flow import Evidence
from pincite.stages import Sources
from pincite.text.tables.finding import row_at
from pincite.verify.quotes.list_lead_ins import read_with_announcements

_LANGUAGE = "en"

NUMBER = "a number"
"""Its lack alone does not refuse: "however long you serve" answers "How many days ...?"."""

_KINDS = (
    (
        NUMBER,
        re.compile(r"\bhow (?:many|much)\b|\bwhat (?:percentage|percent|number|amount)\b", re.I),
        re.compile(
            r"\d|[½⅓¼¾]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|"
            r"thirty|forty|fifty|(?:hundred|thousand|million|billion|dozen)s?|half|third|quarter|once|"
            r"twice|single|double|both|none|no|not|never|all|every|few|several|many|much|most|more|"
            r"less|fewer|little|some|any|a lot|free)\b",
            re.I,
        ),
    ),
    (
        "a date or time",
        re.compile(
            r"^\W*(?:since |until |from |by )?when\b(?!.*, (?:who|what|which|how|where|why)\b)|"
            r"\b(?:what|which) (?:year|date|day|month|century|decade)\b",
            re.I,
        ),
        re.compile(
            r"\d|\b(?:january|february|march|april|may|june|july|august|september|october|november|"
            r"december|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|spring|summer|autumn|winter|"
            r"mornings?|noon|afternoon|evenings?|night|midnight|weekend|christmas|easter|"
            r"seconds?|minutes?|hours?|days?|weeks?|months?|years?|quarters?|century|centuries|decades?|"
            r"daily|weekly|monthly|annually|yearly|today|tomorrow|yesterday|now|soon|immediately|"
            r"early|earlier|earliest|late|later|latest|last|next|first|times?|ago|after|before|during|"
            r"since|while|when|whenever|until|till|upon|once|as|if|unless|in case|always|never)\b",
            re.I,
        ),
    ),
    (
        "a place",
        re.compile(r"^\W*(?:from )?where\b(?!.*, (?:who|what|which|how|when|why)\b)", re.I),
        re.compile(
            r"[/\\@]|\b(?:in|at|on|near|to|from|into|onto|under|underneath|inside|outside|behind|"
            r"between|beside|beneath|below|above|over|across|along|around|within|through|by|via|as far "
            r"as|here|there|where|left|right|top|bottom|front|back|end|next|nowhere|everywhere|"
            r"north\w*|south\w*|east\w*|west\w*)\b|:",
            re.I,
        ),
    ),
    (
        "a reason",
        re.compile(r"^\W*why\b(?!.*, (?:who|what|which|how|where|when)\b)", re.I),
        # Words of a sentence, and not a label beside numbers.
        re.compile(r"\A\D*\Z|\b[a-z]+(?:[\s,'’()-]+[a-z]+){4}\b|\bbecause\b|\bdue to\b", re.I),
    ),
)
"""How questions ask for a kind, and the signs or words that a text with one contains."""


def missing_kind(
    question: str,
    evidence: Sequence[Evidence],
    language: str,
    sources: Sources,
    *,
    with_headings: bool = True,
) -> str:
    """The kind of answer that is asked for, if no quote below its lead-ins and headings contains one.

    Without headings, these do not count, and of a form's rows only the values do: "Next of kin: Lars
    Berg" has no time. Empty if a quote has it, and for questions in other languages than English.
    """
    if language != _LANGUAGE:
        return ""
    if not with_headings:
        return kind_that_none_contains(question, (_said(item, sources) for item in evidence))
    read = (
        "\n".join([*item.passage.section, read_with_announcements(item, sources)])
        for item in evidence
    )
    return kind_that_none_contains(question, read)


def _said(item: Evidence, sources: Sources) -> str:
    found = row_at(item.span, sources)
    if found is not None and found[0].is_form:
        table, row = found
        return table.text(row, len(table.columns) - 1)
    return read_with_announcements(item, sources)


def kind_that_none_contains(question: str, texts: Iterable[str]) -> str:
    """The kind of answer that an English question asks for, if none of the texts contains one."""
    for kind, wanted, contained in _KINDS:
        if wanted.search(question):
            return "" if any(map(contained.search, texts)) else kind
    return ""
