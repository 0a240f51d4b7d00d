"""Test suites for implementations of stages, to be inherited.

    from pincite.testing.contracts import EncoderContract

    class TestMyEncoder(EncoderContract):
        @pytest.fixture
        def encoder(self):
            return MyEncoder()

The docstring of each suite names the fixtures that the subclass must provide.
"""

from __future__ import annotations

import json

import numpy as np

from pincite.records.document import Document
from pincite.records.filters import EVERYWHERE
from pincite.records.flow import Hit, Question
from pincite.stages import (
    Booster,
    Chunker,
    DenseIndex,
    Encoder,
    LexicalIndex,
    PairScorer,
    PassageReader,
    Reranker,
    ToRead,
    VectorEncoder,
)
from pincite.testing.samples import SmallLibrary

_SHORT = "The relief valve opens at 6.5 bar."
_TEXTS = (
    _SHORT,
    "",
    "Öl & Wasser: 水は100°Cで沸騰する 🎉",
    "Each pump is tested before delivery. " * 40,
    "x",
    " \n\t ",
    "half \ud800 a character, a\u0301ccents, no\u200bthing, \u202eback\u202c, \x00",
    "👩‍👩‍👧 🏳️‍🌈 สวัสดี שלום मानक",
)


class VectorEncoderContract:
    """Fixture: `encoder`. `is_exact` is False if a server may round differently in a batch."""

    is_exact = True

    def test_each_text_has_one_result_in_order(self, encoder: VectorEncoder) -> None:
        """As many results as texts; none for no texts."""
        assert len(list(encoder.encode(_TEXTS))) == len(_TEXTS)
        assert list(encoder.encode([])) == []

    def test_a_vector_does_not_depend_on_the_other_texts(self, encoder: VectorEncoder) -> None:
        """Alone, together, in another order, and given twice."""
        alone = [next(iter(encoder.encode([text]))).vector for text in _TEXTS]
        together = [found.vector for found in encoder.encode([*_TEXTS, *_TEXTS])]
        backwards = [found.vector for found in encoder.encode(_TEXTS[::-1])][::-1]
        for other in (together[: len(_TEXTS)], together[len(_TEXTS) :], backwards):
            for one, same in zip(alone, other, strict=True):
                assert np.array_equal(one, same) if self.is_exact else one @ same > 0.999

    def test_a_question_has_one_vector(self, encoder: VectorEncoder) -> None:
        """The vector is the same when asked again after another question."""
        first, _, again = (
            encoder.encode_question(text).vector for text in (_SHORT, "pump", _SHORT)
        )
        assert np.array_equal(first, again) if self.is_exact else first @ again > 0.999

    def test_vectors_have_length_one(self, encoder: VectorEncoder) -> None:
        """Also for an empty text, so that cosines are inner products."""
        asked = [encoder.encode_question(text) for text in _TEXTS]
        for found in [*encoder.encode(_TEXTS), *asked]:
            assert found.vector.shape == (encoder.dimensions,)
            assert np.isclose(np.linalg.norm(found.vector), 1.0, atol=1e-5)

    def test_a_long_text_is_read_to_its_end(self, encoder: VectorEncoder) -> None:
        """The last word changes the vector."""
        text = "and so the water goes round and round " * 90
        one, other = encoder.encode([text + "valve", text + "lemon"])
        assert not np.array_equal(one.vector, other.vector)

    def test_its_name_is_no_other_encoders(self, encoder: VectorEncoder) -> None:
        """The name has no spaces, since files and messages contain it."""
        assert encoder.name
        assert encoder.name == "".join(encoder.name.split())


class EncoderContract(VectorEncoderContract):
    """Fixture: `encoder`, with token states."""

    def test_states_do_not_depend_on_the_other_texts(self, encoder: Encoder) -> None:
        """Bit for bit: alone, together, and in another order."""
        alone = [next(iter(encoder.encode([text]))) for text in _TEXTS]
        together = list(encoder.encode(_TEXTS))
        backwards = list(encoder.encode(_TEXTS[::-1]))[::-1]
        for same in zip(alone, together, backwards, strict=True):
            assert len({one.states.tobytes() for one in same}) == 1
            assert len({one.offsets.tobytes() for one in same}) == 1

    def test_every_token_has_a_state_and_a_place(self, encoder: Encoder) -> None:
        """Offsets are non-empty ranges in the text, in order, and do not start with whitespace."""
        asked = [encoder.encode_question(text) for text in _TEXTS]
        for texts in (encoder.encode(_TEXTS), asked):
            for text, states in zip(_TEXTS, texts, strict=True):
                assert states.states.shape == (len(states.offsets), encoder.dimensions)
                assert states.offsets.shape == (len(states.offsets), 2)
                starts, ends = states.offsets[:, 0], states.offsets[:, 1]
                assert np.all(starts < ends)
                assert np.all(np.diff(starts) >= 0)
                assert np.all((starts >= 0) & (ends <= len(text)))
                assert not any(text[start].isspace() for start in starts)

    def test_a_question_s_places_are_those_of_its_text(self, encoder: Encoder) -> None:
        """Offsets exclude any prefix for the model."""
        asked = encoder.encode_question(_SHORT)
        assert asked.offsets[0][0] == 0
        assert len("The relief valve opens at 6.5 bar") <= asked.offsets[-1][1] <= len(_SHORT)

    def test_the_last_token_ends_where_a_long_text_ends(self, encoder: Encoder) -> None:
        """Nothing is cut off."""
        text = "and so the water goes round and round " * 90 + "valve"
        (found,) = encoder.encode([text])
        assert found.offsets[-1, 1] == len(text)


class ChunkerContract:
    """Fixtures: `chunker`, and `document` with blocks."""

    def test_sentences_lie_inside_their_passage_in_order(
        self, chunker: Chunker, document: Document
    ) -> None:
        """Each passage starts with its first sentence and ends with its last."""
        for passage in chunker.chunk(document):
            assert passage.sentences
            assert all(passage.span.contains(sentence) for sentence in passage.sentences)
            assert passage.span.start == passage.sentences[0].start
            assert passage.span.end == passage.sentences[-1].end
            for one, following in zip(passage.sentences, passage.sentences[1:], strict=False):
                assert one.end <= following.start

    def test_ids_are_unique_and_the_same_again(self, chunker: Chunker, document: Document) -> None:
        """Ids depend only on the document."""
        passages = chunker.chunk(document)
        assert len({passage.id for passage in passages}) == len(passages)
        assert chunker.chunk(document) == passages


class RerankerContract:
    """Fixtures: `reranker`, with a threshold of 0, and the `small` library that it uses."""

    def test_the_same_hits_come_back(self, reranker: Reranker, small: SmallLibrary) -> None:
        """None is lost, added or duplicated."""
        for question in _QUESTIONS:
            hits = small.hits(question)
            ranking = reranker.rerank(question, hits)
            after = [hit.passage.id for hit in ranking] + [d.passage.id for d in ranking.dropped]
            assert sorted(after) == sorted(hit.passage.id for hit in hits)
            assert all(item.reason for item in ranking.dropped)

    def test_scores_are_in_range_and_best_first(
        self, reranker: Reranker, small: SmallLibrary
    ) -> None:
        """Scores are in 0..1, in descending order."""
        for question in _QUESTIONS:
            scores = [hit.score for hit in reranker.rerank(question, small.hits(question))]
            assert all(0 <= score <= 1 for score in scores)
            assert scores == sorted(scores, reverse=True)

    def test_each_sentence_of_a_scored_hit_has_a_score(
        self, reranker: Reranker, small: SmallLibrary
    ) -> None:
        """At least the best hit is scored; scores are in 0..1, with one vector for each."""
        for question in _QUESTIONS:
            after = reranker.rerank(question, small.hits(question))
            assert after[0].sentence_scores
            for hit in filter(_is_scored, after):
                assert len(hit.sentence_scores) == len(hit.passage.sentences)
                assert all(0 <= score <= 1 for score in hit.sentence_scores)
                if hit.sentence_vectors is not None:
                    assert len(hit.sentence_vectors) == len(hit.passage.sentences)

    def test_the_same_question_gives_the_same_order(
        self, reranker: Reranker, small: SmallLibrary
    ) -> None:
        """Bit for bit."""
        for question in _QUESTIONS:
            runs = [reranker.rerank(question, small.hits(question)) for _ in range(2)]
            one, other = [[(h.passage.id, h.score, h.sentence_scores) for h in run] for run in runs]
            assert one == other

    def test_what_earlier_stages_scored_is_kept(
        self, reranker: Reranker, small: SmallLibrary
    ) -> None:
        """The trace needs the scores of earlier stages."""
        question = _QUESTIONS[0]
        hits = small.hits(question)
        before = {hit.passage.id: hit.scores for hit in hits}
        for hit in reranker.rerank(question, hits):
            assert before[hit.passage.id].items() <= hit.scores.items()

    def test_no_hits_give_no_hits(self, reranker: Reranker) -> None:
        """An empty library is not an error."""
        assert tuple(reranker.rerank(_QUESTIONS[0], ())) == ()


_QUESTIONS = (
    Question(text="At which pressure does the relief valve open?"),
    Question(text="pump"),
    Question(text="what is it"),
    Question(text="???"),
    Question(text=_SHORT),
)


def _is_scored(hit: Hit) -> bool:
    return bool(hit.sentence_scores)


class PairScorerContract:
    """Fixture: `scorer`. `is_alone`: a score does not depend on the other texts."""

    is_alone = True

    def test_each_text_has_a_score_in_range(self, scorer: PairScorer) -> None:
        """In 0..1, for any text."""
        scores = scorer.score(_ASKED, _TO_SCORE)
        assert len(scores) == len(_TO_SCORE)
        assert all(0 <= score <= 1 for score in scores)

    def test_the_text_that_answers_scores_best(self, scorer: PairScorer) -> None:
        """In any order of the texts."""
        for texts in (_TO_SCORE, _TO_SCORE[::-1]):
            scores = list(scorer.score(_ASKED, texts))
            assert texts[scores.index(max(scores))] == _TO_SCORE[0]

    def test_the_same_pair_scores_the_same_again(self, scorer: PairScorer) -> None:
        """Bit for bit and, with `is_alone`, also together with other texts."""
        scores = list(scorer.score(_ASKED, _TO_SCORE))
        assert list(scorer.score(_ASKED, _TO_SCORE)) == scores
        if self.is_alone:
            assert [scorer.score(_ASKED, [text])[0] for text in _TO_SCORE] == scores

    def test_a_question_of_any_length_can_be_asked(self, scorer: PairScorer) -> None:
        """One without words, and one that fills the whole window."""
        for question in ("", "?", "which valve " * 3000):
            assert len(scorer.score(question, _TO_SCORE[:2])) == 2

    def test_no_texts_have_no_scores(self, scorer: PairScorer) -> None:
        """The model is not called."""
        assert list(scorer.score(_ASKED, [])) == []

    def test_it_says_what_it_is(self, scorer: PairScorer) -> None:
        """Used by the trace, by `pincite doctor` and by questions with a deadline."""
        assert scorer.name
        assert scorer.runtime
        assert scorer.kind.isidentifier()
        assert scorer.together >= 1


_ASKED = "At which pressure does the relief valve open?"
_TO_SCORE = (
    "The relief valve opens at a pressure of 6.5 bar.",
    "The office in Berlin is closed on Mondays.",
    "The valve is greased every year. " * 200,
    "水は冷たい。 \ud800",
    "",
)


class PassageReaderContract:
    """Fixture: `passage_reader`."""

    def test_each_passage_has_a_reading_in_range(self, passage_reader: PassageReader) -> None:
        """Probabilities in 0..1 for any text, one for each sentence that was read."""
        readings = passage_reader.read(_ASKED, _TO_READ)
        assert len(readings) == len(_TO_READ)
        for passage, reading in zip(_TO_READ, readings, strict=True):
            assert len(reading.sentences) == len(passage.sentences)
            said = [found for found in reading.sentences if found is not None]
            assert all(0 <= found <= 1 for found in (reading.answers, *said))

    def test_a_short_answer_lies_in_its_passage(self, passage_reader: PassageReader) -> None:
        """A range of characters of the text, with a probability."""
        for passage, reading in zip(_TO_READ, passage_reader.read(_ASKED, _TO_READ), strict=True):
            if reading.short is not None:
                assert 0 <= reading.short.start < reading.short.end <= len(passage.text)
                assert 0 <= reading.short.probability <= 1

    def test_the_passage_that_answers_is_recognized(self, passage_reader: PassageReader) -> None:
        """Its sentence and the words in it are recognized too."""
        right, other = passage_reader.read(_ASKED, _TO_READ[:2])
        assert right.answers > other.answers
        assert right.sentences[0] == max(found for found in right.sentences if found is not None)
        assert right.short is not None
        assert "6.5" in _TO_READ[0].text[right.short.start : right.short.end]

    def test_a_reading_does_not_depend_on_the_other_passages(
        self, passage_reader: PassageReader
    ) -> None:
        """Bit for bit: alone and together."""
        alone = [passage_reader.read(_ASKED, [passage])[0] for passage in _TO_READ]
        assert passage_reader.read(_ASKED, _TO_READ) == alone

    def test_the_quoted_part_of_a_long_passage_is_read(self, passage_reader: PassageReader) -> None:
        """Wherever it occurs."""
        begin = len(_FILLER)
        text = _FILLER + _SHORT + " " + _FILLER
        quoted = (begin, begin + len(_SHORT))
        passage = ToRead(heading="", text=text, sentences=(quoted,), focus=quoted)
        assert passage_reader.read(_ASKED, [passage])[0].sentences[0] is not None

    def test_a_question_of_any_length_can_be_asked(self, passage_reader: PassageReader) -> None:
        """One without words, and one that fills the whole window."""
        for question in ("", "?", "which valve " * 3000):
            assert len(passage_reader.read(question, _TO_READ[:2])) == 2

    def test_no_passages_have_no_readings(self, passage_reader: PassageReader) -> None:
        """The model is not called."""
        assert passage_reader.read(_ASKED, []) == []

    def test_it_says_what_it_is(self, passage_reader: PassageReader) -> None:
        """Used by the digest of an answer and by `pincite doctor`."""
        assert passage_reader.name
        assert passage_reader.runtime


def _to_read(text: str, *sentences: str, heading: str = "") -> ToRead:
    starts = [text.index(sentence) for sentence in sentences]
    ranges = tuple(
        (start, start + len(sentence)) for start, sentence in zip(starts, sentences, strict=True)
    )
    return ToRead(
        heading=heading, text=text, sentences=ranges, focus=(ranges or ((0, len(text)),))[0]
    )


_FILLER = "Each pump is tested before delivery. " * 60
_TO_READ = (
    _to_read(
        f"{_SHORT} It is made of steel.", _SHORT, "It is made of steel.", heading="Relief valve"
    ),
    _to_read("The office is closed on Mondays.", "The office is closed on Mondays."),
    *(_to_read(text, text) for text in _TEXTS if text),
    _to_read(""),
)


class DenseIndexContract:
    """Fixtures: `dense`, an index of `keys` (a list) and `vectors` (one row of length 1 each).

    `lost` is the share of nearest neighbours that an approximate engine may miss; 0 for exact ones.
    """

    lost = 0.0

    def test_the_nearest_come_first(
        self, dense: DenseIndex, keys: list[int], vectors: np.ndarray
    ) -> None:
        """The same as by brute force, with their cosines, best first."""
        missed = 0
        for row in vectors[:20]:
            similar = dict(zip(keys, (vectors @ row).tolist(), strict=True))
            best = sorted(keys, key=lambda key: -similar[key])[:7]
            found = dense.search(row, limit=7)
            assert len(found) == 7
            assert found[0].key == best[0]
            assert np.allclose([similar[s.key] for s in found], [s.score for s in found], atol=0.02)
            assert [s.score for s in found] == sorted((s.score for s in found), reverse=True)
            missed += len(set(best) - {s.key for s in found})
        assert missed <= self.lost * 7 * 20

    def test_only_keys_in_the_scope_are_found(
        self, dense: DenseIndex, keys: list[int], vectors: np.ndarray
    ) -> None:
        """The best of them, even if they rank low among all."""
        for row in vectors[:5]:
            order = np.argsort(-(vectors @ row), kind="stable")
            last = [keys[i] for i in order[-6:]]
            found = [item.key for item in dense.search(row, limit=4, scope=EVERYWHERE.only(last))]
            assert len(set(found) & set(last[:4])) >= 4 - 4 * self.lost * 2
            assert set(found) <= set(last)
            assert dense.search(row, limit=4, scope=EVERYWHERE.only([])) == []

    def test_a_large_scope_gives_as_many_as_asked_for(
        self, dense: DenseIndex, keys: list[int], vectors: np.ndarray
    ) -> None:
        """Even if all of them are far away; unknown keys are ignored."""
        for row in vectors[:5]:
            far = [keys[i] for i in np.argsort(vectors @ row)[: len(keys) // 2]]
            scope = EVERYWHERE.only([*far, max(keys) + 5])
            found = dense.search(row, limit=40, scope=scope)
            assert len(found) == len({item.key for item in found}) == 40
            assert {item.key for item in found} <= set(far)

    def test_asking_again_gives_the_same(self, dense: DenseIndex, vectors: np.ndarray) -> None:
        """Bit for bit."""
        for row in vectors[:5]:
            assert dense.search(row, limit=9) == dense.search(row, limit=9)

    def test_no_more_is_given_than_there_is(
        self, dense: DenseIndex, keys: list[int], vectors: np.ndarray
    ) -> None:
        """Each passage at most once; all of them if more are requested."""
        found = [item.key for item in dense.search(vectors[0], limit=len(keys) + 100)]
        assert len(found) == len(set(found))
        assert len(found) >= len(keys) * (1 - self.lost)


class LexicalIndexContract:
    """Fixture: `lexical`, an index of three passages.

    Key 1: "pump valve"; 2: "pump"; 3: "lemon".
    """

    def test_passages_with_the_words_are_found(self, lexical: LexicalIndex) -> None:
        """Only those, with the one that has more of the words first."""
        assert [item.key for item in lexical.search(["pump", "valve"], limit=9)] == [1, 2]
        assert lexical.search(["motor"], limit=9) == []
        assert lexical.search([], limit=9) == []

    def test_a_boost_is_a_factor_of_a_terms_score(self, lexical: LexicalIndex) -> None:
        """A boost does not change which passages are found."""
        (plain,) = lexical.search(["valve"], limit=9)
        (boosted,) = lexical.search(["valve"], limit=9, boosts={"valve": 0.5, "pump": 9.0})
        assert np.isclose(boosted.score, 0.5 * plain.score, rtol=1e-5)
        both = {item.key: item.score for item in lexical.search(["pump", "valve"], limit=9)}
        (pump,) = [s for s in lexical.search(["pump"], limit=9) if s.key == 1]
        assert np.isclose(both[1], pump.score + plain.score, rtol=1e-5)

    def test_required_terms_must_all_be_held(self, lexical: LexicalIndex) -> None:
        """They are scored like the others."""
        found = lexical.search(["lemon", "valve"], limit=9, required=["pump"])
        assert [item.key for item in found] == [1, 2]
        assert found == lexical.search(["valve", "pump"], limit=9)
        alone = lexical.search([], limit=9, required=["pump", "valve"])
        assert [item.key for item in alone] == [1]
        assert lexical.search(["pump"], limit=9, required=["lemon", "pump"]) == []

    def test_passages_and_those_with_a_term_are_counted(self, lexical: LexicalIndex) -> None:
        """An unknown term has frequency 0."""
        assert len(lexical) == 3
        assert lexical.document_frequency("pump") == 2
        assert lexical.document_frequency("motor") == 0

    def test_only_keys_in_the_scope_are_found_with_the_same_scores(
        self, lexical: LexicalIndex
    ) -> None:
        """The filter does not change scores."""
        asked = ["pump", "lemon"]
        everywhere = {item.key: item.score for item in lexical.search(asked, limit=9)}
        for keys in ([1, 3], [2, 3], [2], [], [7], [1, 2, 9]):
            found = lexical.search(asked, limit=9, scope=EVERYWHERE.only(keys))
            assert {item.key for item in found} == set(keys) & {1, 2, 3}
            assert all(everywhere[item.key] == item.score for item in found)
        only_one = EVERYWHERE.only([1])
        assert [item.key for item in lexical.search(["pump"], limit=1, scope=only_one)] == [1]


class BoosterContract:
    """Fixtures: `booster`, `small` (a SmallLibrary) and a `question` with boosted candidates."""

    def test_each_candidate_has_one_boost_in_order(
        self, booster: Booster, small: SmallLibrary, question: Question
    ) -> None:
        """One for each candidate, in 0..1, the same each time; none without candidates."""
        hits = small.hits(question)
        boosts = list(booster.boosts(question, hits))
        assert len(boosts) == len(hits)
        assert all(0 <= boost <= 1 for boost in boosts)
        assert any(boosts)
        assert list(booster.boosts(question, hits)) == boosts
        assert list(booster.boosts(question, [])) == []

    def test_a_boost_does_not_depend_on_the_other_candidates(
        self, booster: Booster, small: SmallLibrary, question: Question
    ) -> None:
        """Alone, and in another order."""
        hits = small.hits(question)
        boosts = list(booster.boosts(question, hits))
        assert [booster.boosts(question, [hit])[0] for hit in hits] == boosts
        assert list(booster.boosts(question, hits[::-1])) == boosts[::-1]

    def test_what_was_seen_can_be_written_as_json(
        self, booster: Booster, question: Question
    ) -> None:
        """For the trace."""
        found = booster.diagnostics(question)
        assert json.loads(json.dumps(found)) == found

    def test_a_question_about_something_else_gains_nothing(
        self, booster: Booster, small: SmallLibrary
    ) -> None:
        """No boost and no diagnostics."""
        other = Question(text="zzyzx qwfp?")
        assert not any(booster.boosts(other, small.hits(other)))
        assert not booster.diagnostics(other)
