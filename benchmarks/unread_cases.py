"""Answerable and unanswerable questions in scripts that the built-in encoder does not read.

Each has the signals of its answer. Kinds: `own` (the documents answer), `removed` (own, but the
answering documents are not searched) and `foreign` (own, but the whole article is not searched, since
other sets have questions in other scripts).
"""

from __future__ import annotations

import hashlib
import inspect
import json
import pickle
from collections import Counter, defaultdict
from pathlib import Path

import abstention_cases
from abstention_cases import Case, settings_digest
from open_sets import WORK, collection, load

from pincite.evaluate.datasets import Collection, GoldQuestion
from pincite.store.index.engines import IndexTermWeights
from pincite.text.terms import terms
from pincite.verify.abstention import opposition, signals
from pincite.verify.numbers import missing

LANGUAGES = {"jsquad": ("ja",), "xquad-open": ("ar", "hi", "ru", "th", "zh")}
SETS = tuple(f"{name}:{language}" for name, found in LANGUAGES.items() for language in found)
"""A set and the language of the questions."""


def unread_cases(name: str, most: int) -> list[Case]:
    """Each kind of up to `most` questions of one set and language; kept for the next run."""
    modules = (missing, opposition, signals)
    judging = "".join(map(inspect.getsource, modules))
    code = Path(__file__).read_text() + judging + abstention_cases.code_digest()
    wanted = json.dumps([name, most, settings_digest(), code])
    digest = hashlib.sha256(wanted.encode()).hexdigest()[:12]
    kept = WORK / "cases" / f"{name.replace(':', '-')}-{digest}.pickle"
    if kept.exists():
        found: list[Case] = pickle.loads(kept.read_bytes())
        return found
    set_name, _, language = name.partition(":")
    data = load(set_name)
    articles = defaultdict(set)
    for document in data.documents:
        articles[article_of(document.id)].add(document.id)
    with collection(data) as made:
        asking = _AskingWithout(made)
        cases = []
        for question in data.some(most, language):
            article = set().union(*(articles[article_of(one)] for one in question.relevant))
            gone = {"own": set(), "removed": set(question.relevant), "foreign": article}
            cases += [asking.case_without(kind, question, gone[kind]) for kind in gone]
    found = [case for case in cases if case is not None]
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(pickle.dumps(found))
    return found


def article_of(document: str) -> str:
    """What comes before the number of the paragraph."""
    return document.partition("#")[0]


class _AskingWithout(abstention_cases.Asking):
    """Words that stand only in the documents left out are words that stand nowhere, to each stage."""

    def __init__(self, made: Collection) -> None:
        super().__init__(made, {})
        self._languages = dict.fromkeys(self._weights.languages, 1)
        self._left_out_of = Counter[str]()
        left_out = self._left_out_of

        def weight(weights: IndexTermWeights, term: str) -> float:
            found = weights._index.document_frequency(term) - left_out[term]
            return weights._idf(max(0, found)) / weights._highest

        IndexTermWeights._weight = weight  # type: ignore[assignment,method-assign]
        catalog = made.library.catalog
        passages = catalog.passages([int(key) for key in self._keys])
        self._terms = {
            key: {*terms(passage.with_context(catalog.text_of(passage.span)))}
            for key, passage in passages.items()
        }

    def case_without(self, kind: str, gold: GoldQuestion, gone: set[str]) -> Case | None:
        """The case of a question while these documents are left out."""
        self._left_out = gone
        self._left_out_of.clear()
        for key, names in zip(self._keys, self._names, strict=True):
            if names & gone:
                self._left_out_of.update(self._terms[int(key)])
        # Weights are remembered, and so are made anew.
        self._weights = IndexTermWeights(self._weights._index, self._languages)
        library = self._made.library
        self._stages = library.stages_with(library.settings)
        return self.case(kind, gold)

    def _removed(self, kind: str, gold: GoldQuestion) -> set[str]:
        del kind, gold
        return self._left_out
