from __future__ import annotations

from pathlib import Path

import pytest

from pincite.errors import SettingsError
from pincite.settings.loading import SETTINGS_FILE, Settings, load_settings


@pytest.fixture
def library(tmp_path: Path) -> Path:
    (tmp_path / SETTINGS_FILE).write_text(
        "[retrieval]\nalpha = 0.1\nkeep = 11\ndense_limit = 12\n[chunking]\nmax_chars = 500\n"
    )
    return tmp_path


def test_without_any_layer_everything_is_default(tmp_path: Path) -> None:
    settings, origins = load_settings(tmp_path)
    assert settings == Settings()
    assert set(origins.values()) == {"default"}
    assert settings == load_settings()[0]


def test_every_setting_has_an_origin() -> None:
    _, origins = load_settings()
    values = Settings().model_dump()
    assert set(origins) == {f"{group}.{name}" for group in values for name in values[group]}


def test_each_layer_counts_more_than_the_one_before(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PINCITE_RETRIEVAL__ALPHA", "0.2")
    monkeypatch.setenv("PINCITE_RETRIEVAL__KEEP", "22")
    settings, origins = load_settings(library, overrides={"retrieval": {"alpha": 0.3}})
    assert settings.retrieval.alpha == 0.3
    assert settings.retrieval.keep == 22
    assert settings.retrieval.dense_limit == 12
    assert settings.retrieval.lexical_limit == Settings().retrieval.lexical_limit
    assert settings.chunking.max_chars == 500
    assert origins["retrieval.alpha"] == "command line"
    assert origins["retrieval.keep"] == "environment"
    assert origins["retrieval.dense_limit"] == "settings.toml"
    assert origins["retrieval.lexical_limit"] == "default"


def test_an_unknown_setting_lists_those_there_are(library: Path) -> None:
    with pytest.raises(SettingsError, match=r"no setting 'retrieval\.alhpa'.*alpha, keep, limit"):
        load_settings(library, overrides={"retrieval": {"alhpa": 0.3}})


def test_an_unknown_group_lists_those_there_are() -> None:
    with pytest.raises(SettingsError, match=r"no setting 'retreival'.*chunking.*retrieval"):
        load_settings(overrides={"retreival": {"alpha": 0.3}})


def test_an_unknown_name_in_the_environment_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINCITE_RERANK__WIEGHT", "0.3")
    with pytest.raises(SettingsError, match=r"no setting 'rerank\.wieght'.*weight"):
        load_settings()


@pytest.mark.parametrize("layer", ["settings.toml", "environment", "command line"])
def test_a_value_out_of_range_names_its_layer_and_the_range(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layer: str
) -> None:
    overrides = {}
    if layer == "settings.toml":
        (tmp_path / SETTINGS_FILE).write_text("[retrieval]\nalpha = 1.5")
    elif layer == "environment":
        monkeypatch.setenv("PINCITE_RETRIEVAL__ALPHA", "1.5")
    else:
        overrides = {"retrieval": {"alpha": 1.5}}
    expected = rf"retrieval\.alpha = '?1\.5'? \({layer}\): .*less than or equal to 1"
    with pytest.raises(SettingsError, match=expected):
        load_settings(tmp_path, overrides=overrides)


def test_a_bad_choice_lists_the_valid_ones() -> None:
    with pytest.raises(SettingsError, match="'late_interaction', 'sentence_cosine'"):
        load_settings(overrides={"rerank": {"method": "magic"}})


def test_all_problems_are_told_at_once() -> None:
    wrong = {"retrieval": {"alpha": 2}, "chunking": {"max_chars": 1}}
    with pytest.raises(SettingsError, match=r"chunking\.max_chars.*retrieval\.alpha"):
        load_settings(overrides=wrong)


@pytest.mark.parametrize("content", [b"[retrieval\n", b"\xff\xfe", b"alpha = = 1"])
def test_a_file_that_is_not_toml_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / SETTINGS_FILE).write_bytes(content)
    with pytest.raises(SettingsError, match=r"settings\.toml: cannot be read as TOML"):
        load_settings(tmp_path)


def test_a_single_value_in_place_of_a_group_is_explained(tmp_path: Path) -> None:
    (tmp_path / SETTINGS_FILE).write_text("retrieval = 5")
    with pytest.raises(SettingsError, match=r"settings\.toml: 'retrieval' is a single value"):
        load_settings(tmp_path)


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Settings().retrieval.alpha = 0.9


CHANGES = {
    "chunking.max_chars": 999,
    "chunking.overlap_chars": 1,
    "embedding.model": "none",
    "retrieval.alpha": 0.6,
    "retrieval.keep": 49,
    "rerank.method": "term_coverage",
    "rerank.threshold": 0.3,
    "evidence.margin": 0.5,
    "verification.abstain_below": 0.9,
}


def with_value(name: str, value: object) -> Settings:
    group, _, setting = name.partition(".")
    return load_settings(overrides={group: {setting: value}})[0]


@pytest.mark.parametrize(("name", "value"), CHANGES.items())
def test_the_digest_changes_with_a_value_that_can_change_an_answer(
    name: str, value: object
) -> None:
    assert with_value(name, value).digest() != Settings().digest()


@pytest.mark.parametrize(
    "name", ["ingest.workers", "ingest.max_seconds", "ingest.max_memory_mb", "embedding.threads"]
)
def test_the_digest_does_not_change_with_workers_and_limits(name: str) -> None:
    assert with_value(name, 300 if name.endswith("mb") else 7).digest() == Settings().digest()


def test_the_digest_does_not_depend_on_the_layer(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_file = load_settings(library)[0]
    overrides = {
        "retrieval": {"alpha": 0.1, "keep": 11, "dense_limit": 12},
        "chunking": {"max_chars": 500},
    }
    assert load_settings(overrides=overrides)[0].digest() == from_file.digest()
    monkeypatch.setenv("PINCITE_CHUNKING__MAX_CHARS", "500")
    del overrides["chunking"]
    assert load_settings(overrides=overrides)[0].digest() == from_file.digest()


@pytest.mark.parametrize(
    ("group", "values", "said"),
    [
        ("retrieval", {"limit": 250}, r"limit = 250 is more than keep = 100.*raise keep"),
        ("retrieval", {"limit": 50, "keep": 20}, "limit = 50 is more than keep = 20"),
        ("chunking", {"min_chars": 500, "max_tokens": 200}, r"min_chars = 500.*max_tokens = 200"),
        ("chunking", {"min_chars": 5000}, "min_chars = 5000 is more than max_chars = 1600"),
    ],
)
def test_a_setting_that_another_makes_useless_is_refused(
    group: str, values: dict[str, int], said: str
) -> None:
    with pytest.raises(SettingsError, match=said):
        load_settings(overrides={group: values})


def test_settings_that_go_together_are_taken() -> None:
    load_settings(overrides={"retrieval": {"limit": 250, "keep": 250}})
    load_settings(overrides={"retrieval": {"keep": 4}})
    load_settings(overrides={"chunking": {"min_chars": 1600}})
    load_settings(overrides={"chunking": {"max_tokens": 200}})


def test_k1_and_b_need_the_engine_that_has_them() -> None:
    settings, _ = load_settings(overrides={"lexical": {"engine": "bm25s", "k1": 1.2, "b": 0.65}})
    assert settings.lexical.b == 0.65
    with pytest.raises(SettingsError, match="other values need engine = 'bm25s'"):
        load_settings(overrides={"lexical": {"b": 0.65}})


# --- Encoders -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        "all-MiniLM-L6-v2",
        "none",
        "/models/bge-small-en-v1.5",
        "~/models/e5",
        "fastembed:BAAI/bge-small-en-v1.5",
        "sentence-transformers:all-mpnet-base-v2",
        "ollama:nomic-embed-text:v1.5",
        "openai:text-embedding-3-small",
    ],
)
def test_an_encoder_is_named_in_one_of_the_known_forms(model: str) -> None:
    assert load_settings(overrides={"embedding": {"model": model}})[0].embedding.model == model


@pytest.mark.parametrize(
    "model", ["", "bge-small", "models/bge", "openai:", "ollama: ", "huggingface:x"]
)
def test_an_encoder_that_is_none_lists_the_forms(model: str) -> None:
    with pytest.raises(
        SettingsError, match=r"embedding\.model = .*none, the full path.*ollama:NAME"
    ):
        load_settings(overrides={"embedding": {"model": model}})


def test_what_cannot_change_an_answer_is_not_in_the_digest() -> None:
    plain = Settings().digest()
    for name, value in {"threads": 3, "retries": 9, "url": "http://x", "batch_size": 7}.items():
        assert load_settings(overrides={"embedding": {name: value}})[0].digest() == plain
    for name, value in {"query_prefix": "q", "pooling": "cls", "max_chars": 99}.items():
        assert load_settings(overrides={"embedding": {name: value}})[0].digest() != plain


@pytest.mark.parametrize(
    "model",
    ["none", "smollm2", "my-model.Q4_1", "/models/a.gguf", "ollama:a:1b", "openai:a/b",
     "ollama-generate:a"],
)  # fmt: skip
def test_a_language_model_may_have_these_forms(model: str) -> None:
    settings, _ = load_settings(overrides={"generation": {"model": model, "fallback_model": model}})
    assert settings.generation.model == settings.generation.fallback_model == model


@pytest.mark.parametrize("model", ["", "ollama:", "claude:x", "models/a.gguf", "./a", "two words"])
def test_another_form_of_language_model_lists_those_there_are(model: str) -> None:
    with pytest.raises(
        SettingsError, match=r"is not a language model; expected none, smollm2.*ollama:"
    ):
        load_settings(overrides={"generation": {"model": model}})


def test_where_a_server_is_does_not_change_the_digest() -> None:
    plain, _ = load_settings()
    for name, value in {"url": "http://a", "fallback_url": "http://b", "retries": 3}.items():
        assert load_settings(overrides={"generation": {name: value}})[0].digest() == plain.digest()
    for name, value in {"model": "smollm2", "seed": 3, "threads": 1}.items():
        assert load_settings(overrides={"generation": {name: value}})[0].digest() != plain.digest()


def test_a_list_in_the_environment_is_split_at_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINCITE_SERVER__ALLOWED_HOSTS", "docs.example, files.example")
    settings, _ = load_settings(overrides={"server": {"trusted_proxies": ["10.0.0.1"]}})
    assert settings.server.allowed_hosts == ("docs.example", "files.example")
    assert settings.server.trusted_proxies == ("10.0.0.1",)
    monkeypatch.setenv("PINCITE_SERVER__TRUSTED_PROXIES", '["127.0.0.1", "10.0.0.2"]')
    settings, _ = load_settings()
    assert settings.server.trusted_proxies == ("127.0.0.1", "10.0.0.2")
    monkeypatch.setenv("PINCITE_SERVER__TRUSTED_PROXIES", '["127.0.0.1"')
    with pytest.raises(SettingsError, match="not a JSON list"):
        load_settings()


def test_what_keeps_answers_for_several_servers_is_a_redis() -> None:
    with pytest.raises(SettingsError, match=r"cache_url = 'http://x'.*redis://host:6379/0"):
        load_settings(overrides={"server": {"cache_url": "http://x"}})
