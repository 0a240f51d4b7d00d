"""Finds the passages that contain exact words, phrases and identifiers of a question."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from pincite.records.document import Span
from pincite.records.filters import EVERYWHERE, Scope
from pincite.records.flow import Passage
from pincite.stages import LexicalIndex
from pincite.text.mentions import WrittenWords, holds, is_signed, without_signed
from pincite.text.terms import fold, terms

RARE_IN = 3
"""A term that occurs in at most this many passages is rare."""

_RARE_SHARE = 0.001
"""At most this share of passages makes a word rare whatever else is asked; never in a small library."""

_MOST_KEPT = 5
_LOOKED_THROUGH = 1000
_MOST_HOLDING = 100
_LOOKED_UP_AT_ONCE = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Sifted:
    """The keys that may be found, in order, and for each excluded key the word it contains."""

    kept: list[int]
    left_out: Mapping[int, str]


class ExactWords:
    """Looks up words in the lexical index, and phrases in the texts themselves."""

    def __init__(
        self,
        lexical: LexicalIndex,
        passages: Callable[[Sequence[int]], Mapping[int, Passage]],
        text_of: Callable[[Span], str],
        languages: Sequence[str],
    ) -> None:
        self._lexical = lexical
        self._passages = passages
        self._text_of = text_of
        self._languages = languages

    def holding(self, phrases: Sequence[str], scope: Scope = EVERYWHERE) -> tuple[int, ...]:
        """Keys of passages that contain every phrase, best lexical score first.

        Checks the 1,000 best passages that contain all words of the phrases, and stops at 100.
        A phrase made only of stop words, which no index can look up, is never found.
        """
        found: list[int] = []
        for key, text in self._texts(self._with_words_of(phrases, scope)):
            if all(holds(text, phrase) for phrase in phrases):
                found.append(key)
            if len(found) == _MOST_HOLDING:
                break
        return tuple(found)

    def is_option(self, word: str) -> bool:
        """Whether a passage has the word after a minus, as a command-line option: `-aG`."""
        written = re.compile(rf"(?<![\w-])-{re.escape(word)}(?!\w)")
        keys = self._with_words_of([word], EVERYWHERE)[:_MOST_HOLDING]
        return any(written.search(text) for _, text in self._texts(keys))

    def _with_words_of(self, phrases: Sequence[str], scope: Scope) -> list[int]:
        found: dict[int, None] = {}
        for language in self._languages:
            # Joined forms are left out: "GSE-204" also matches where "GSE 204" is written.
            words = {
                term
                for phrase in phrases
                for term in terms(fold(phrase), language)
                if term.isalnum()
            }
            if words:
                hits = self._lexical.search(
                    [], required=sorted(words), limit=_LOOKED_THROUGH, scope=scope
                )
                found.update(dict.fromkeys(item.key for item in hits))
        return list(found)

    def rare(self, asked: Sequence[str], scope: Scope) -> tuple[int, ...]:
        """Keys of up to 5 passages that contain a rare term of the question.

        The best passage of each term comes first, then the others; identifiers before words, the
        rarest first. Identifiers in at most three passages are rare. So are words, unless most of
        the question's words are: in a small library nearly every word is rare, which means nothing.
        """
        found = {term: self._lexical.document_frequency(term) for term in asked}
        known = {term: frequency for term, frequency in found.items() if frequency}
        few = {term: frequency for term, frequency in known.items() if frequency <= RARE_IN}
        is_telling = len(few) <= len(known) / 2
        most = RARE_IN if is_telling else _RARE_SHARE * len(self._lexical)
        rare = sorted(
            (not _is_identifier(term), frequency, term)
            for term, frequency in few.items()
            if frequency <= most or _is_identifier(term)
        )
        holding = [
            [item.key for item in self._lexical.search([term], limit=RARE_IN, scope=scope)]
            for *_, term in rare
        ]
        in_turn = chain.from_iterable(zip_longest(*holding))
        return tuple(dict.fromkeys(key for key in in_turn if key is not None))[:_MOST_KEPT]

    def saying(self, excluded: Sequence[str]) -> dict[int, str]:
        """Keys of all passages that contain an excluded word in any of its forms, with that word.

        Covers what the index can distinguish: phrases, stop words, and `C` as opposed to `C++` are
        left to `sifted`.
        """
        found: dict[int, str] = {}
        for word in excluded:
            # The index contains the bare word for `C++` and `C#` too.
            signed = [f"{fold(word)}{sign}" for sign in ("++", "#")]
            if len(word.split()) > 1 or any(map(self._lexical.document_frequency, signed)):
                continue
            for language in self._languages:
                if asked := terms(word, language):
                    most = min(map(self._lexical.document_frequency, asked))
                    hits = self._lexical.search([], required=asked, limit=max(1, most))
                    found |= {item.key: word for item in hits if item.key not in found}
        return found

    def sifted(self, keys: Sequence[int], excluded: Sequence[str], *, most: int) -> Sifted:
        """The first `most` of the keys whose passages contain none of the excluded words."""
        kept: list[int] = []
        left_out: dict[int, str] = {}
        words = _Excluded(excluded, self._languages)
        for key, text in self._texts(keys):
            if said := words.first_said(text):
                left_out[key] = said
            else:
                kept.append(key)
            if len(kept) == most:
                break
        return Sifted(kept=kept, left_out=left_out)

    def _texts(self, keys: Sequence[int]) -> Iterator[tuple[int, str]]:
        for start in range(0, len(keys), _LOOKED_UP_AT_ONCE):
            some = keys[start : start + _LOOKED_UP_AT_ONCE]
            passages = self._passages(some)
            for key in some:
                if key in passages:
                    passage = passages[key]
                    yield key, passage.with_context(self._text_of(passage.span))


class _Excluded:
    """Excluded words: phrases match word for word, single words in any of their forms.

    There may be thousands. Each word and each text is analysed once.
    """

    def __init__(self, excluded: Sequence[str], languages: Sequence[str]) -> None:
        self._languages = languages
        self._terms = {words: self._terms_of(words) for words in excluded}

    def _terms_of(self, words: str) -> list[tuple[str, frozenset[str]]]:
        """The terms by language; none for a phrase."""
        if len(words.split()) > 1:
            return []
        found = ((language, frozenset(terms(words, language))) for language in self._languages)
        return [(language, asked) for language, asked in found if asked]

    def first_said(self, text: str) -> str | None:
        """The first excluded word that the text contains; None without one."""
        written, plain = WrittenWords(text), without_signed(text)
        whole = {language: frozenset(terms(text, language)) for language in self._languages}
        unsigned = (
            whole
            if plain == text
            else {language: frozenset(terms(plain, language)) for language in self._languages}
        )
        for words, asked in self._terms.items():
            held = whole if is_signed(words) else unsigned
            if written.hold(words) or any(wanted <= held[lang] for lang, wanted in asked):
                return words
        return None


def _is_identifier(term: str) -> bool:
    return len(term) > 1 and any(letter.isdigit() for letter in term)
