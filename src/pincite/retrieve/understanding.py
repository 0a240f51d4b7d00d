"""Reads a question without a language model: terms, phrases, corrections, expansions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pincite.records.filters import Filters, Scope
from pincite.records.flow import Question, Understood
from pincite.retrieve.exact import ExactWords
from pincite.retrieve.named_files import NamedFiles
from pincite.stages import LexicalIndex, TermWeights, Understander
from pincite.text.languages import (
    UNKNOWN,
    counted_languages,
    is_latin,
    language_name,
    sure_language,
)
from pincite.text.question_forms import QuestionSyntax, parsed
from pincite.text.question_parts import question_parts
from pincite.text.question_words import is_asking_verb, spoken_language
from pincite.text.terms import fold, question_terms, terms
from pincite.text.vocabulary import Vocabulary

# Detecting questions in a language that the documents do not use and the encoder does not read.

_LEAST_SHARE = 0.05
"""Of the passages: a language with fewer is that of a quotation, or was detected wrongly."""
_FEWEST_TERMS = 2
_LEAST_KNOWN = 0.1
"""Share of a question's terms in another script that are known if documents are in its language."""

_NAME = re.compile(r"(?<=\s)[^\W\d_a-zß-ÿ]\w*")
"""A capitalised word inside a sentence: `Die Hard` says nothing about the language."""

_LETTERS = (
    (re.compile("[\u3041-\u30ff]"), "ja"),
    (re.compile("[\uac00-\ud7a3]"), "ko"),
    (re.compile("[\u4e00-\u9fff]"), "zh"),
    (re.compile("[\u0400-\u052f]"), "ru"),
    (re.compile("[\u0370-\u03ff]"), "el"),
    (re.compile("[\u0530-\u058f]"), "hy"),
    (re.compile("[\u0590-\u05ff]"), "he"),
    (re.compile("[\u0600-\u06ff]"), "ar"),
    (re.compile("[\u0900-\u097f]"), "hi"),
    (re.compile("[\u0e00-\u0e7f]"), "th"),
)


_LEAST_CERTAINTY = 0.4
"""Of a question's language, which its words suggest as well; questions are short."""


class OtherLanguage:
    """Detects questions in a language that hardly occurs in the library."""

    def __init__(self, passages: Mapping[str, int], weights: TermWeights) -> None:
        """`passages`: how many are in each language; those of unsure ones claim nothing."""
        sure = counted_languages(passages, sure=True)
        total = sum(sure.values())
        self._held = {name for name, count in sure.items() if count >= _LEAST_SHARE * total}
        self._weights = weights

    def __call__(self, question: str) -> str:
        """The language's name, such as "German"; empty when documents are in that language."""
        if not is_latin(question):
            return self._of_another_script(question)
        plain = _NAME.sub("", question)
        spoken = spoken_language(plain, self._weights.language(plain))
        if not self._held or spoken in self._held:
            return ""
        # None of the documents' own languages may claim as many words.
        if any(spoken_language(plain, held) == held for held in self._held):
            return ""
        return (
            language_name(spoken) if sure_language(plain, least=_LEAST_CERTAINTY) == spoken else ""
        )

    def _of_another_script(self, question: str) -> str:
        found = next((name for sign, name in _LETTERS if sign.search(question)), "")
        asked = {term for term in terms(question, found) if not is_latin(term)}
        # A single word may be missing even from documents in its language.
        if len(asked) < _FEWEST_TERMS:
            return ""
        known = sum(self._weights.weight(term) < 1 for term in asked)
        return language_name(found) if found and known < _LEAST_KNOWN * len(asked) else ""


# Reading a question. Every step can be turned off.

_LONG_TO_SHORT = 0.5
"""Weight of the short form when the question has the long one; the words of the long form share
as much when it has the short one."""

_PART_OF_COMPOUND = 0.5
_COMPOUND_OF_PART = 0.2
_COMPOUNDS = 8
"""Weight of the parts of a compound in the question, of compounds of its words, and how many."""

_PHRASES_KEPT = 5
"""Passages that contain the phrases and are never dropped, when others may be found too."""

_SUGGESTED = 0.5
"""Weight of a suggested spelling that is searched for in addition to the unknown word."""

_ENTITY = 1.3
"""Weight of names and numbers."""

_ASKED_WORD = re.compile(r"[^\W\d_]+")
_SHORTEST_CORRECTED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """Which steps are taken; with `phrases`, only passages that contain them are found."""

    phrases: bool
    abbreviations: bool
    spelling: bool
    compounds: bool
    parts: bool
    entities: bool


class QuestionReader:
    """Reads a question with the library's knowledge of words.

    `is_word` recognises English words that the library may lack, so that they are not taken for
    misspellings. Other languages have no such list: there the suggested spelling is searched for
    in addition to the word.
    """

    def __init__(
        self,
        *,
        lexical: LexicalIndex,
        weights: TermWeights,
        languages: Sequence[str],
        vocabulary: Vocabulary,
        exact: ExactWords,
        is_word: Callable[[str], bool],
        named: NamedFiles,
        steps: Steps,
        other_language: OtherLanguage | None = None,
    ) -> None:
        """`other_language` is given when the encoder reads one language only."""
        self._lexical = lexical
        self._weights = weights
        self._languages = languages
        self._vocabulary = vocabulary
        self._exact = exact
        self._is_word = is_word
        self._named = named
        self._steps = steps
        self._other_language = other_language

    def understand(self, question: Question) -> Question:
        """The question, with `understood` filled in."""
        syntax = parsed(question.text, self._exact.is_option)
        written, language = syntax.plain, self._weights.language(syntax.plain)
        question, syntax = self._within_named(question, syntax, language)
        nearest = self._nearest(syntax, language) if self._steps.spelling else {}
        is_listed = spoken_language(written, language) == UNKNOWN and is_latin(written)
        corrections = nearest if is_listed else {}
        suggestions = {} if is_listed else nearest
        asked = _replaced(syntax.plain, corrections)
        wanted = question_terms(asked, language)
        expansions = self._expansions(asked, wanted, language)
        for word, near in suggestions.items():
            meant = dict.fromkeys(terms(near, language), _SUGGESTED)
            expansions[word] = {**expansions.get(word, {}), **meant}
        within, notices = self._within(syntax, question.scope)
        rare = self._exact.rare(list(wanted), question.scope)
        is_strict = self._steps.phrases or not _is_sentence(syntax.unquoted, language)
        foreign = self._other_language(written) if self._other_language else ""
        understood = Understood(
            written=written,
            foreign=foreign,
            plain=syntax.plain,
            asked=asked,
            language=language,
            terms=self._weighted(wanted, expansions, asked),
            phrases=syntax.phrases,
            excluded=syntax.excluded,
            within=within if is_strict else None,
            keep=(
                *rare,
                *(() if is_strict or not within else within[:_PHRASES_KEPT]),
            ),
            parts=question_parts(asked) if self._steps.parts else (),
            corrections=corrections,
            expansions=expansions,
            notices=(
                *_of_language(foreign),
                *_notices(syntax, wanted, corrections, language),
                *(
                    f"searched for '{near}' as well as '{word}'"
                    for word, near in suggestions.items()
                ),
                *notices,
            ),
        )
        all_notices = (*question.notices, *understood.notices)
        return replace(question, understood=understood, notices=all_notices)

    def _within_named(
        self, question: Question, syntax: QuestionSyntax, language: str
    ) -> tuple[Question, QuestionSyntax]:
        """The question limited to the file that it names, without that name; otherwise unchanged.

        Filters already say where to look.
        """
        named = None if question.filters else self._named.named(syntax.plain, question.collection)
        if named is None or not terms(named.rest, language):
            return question, syntax
        if not named.documents:
            notice = f"no file is named {' or '.join(named.names)}: all files were searched"
            return replace(question, notices=(*question.notices, notice)), syntax
        if not all(phrase in named.rest for phrase in syntax.phrases):
            return question, syntax
        notice = f"searched only {' and '.join(named.names)}, as named in the question"
        narrowed = replace(
            question,
            filters=Filters(documents=named.documents),
            notices=(*question.notices, notice),
        )
        return narrowed, replace(syntax, plain=named.rest)

    def _nearest(self, syntax: QuestionSyntax, language: str) -> dict[str, str]:
        """Words that may be misspelt, with the nearest word of the library."""
        exact = {word for phrase in syntax.phrases for word in phrase.split()}
        telling = question_terms(syntax.plain, language).keys()
        found = {}
        for word in _ASKED_WORD.findall(syntax.plain):
            if word in exact or not telling & terms(word, language):
                continue
            if is_asking_verb(word, syntax.plain, language):
                continue
            if self._is_unknown(word, language):
                nearest = self._vocabulary.nearest(fold(word))
                if nearest and not self._is_word(fold(word)):
                    found[word] = nearest
        return found

    def _is_unknown(self, word: str, language: str) -> bool:
        folded, asked = fold(word), terms(word, language)
        return (
            len(folded) >= _SHORTEST_CORRECTED
            and bool(asked)
            and not word.isupper()
            and folded not in self._vocabulary.words
            and not any(map(self._lexical.document_frequency, asked))
        )

    def _expansions(
        self, asked: str, wanted: Mapping[str, str], language: str
    ) -> dict[str, dict[str, float]]:
        """Added terms and their weights, by the word of the question that they stand for."""
        found: dict[str, dict[str, float]] = {}
        if self._steps.abbreviations:
            found |= self._abbreviations(asked, wanted, language)
        if self._steps.compounds:
            found |= self._compounds(wanted, language)
        for other in self._languages:
            if other != language:
                # A name is spelt the same in texts of all languages, but has another stem.
                stems = terms(" ".join(wanted.values()), other)
                found[f"in {other}"] = dict.fromkeys(stems, 1.0)
        return found

    def _abbreviations(
        self, asked: str, wanted: Mapping[str, str], language: str
    ) -> dict[str, dict[str, float]]:
        found = {}
        for term, word in wanted.items():
            if long := self._vocabulary.long_form(fold(word)) or self._vocabulary.long_form(term):
                words = terms(long, language)
                found[word] = dict.fromkeys(words, _LONG_TO_SHORT / max(1, len(words)))
        folded = " ".join(re.findall(r"[^\s?!.,;:()\"']+", fold(asked)))
        for short, long in self._vocabulary.short_forms(folded):
            found[long] = dict.fromkeys(terms(short, language), _LONG_TO_SHORT)
        return found

    def _compounds(self, wanted: Mapping[str, str], language: str) -> dict[str, dict[str, float]]:
        found: dict[str, dict[str, float]] = {}
        for word in dict.fromkeys(fold(word) for word in wanted.values()):
            parts = self._vocabulary.parts(word, language)
            wholes = self._vocabulary.compounds(word, language, limit=_COMPOUNDS)
            found[word] = {
                **{term: _COMPOUND_OF_PART for whole in wholes for term in terms(whole, language)},
                **{term: _PART_OF_COMPOUND for part in parts for term in terms(part, language)},
            }
        return {word: expanded for word, expanded in found.items() if expanded}

    def _weighted(
        self, wanted: Mapping[str, str], expansions: Mapping[str, Mapping[str, float]], asked: str
    ) -> dict[str, float]:
        weighted = dict.fromkeys(wanted, 1.0)
        if self._steps.entities:
            weighted = {
                term: _ENTITY if _is_entity(word, asked) else 1.0 for term, word in wanted.items()
            }
        for expanded in expansions.values():
            for term, weight in expanded.items():
                weighted[term] = max(weight, weighted.get(term, 0.0))
        return weighted

    def _within(
        self, syntax: QuestionSyntax, scope: Scope
    ) -> tuple[tuple[int, ...] | None, list[str]]:
        """Keys of the passages that contain the phrases (None: any passage), and notices."""
        if not syntax.phrases:
            return None, []
        if every := self._exact.holding(syntax.phrases, scope):
            return every, []
        single = [self._exact.holding([phrase], scope) for phrase in syntax.phrases]
        some = tuple(dict.fromkeys(key for keys in single for key in keys))
        missing = [
            f"'{phrase}'" for phrase, keys in zip(syntax.phrases, single, strict=True) if not keys
        ]
        if missing:
            notice = f"no passage contains the exact words {' or '.join(missing)}"
            return some or None, [f"{notice}: searched for the words separately"]
        return some, ["no passage contains all of the quoted words: searched for any of them"]


def understood_plainly(text: str) -> Understood:
    """A question taken word for word, for callers without a `QuestionReader`."""
    return Understood(plain=text, asked=text, terms=dict.fromkeys(question_terms(text), 1.0))


def _is_sentence(text: str, language: str) -> bool:
    """Whether a text has words such as "what", "the" or "of", which a list of keywords lacks."""
    return any(not terms(word, language) for word in re.findall(r"\w+", text))


def _notices(
    syntax: QuestionSyntax,
    wanted: Mapping[str, str],
    corrections: Mapping[str, str],
    language: str,
) -> list[str]:
    notices = [f"searched for '{new}' instead of '{old}'" for old, new in corrections.items()]
    if not wanted:
        notices.append(
            "the question only says what to leave out: add what to search for"
            if syntax.excluded
            else "the question has no words to search for"
        )
    elif not terms(" ".join(wanted.values()), language):
        notices.append(
            "the question has only very common words, which are not looked up "
            f"({', '.join(wanted.values())}): add what to search for"
        )
    if syntax.excluded:
        words = ", ".join(f"'{word}'" for word in syntax.excluded)
        notices.append(f"left out passages with {words}, because of the minus in the question")
    return notices


def _replaced(text: str, corrections: Mapping[str, str]) -> str:
    if not corrections:
        return text
    return _ASKED_WORD.sub(lambda found: corrections.get(found[0], found[0]), text)


def _is_entity(word: str, text: str) -> bool:
    """Whether a word is a number, a date, or a name (a capital inside a sentence)."""
    if any(letter.isdigit() for letter in word):
        return True
    return word[:1].isupper() and not text.lstrip().startswith(word)


def _of_language(foreign: str) -> list[str]:
    if not foreign:
        return []
    return [
        f"the question is in {foreign} and the documents are not, and this encoder compares meaning "
        "in one language only: ask in their language, or pip install 'pincite[multilingual]' "
        "and run 'pincite reindex' (docs/encoders.md)"
    ]


# Reads a question of one collection without words that only other collections contain.

IsHeld = Callable[[str, str], bool]
"""Whether a collection contains a term."""


class WordsInCollection:
    """Removes words of other collections from the reading of a question.

    The vocabulary is that of the whole library, but an asker restricted to one collection must not see
    words of the others. Terms that the collection lacks match nothing in it, so hits and scores change
    only through spelling: if a correction or expansion is from elsewhere, no spelling is corrected.
    """

    def __init__(self, reader: Understander, literal: Understander, is_held: IsHeld) -> None:
        """`literal` is `reader` without spelling correction."""
        self._reader = reader
        self._literal = literal
        self._is_held = is_held

    def understand(self, question: Question) -> Question:
        """The question, with `understood` filled in."""
        read = self._reader.understand(question)
        if question.collection is None or read.understood is None:
            return read
        if not self._elsewhere(question.collection, read.understood):
            return read
        read = self._literal.understand(question)
        assert read.understood is not None
        elsewhere = self._elsewhere(question.collection, read.understood)
        return replace(read, understood=_without(read.understood, elsewhere))

    def _elsewhere(self, collection: str, found: Understood) -> set[str]:
        """Terms that were added to the question and are not in the collection."""
        added = {
            term for near in found.corrections.values() for term in terms(near, found.language)
        }
        added.update(term for expanded in found.expansions.values() for term in expanded)
        return {term for term in added if not self._is_held(collection, term)}


def _without(found: Understood, elsewhere: set[str]) -> Understood:
    asked = question_terms(found.asked, found.language)
    expansions = {
        word: {term: weight for term, weight in expanded.items() if term not in elsewhere}
        for word, expanded in found.expansions.items()
    }
    return replace(
        found,
        expansions={word: expanded for word, expanded in expansions.items() if expanded},
        terms={t: w for t, w in found.terms.items() if t in asked or t not in elsewhere},
    )
