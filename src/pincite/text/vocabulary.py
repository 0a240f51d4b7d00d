"""The vocabulary of a library: its words and their frequencies, abbreviations, spelling, compounds."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest

from pincite.text.languages import stop_words
from pincite.text.terms import fold

_SHORTEST_WORD = 3
_SHORTEST_CORRECTED = 5
_TWO_ERRORS_FROM = 8
"""Fewest letters of a word that may be corrected at edit distance 1, and at distance 2."""
_CANDIDATES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What one passage added to the counts: its words as spelt, and its abbreviations, folded."""

    words: Sequence[str]
    explained: Sequence[tuple[str, str]]


class WordCounts:
    """Counts words and abbreviations while an index is built or updated."""

    def __init__(self, vocabulary: Vocabulary | None = None) -> None:
        self._words = Counter(vocabulary.words if vocabulary else {})
        self._tokens: Counter[str] = Counter()
        self._explained: dict[str, Counter[str]] = defaultdict(Counter)
        for short, longs in (vocabulary.explained if vocabulary else {}).items():
            self._explained[short].update(longs)

    def add(self, text: str, tokens: Iterable[str]) -> Counted:
        """Count a passage and its tokens; returns what was counted, for `take_off`."""
        words = {token for token in tokens if token.isalpha() and len(token) >= _SHORTEST_WORD}
        explained = [
            (fold(short), " ".join(fold(long).split())) for short, long in abbreviations(text)
        ]
        self._tokens.update(words)
        for short, long in explained:
            self._explained[short][long] += 1
        return Counted(words=sorted(words), explained=explained)

    def take_off(self, counted: Counted) -> None:
        """Remove a passage; the counts are then as if it had never been added."""
        self._tokens.subtract(counted.words)
        for short, long in counted.explained:
            self._explained[short][long] -= 1

    def vocabulary(self) -> Vocabulary:
        """Everything counted so far."""
        for token, count in self._tokens.items():
            self._words[fold(token)] += count
        self._tokens.clear()
        words = +self._words  # Only what is still there.
        explained = {short: +longs for short, longs in self._explained.items()}
        return Vocabulary(
            words=dict(sorted(words.items())),
            explained={
                short: dict(sorted(longs.items()))
                for short, longs in sorted(explained.items())
                if longs
            },
        )


class Vocabulary:
    """Words with the number of passages that contain them, and abbreviations with their long forms.

    All are folded. A passage that contains a word in two spellings counts twice.
    """

    def __init__(
        self, *, words: Mapping[str, int], explained: Mapping[str, Mapping[str, int]]
    ) -> None:
        self.words = words
        self.explained = explained

    def long_form(self, short: str) -> str:
        """The most frequent long form of an abbreviation; "" for none."""
        longs = self.explained.get(short, {})
        return min(longs, key=lambda long: (-longs[long], long), default="")

    def short_forms(self, folded_text: str) -> list[tuple[str, str]]:
        """Abbreviations whose long form occurs in a text, with that form."""
        padded = f" {folded_text} "
        first_words = set(folded_text.split())
        return [
            (short, long)
            for word in first_words
            for short, long in self._by_first_word.get(word, ())
            if f" {long} " in padded
        ]

    @cached_property
    def _by_first_word(self) -> dict[str, list[tuple[str, str]]]:
        found: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for short in self.explained:
            long = self.long_form(short)
            found[long.split()[0]].append((short, long))
        return dict(found)

    def nearest(self, word: str) -> str:
        """The most likely correct spelling of a word; "" when none is near.

        Distance counts wrong, missing, extra or swapped letters (optimal string alignment). The
        first letter must be right, or swapped with the second.
        """
        if len(word) < _SHORTEST_CORRECTED:
            return ""
        most = 2 if len(word) >= _TWO_ERRORS_FROM else 1
        near = [
            candidate
            for first in {word[:1], word[1:2]}
            for length in range(len(word) - most, len(word) + most + 1)
            for candidate in self._by_shape.get((first, length), ())
            if first == word[:1] or candidate[1] == word[0]
        ]
        # Imported only for a word that no document contains: most questions have none.
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        found = process.extract(
            word, near, scorer=OSA.distance, score_cutoff=most, limit=_CANDIDATES
        )
        ranked = ((distance, -self.words[other], other) for other, distance, _ in found)
        return min(ranked, default=(0, 0, ""))[2]

    @cached_property
    def _by_shape(self) -> dict[tuple[str, int], list[str]]:
        """Words by first letter and length."""
        found: dict[tuple[str, int], list[str]] = defaultdict(list)
        for word in self.words:
            found[word[:1], len(word)].append(word)
        return dict(found)

    def parts(self, word: str, language: str) -> tuple[str, ...]:
        """The words of a compound."""
        return parts(word, language, self.words) if language in COMPOUNDING else ()

    def compounds(self, word: str, language: str, *, limit: int) -> list[str]:
        """The most frequent compounds that a word is part of."""
        if language not in COMPOUNDING or len(word) < SHORTEST_PART:
            return []
        candidates = {
            whole
            for whole in self._words_holding(word)
            if whole.startswith(word) or whole.endswith(word)
            if word in self.parts(whole, language)
        }
        return nsmallest(limit, candidates, key=lambda whole: (-self.words[whole], whole))

    def _words_holding(self, part: str) -> Iterable[str]:
        text = self._joined
        place = text.find(part)
        while place >= 0:
            start = text.rfind("\n", 0, place) + 1
            end = text.find("\n", place)
            yield text[start:end]
            place = text.find(part, end)

    @cached_property
    def _joined(self) -> str:
        return "\n" + "\n".join(self.words) + "\n"


# Abbreviations that a text explains, after Schwartz and Hearst (PSB 2003).

_SHORT_FORM = re.compile(r"\((?P<short>[^\W_][\w&./-]{1,9})\)")
_BEFORE_CHARS = 160
_FEWEST_CAPITALS = 2


def abbreviations(text: str) -> Iterator[tuple[str, str]]:
    """Pairs of short form and long form, as written."""
    if "(" not in text:
        return
    for found in _SHORT_FORM.finditer(text):
        short = found["short"]
        if sum(letter.isupper() for letter in short) < _FEWEST_CAPITALS:
            continue
        before = text[max(0, found.start() - _BEFORE_CHARS) : found.start()]
        long = _long_form(short, before)
        if long:
            yield short, long


def _long_form(short: str, before: str) -> str:
    """The shortest end of `before` that explains `short`; "" when none does."""
    most_words = min(len(short) + 5, len(short) * 2)
    # A long form is within one sentence and one line.
    words = re.split(r"[.;:!?]\s|\n\s*\n", before)[-1].split()[-most_words:]
    candidate = " ".join(words)
    letters = [letter for letter in short.lower() if letter.isalnum()]
    long = _by_initials(letters, words) or _by_letters(letters, candidate)
    is_longer = len(long) > len(short) and len(long.split()) > 1
    return long if is_longer and short.lower() not in long.lower().split() else ""


def _by_initials(letters: Sequence[str], words: Sequence[str]) -> str:
    for start in reversed(range(len(words))):
        pieces = [piece for piece in re.split(r"[\s/-]+", " ".join(words[start:]).lower()) if piece]
        telling = [piece for piece in pieces if piece not in stop_words()["en"]]
        if letters in ([piece[0] for piece in pieces], [piece[0] for piece in telling]):
            return " ".join(words[start:])
    return ""


def _by_letters(letters: Sequence[str], candidate: str) -> str:
    place = len(candidate)
    lowered = candidate.lower()
    for number, letter in reversed(list(enumerate(letters))):
        place = lowered.rfind(letter, 0, place)
        while number == 0 and place > 0 and lowered[place - 1].isalnum():
            place = lowered.rfind(letter, 0, place)
        if place < 0:
            return ""
    return candidate[place:]


# Splitting compounds, in languages that write them as one word.

COMPOUNDING = frozenset({"de", "nl", "sv", "da", "no"})

SHORTEST_PART = 4
_LINKS = {
    "de": ("", "s", "es", "n", "en", "er", "e"),
    "nl": ("", "s", "en", "e"),
    "sv": ("", "s"),
    "da": ("", "s", "e"),
    "no": ("", "s", "e"),
}


def parts(word: str, language: str, known: Container[str]) -> tuple[str, ...]:
    """The two words of a compound, both `known`; empty when there is no such division.

    `nobelpreis` is `nobel` and `preis`, `entscheidungsproblem` has an `s` between. Among several
    divisions, the one with the longest shorter part is returned.
    """
    best: tuple[str, ...] = ()
    for end in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1):
        first, second = word[:end], word[end:]
        if second not in known:
            continue
        for link in _LINKS.get(language, ()):
            stem = first.removesuffix(link)
            if not first.endswith(link) or len(stem) < SHORTEST_PART or stem not in known:
                continue
            if min(len(stem), len(second)) > min(map(len, best), default=0):
                best = (stem, second)
    return best
