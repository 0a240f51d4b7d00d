"""The sentence that defines a role or a term, or names the parties, comes before those that use it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pincite.evidence.rescoring import lifted, scored_sentences
from pincite.records import Hit, Question, Selection
from pincite.stages import Selector, Sources
from pincite.text.terms import terms

_QUOTED = r"[\"“”„«][^\"“”„«»]{2,60}[\"“”»]"
_NAMES_PARTIES = re.compile(
    rf"\b(?:between|among|zwischen|entre)\b(?:.*?\([^()]{{0,60}}?{_QUOTED}\s*\)){{2}}",
    re.IGNORECASE | re.DOTALL,
)
_ASKS_FOR_PARTIES = re.compile(
    r"^\W*(?:(?:who|what|which) (?:are|were)|between whom|wer sind|qui sont|quelles sont|"
    r"quiénes son|cuáles son|(?:name|list|nenne))\b.{0,40}"
    r"\b(?:parties|vertragsparteien|parteien|vertragspartner|partes)\b"
    r"(?:\s+(?:to|of|in|under|der|des|von|à|au|du|de|del|al|en)\b)?(?P<of>.*)",
    re.IGNORECASE | re.DOTALL,
)
_ASKS_FOR_MEANING = re.compile(
    r"^\W*(?:(?:what is )?the (?:definition|meaning) of|who (?:is|are)|"
    r"what (?:is|are)(?: meant by)?|what does|define|wer ist|was (?:ist|sind|bedeutet|heißt)|"
    r"qui est|que (?:signifie|désigne)|quién es|qué (?:es|significa))\s+"
    r"(?:(?:the term|the|a|an|der|die|das|le|la|el|l['’])\s+)?"
    r"[\"“„«'‘]?(?P<term>[^\"“”„«»'‘’?]{2,60}?)[\"”»'’]?\s*"
    r"(?:\b(?:mean|stand for|defined as)\b\s*)?(?:\b(?:in|under|of|im|unter|dans|en)\s(?P<of>.*))?\W*$",
    re.IGNORECASE | re.DOTALL,
)

_LEAST_SCORE = 0.8
"""What such a sentence scores, unless the question names a document that may be another: that it
names or defines is told by its form."""


class DefinedTermsSelector:
    """Lets another selector see what defines a term before what uses it.

    `X Ltd (the "Supplier")` and `"Services" means ...` answer who the Supplier is and what Services
    are; a sentence that names two such roles between which something is agreed answers who the
    parties are. It hardly has the word "parties", which many a clause has.
    """

    def __init__(self, selector: Selector, sources: Sources) -> None:
        self._selector = selector
        self._sources = sources

    def select(self, question: Question, hits: Sequence[Hit]) -> Selection:
        """What the other selector chooses from the hits, sentences of definition first."""
        asked = _ASKS_FOR_PARTIES.match(question.plain) or _ASKS_FOR_MEANING.match(question.plain)
        if asked is None:
            return self._selector.select(question, hits)
        answers = _defining(asked["term"]) if "term" in asked.groupdict() else _NAMES_PARTIES
        found = {
            span: f"{hit.passage.context}\n{text}"
            for _, span, hit in scored_sentences(hits)
            if answers.search(text := self._sources.text_of(span))
        }
        language = question.language
        document = set(terms(asked["of"] or "", language))
        is_certain = any(document <= set(terms(text, language)) for text in found.values())
        least = _LEAST_SCORE if is_certain else 0.0
        return self._selector.select(question, lifted(hits, found, least=least))


def _defining(term: str) -> re.Pattern[str]:
    """What a sentence has that defines a term."""
    words = r"\s+".join(map(re.escape, term.split()))
    return re.compile(
        rf"\([^()]{{0,60}}?[\"“„«]{words}[\"“”»]\s*\)|[\"“„«]{words}[\"“”»]\s+(?:shall\s+)?"
        r"(?:means?|has the meaning|refers to|bedeutet|bezeichnet|meint|heißt|sind|ist|signifie|"
        r"désigne|significa)\b",
        re.IGNORECASE,
    )
