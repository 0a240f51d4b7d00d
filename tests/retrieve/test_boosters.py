from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.records.document import Span
from pincite.records.flow import Hit, NamedFile, Passage, Question, Ranking
from pincite.retrieve.boosts import (
    IntentBooster,
    IntentFusion,
    TagBooster,
    load_intent_rules,
    load_tag_set,
)
from pincite.retrieve.hybrid import BoostedRetriever, boosted
from pincite.retrieve.named_documents import DocumentRoutes, NamedDocumentBooster
from pincite.stages import Booster, Scored
from pincite.testing.contracts import BoosterContract
from pincite.testing.fakes import FakeEncoder
from pincite.testing.samples import SmallLibrary, small_library
from pincite.text.document_names import NameTable

TEXTS = (
    "# Canola soil\nCanola grows best at a pH of 6.0 to 7.0.",
    "# Wheat\nWheat is sown in autumn. Select a field that drains well.",
    "# Irrigation\nTomatoes need water every second day.",
    "The office in Berlin is closed on Mondays.",
)


@pytest.fixture(scope="module")
def small() -> SmallLibrary:
    return small_library(TEXTS, FakeEncoder())


def routes_of(small: SmallLibrary) -> DocumentRoutes:
    names = ("Canola guide 2019", "Wheat guide 2019", "Tomato guide 2020", "Opening hours")
    documents = list(dict.fromkeys(passage.span.document_id for passage in small.passages))
    named = [
        NamedFile(document_id=document, path=f"/{name}.txt", title="")
        for document, name in zip(documents, names, strict=True)
    ]
    return DocumentRoutes(
        lambda collection: NameTable.from_files([] if collection == "empty" else named)
    )


MAKERS: dict[str, Callable[[SmallLibrary], Booster]] = {
    "documents": lambda small: NamedDocumentBooster(routes_of(small), weight=0.25),
    "tags": lambda small: TagBooster(load_tag_set("crops"), small.sources),
    "intent": lambda small: IntentBooster(load_intent_rules("support"), small.sources),
}


@pytest.mark.parametrize("booster", MAKERS, indirect=True)
class TestEveryBooster(BoosterContract):
    @pytest.fixture
    def booster(self, request: pytest.FixtureRequest, small: SmallLibrary) -> Booster:
        made = MAKERS[request.param](small)
        assert made.name == request.param
        return made

    @pytest.fixture
    def question(self) -> Question:
        return Question(text="How do I prepare the soil for Wheat by the guide of 2019?")


def gains(booster: Booster, small: SmallLibrary, text: str) -> dict[str, float]:
    question = Question(text=text)
    hits = small.hits(question)
    boosts = booster.boosts(question, hits)
    return {
        small.sources.text_of(hit.passage.span).split()[0]: boost
        for hit, boost in zip(hits, boosts, strict=True)
        if boost
    }


# --- Each kind ----------------------------------------------------------------------------------


def test_a_tag_that_the_question_names_boosts_the_passages_that_carry_it(
    small: SmallLibrary,
) -> None:
    booster = TagBooster(load_tag_set("crops"), small.sources)
    assert gains(booster, small, "Which pH does rapeseed like?") == pytest.approx(
        {"Canola": 0.08 + 0.05}
    )
    question = Question(text="Which pH does rapeseed like?")
    assert booster.diagnostics(question) == {"crops": ["canola"], "practices": ["soil"]}


def test_a_word_in_the_headings_or_the_file_name_carries_a_tag_too() -> None:
    small = small_library(["# Tomatoes\nWater them."], FakeEncoder())
    booster = TagBooster(load_tag_set("crops"), small.sources)
    assert list(gains(booster, small, "How is a tomato watered?").values()) == [0.08]


def test_a_group_counts_once_however_many_of_its_tags_match() -> None:
    small = small_library(["Wheat, rice and corn are cereals."], FakeEncoder())
    booster = TagBooster(load_tag_set("crops"), small.sources)
    assert list(gains(booster, small, "wheat, rice and corn").values()) == [0.08]


def test_tags_are_whole_words_with_their_plurals() -> None:
    (crops, practices) = load_tag_set("crops")
    assert crops.in_text("Prices of ricecakes") == ()
    assert crops.in_text("TOMATOES and Zea  mays") == ("corn", "tomato")
    assert practices.in_text("no-till or no till") == ("soil",)


def test_a_named_document_gains_by_how_certain_it_is(small: SmallLibrary) -> None:
    routes = routes_of(small)
    question = Question(text="What does the Wheat guide of 2019 say?")
    named = routes.named(question)
    (naming,) = named.values()
    found = gains(NamedDocumentBooster(routes, weight=0.25), small, question.text)
    assert found == {"Wheat": pytest.approx(0.25 * naming.certainty)}


def test_names_are_those_of_the_collection_asked(small: SmallLibrary) -> None:
    question = Question(text="What does the Wheat guide of 2019 say?", collection="empty")
    assert routes_of(small).named(question) == {}


# --- Intents ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("How do I export a report?", "how-to"),
        ("What is an API key?", "definition"),
        ("What does SSO mean?", "definition"),
        ("How much does the Pro plan cost?", "pricing"),
        ("Why is my timer not working? It shows an error", "troubleshooting"),
        ("I can't log in", "troubleshooting"),
        ("What is the difference between Basic and Pro?", "comparison"),
        ("Who founded the company in 1998?", None),
    ],
)
def test_support_questions_have_the_intent_a_person_would_say(
    question: str, intent: str | None
) -> None:
    found = load_intent_rules("support").intent_of(question)
    assert (found and found.name) == intent


def test_the_intent_sets_the_weight_of_the_lexical_search() -> None:
    heard = []

    def fuse(
        lexical: Sequence[Scored], dense: Sequence[Scored], *, alpha: float
    ) -> dict[int, float]:
        heard.append(alpha)
        return {}

    fusion = IntentFusion(load_intent_rules("support"), fuse, alpha=0.55)
    for text in ("How much does it cost?", "How do I start?", "Who founded it?"):
        fusion(text, [], [])
    assert heard == [0.6, 0.4, 0.55]


def test_rules_may_be_written_with_accents_and_sharp_s(tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    patterns = r"['\bgr[öo]ße\b', 'où est\S*\?']"
    rules.write_text(f'[[intent]]\nname = "size"\npatterns = {patterns}\nalpha = 0.5\n')
    intent_of = load_intent_rules(str(rules)).intent_of
    for question in ("Welche Größe hat es?", "GROSSE", "Où est-ce?"):
        found = intent_of(question)
        assert found, question
    assert intent_of("Où est le chat?") is None


# --- All together -------------------------------------------------------------------------------


class Fixed:
    """Boosts given by passage id."""

    def __init__(self, name: str, boosts: dict[str, float]) -> None:
        self.name = name
        self._boosts = boosts

    def boosts(self, question: Question, hits: Sequence[Hit]) -> Sequence[float]:
        return [self._boosts.get(hit.passage.id, 0.0) for hit in hits]

    def diagnostics(self, question: Question) -> object:
        return self._boosts


def hit(number: int, score: float, document_id: str = "d") -> Hit:
    span = Span(document_id=document_id, start=0, end=1)
    passage = Passage(id=f"p{number}", span=span, section=(), page=None, sentences=())
    return Hit(passage=passage, score=score, scores={"fused": score})


UNIT = st.floats(0, 1)


@given(
    st.lists(UNIT, max_size=9),
    st.lists(UNIT, min_size=9, max_size=9),
    st.lists(UNIT, min_size=9, max_size=9),
)
def test_the_order_is_that_of_the_sums_and_scores_stay_in_range(
    scores: list[float], one: list[float], other: list[float]
) -> None:
    hits = [hit(number, score) for number, score in enumerate(scores)]
    boosters = [
        Fixed(name, {f"p{n}": boost for n, boost in enumerate(boosts)})
        for name, boosts in (("one", one), ("other", other))
    ]
    after = boosted(Question(text="q"), hits, boosters)
    assert {h.passage.id for h in after} == {h.passage.id for h in hits}
    sums = [sum(h.scores.values()) for h in after]
    assert all(0 <= h.score <= 1 for h in after)
    assert sums == pytest.approx(sorted(sums, reverse=True))
    assert [h.score for h in after] == pytest.approx([s / max(1.0, *sums) for s in sums])


@given(st.lists(UNIT, max_size=9))
def test_without_any_boost_the_hits_are_as_they_were(scores: list[float]) -> None:
    hits = tuple(hit(number, score) for number, score in enumerate(scores))
    assert boosted(Question(text="q"), hits, [Fixed("none", {})]) == hits


class Listening:
    """Remembers the question it was asked."""

    def __init__(self, hits: Sequence[Hit] = ()) -> None:
        self.asked: Question | None = None
        self._hits = tuple(hits)

    def retrieve(self, question: Question) -> Ranking:
        self.asked = question
        return Ranking(hits=self._hits)


def test_boosts_stand_among_the_scores_and_what_was_seen_by_its_name() -> None:
    inner = Listening([hit(1, 0.9), hit(2, 0.8)])
    retriever = BoostedRetriever(inner, [Fixed("tags", {"p2": 0.2}), Fixed("none", {})])
    question = Question(text="q")
    first, second = retriever.retrieve(question)
    assert first.scores == {"fused": 0.8, "tags": 0.2}
    assert second.scores == {"fused": 0.9}
    assert retriever.diagnostics(question) == {"tags": {"p2": 0.2}}
