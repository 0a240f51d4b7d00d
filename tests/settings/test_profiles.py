from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from pincite import Library
from pincite.assemble.writing import writing_stages
from pincite.errors import SettingsError
from pincite.pipeline import answer_question
from pincite.records.flow import Answer, Mode, Question, Status
from pincite.settings.loading import Settings, load_settings, profile_names
from pincite.testing.fakes import EvenWeights
from pincite.testing.language_models import ScriptedModel

SAMPLES = Path(str(files("pincite.interfaces.samples"))) / "documents"


@contextmanager
def made_with(profile: str, folder: Path, *names: str) -> Iterator[Library]:
    overrides = {"generation": {"model": "none"}}
    with Library.open(folder / "library", profile=profile, overrides=overrides) as library:
        library.ingest([SAMPLES / name for name in names])
        yield library


def ask(library: Library, question: str, model: ScriptedModel) -> Answer:
    """The answer when this model is the profile's."""
    writing = writing_stages(library.settings, library.catalog, EvenWeights(), model)
    stages = replace(library.stages(), selector=writing.selector, answerer=writing.answerer)
    return answer_question(Question(text=question), stages)


def read_by(model: ScriptedModel) -> tuple[str, str]:
    (prompt,) = model.prompts
    system, user = prompt.messages
    return system.content, user.content


def test_five_profiles_are_shipped_and_each_changes_something() -> None:
    assert profile_names() == ["evidence", "prospectus", "sop", "support", "tiny"]
    for name in profile_names():
        settings, origins = load_settings(profile=name)
        changed = [origin for origin in origins.values() if origin == f"profile {name}"]
        assert origins.profile == name
        assert changed
        assert settings != Settings()
        assert settings.generation.prompts in ("default", name)


def test_a_library_keeps_the_profile_it_was_made_with(tmp_path: Path) -> None:
    with made_with("evidence", tmp_path, "tomato-crop-guide.md"):
        pass
    assert (tmp_path / "library" / "settings.toml").read_text() == 'profile = "evidence"\n'
    with Library.open(tmp_path / "library") as again:
        assert again.settings.boosts.tag_set == "crops"
    with Library.open(tmp_path / "library", profile="tiny") as this_time:
        assert this_time.settings.boosts.tag_set == ""
        assert this_time.settings.packing.max_tokens == 1000


def test_a_profile_counts_more_than_defaults_and_less_than_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "settings.toml").write_text('profile = "sop"\n[chunking]\noverlap_chars = 7\n')
    settings, origins = load_settings(tmp_path)
    assert (settings.chunking.max_chars, settings.chunking.overlap_chars) == (800, 7)
    assert origins["chunking.max_chars"] == "profile sop"
    assert origins["chunking.overlap_chars"] == "settings.toml"
    monkeypatch.setenv("PINCITE_PROFILE", "support")
    assert load_settings(tmp_path)[0].chunking.max_chars == 1600
    assert load_settings(tmp_path, profile="prospectus")[0].chunking.max_chars == 1200


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ('profile = "spo"', "profile = 'spo'.*shipped are: evidence, prospectus, sop"),
        ("profile = 3", "profile = 3: expected a name, one of: evidence"),
    ],
)
def test_an_unknown_profile_lists_those_there_are(tmp_path: Path, written: str, told: str) -> None:
    (tmp_path / "settings.toml").write_text(written)
    with pytest.raises(SettingsError, match=told):
        load_settings(tmp_path)


def test_a_profile_of_ones_own_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text("[chunking]\nmax_chars = 333\n")
    assert load_settings(profile=str(path))[0].chunking.max_chars == 333
    path.write_text("[chunking]\nmax_cahrs = 333\n")
    with pytest.raises(SettingsError, match=r"no setting 'chunking\.max_cahrs'"):
        load_settings(profile=str(path))


def test_an_encoder_that_cannot_be_had_is_replaced_and_every_answer_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path / "no-models"))
    with made_with("sop", tmp_path, "visitor-policy.html") as library:
        answer = library.ask("Which shoes are required?")
        assert answer.status is Status.ANSWERED
        told = (
            "answered with all-MiniLM-L6-v2: fastembed:BAAI/bge-small-en-v1.5 is not available here"
        )
        assert any(told in reason for reason in answer.reasons)
        assert not any("lexical search only" in reason for reason in answer.reasons)
        assert "is not in fastembed's cache" in library.encoder_notice


def test_without_a_language_model_the_quotes_are_shown_and_it_is_said(tmp_path: Path) -> None:
    with made_with("support", tmp_path, "help-centre.md") as library:
        answer = library.ask("What do I use if I lose my phone?")
        refused = library.ask("How do I reset my password?")
    assert answer.mode is Mode.EXTRACTIVE
    assert any("the quotes themselves are shown" in reason for reason in answer.reasons)
    assert refused.status is Status.ABSTAINED
    assert not any("the quotes themselves are shown" in reason for reason in refused.reasons)


def test_sop_compares_three_times_what_it_shows_and_reads_five_passages(tmp_path: Path) -> None:
    model = ScriptedModel(["Safety glasses are part of the minimum PPE [1]."])
    with made_with("sop", tmp_path, *(path.name for path in SAMPLES.iterdir())) as library:
        answer = ask(library, "What safety equipment is required?", model)
        assert len(library.search("What safety equipment is required?").hits) == 5
    ranked = next(stage for stage in answer.trace["stages"] if stage["name"] == "rerank")
    assert len(ranked["kept"]) + len(ranked["dropped"]) >= 15
    assert library.settings.rerank.candidates == 3 * library.settings.retrieval.limit
    system, user = read_by(model)
    assert "Standard Operating Procedures" in system
    assert 1 <= user.count("[Source ") <= 5
    assert "[Source 1: gse-204-hydraulic-test-stand.pdf, Page " in user


def test_tiny_keeps_prompt_and_output_within_its_window(tmp_path: Path) -> None:
    model = ScriptedModel(["The minimum rest is 30 minutes [1]."], context_tokens=1024)
    with made_with("tiny", tmp_path, *(path.name for path in SAMPLES.iterdir())) as library:
        settings = library.settings
        ask(library, "How long must the test stand rest between two runs?", model)
        assert all(
            hit.must_keep or hit.score >= settings.rerank.threshold
            for hit in library.search("How long must the test stand rest?").hits
        )
    (prompt,) = model.prompts
    tokens = sum(model.count_tokens(message.content) for message in prompt.messages)
    assert tokens + prompt.max_tokens <= 1024
    assert tokens > 500, "the window should be used"
    assert prompt.temperature == 0


def test_evidence_answers_with_several_sentences_and_asks_no_model(tmp_path: Path) -> None:
    with made_with("evidence", tmp_path, "tomato-crop-guide.md", "visitor-policy.html") as library:
        answer = library.ask("How much potash does tomato need?")
        refused = library.ask("What is the capital of Mongolia?")
    assert answer.mode is Mode.EXTRACTIVE
    assert 3 <= len(answer.citations) <= 6
    assert any("Potash (K2O) | 280" in citation.quote for citation in answer.citations)
    assert refused.status is Status.ABSTAINED


def test_support_fuses_ranks_knows_intents_and_refuses_with_its_sentence(tmp_path: Path) -> None:
    model = ScriptedModel(["I don't know based on the MD."])
    with made_with("support", tmp_path, "help-centre.md") as library:
        answer = ask(library, "How do I reset my password?", model)
    assert answer.status is Status.ABSTAINED
    assert any("says: I don't know based on the MD." in reason for reason in answer.reasons)
    assert "how-to" in str(answer.trace["question"]["understood"])
    _, user = read_by(model)
    assert len(user.split()) <= 0.6 * model.context_tokens


def test_prospectus_speaks_as_an_analyst_and_reads_six_parts_with_a_rule_between(
    tmp_path: Path,
) -> None:
    model = ScriptedModel(["The issue size is up to Rs. 9,375 crores [1]."])
    with made_with("prospectus", tmp_path, "prospectus-extract.docx") as library:
        ask(library, "What is the issue size?", model)
    system, user = read_by(model)
    assert "professional IPO analyst" in system
    assert "Never mention chunks" in system
    assert user.startswith("IPO Prospectus Information:")
    assert 1 <= user.count("\n\n---\n\n") <= 5


@pytest.mark.parametrize("profile", profile_names())
def test_models_of_a_profile_are_published_for_who_reads_them(profile: str) -> None:
    embeddings = pytest.importorskip("fastembed", reason="pincite[fastembed] is not installed")
    cross_encoders = importlib.import_module("fastembed.rerank.cross_encoder")
    settings, _ = load_settings(profile=profile)
    for model, kind in (
        (settings.embedding.model, embeddings.TextEmbedding),
        (settings.rerank.model, cross_encoders.TextCrossEncoder),
    ):
        reader, _, name = model.partition(":")
        if reader == "fastembed":
            assert name in {found["model"] for found in kind.list_supported_models()}
