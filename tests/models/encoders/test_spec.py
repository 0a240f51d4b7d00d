from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pincite.errors import ModelError
from pincite.models.encoders.spec import EncoderSpec, Wishes, known_use, prefixes_of, spec_of_folder

NOTHING = Wishes()


def folder(tmp_path: Path, name: str = "some-encoder", **files: Any) -> Path:
    made = tmp_path / name
    made.mkdir(parents=True)
    for path, content in files.items():
        file = made / f"{path.replace('__', '/')}.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content))
    return made


@pytest.mark.parametrize(
    ("name", "pooling", "query", "passage"),
    [
        ("all-MiniLM-L6-v2", "mean", "", ""),
        ("all-mpnet-base-v2", "mean", "", ""),
        (
            "bge-small-en-v1.5",
            "cls",
            "Represent this sentence for searching relevant passages: ",
            "",
        ),
        ("multilingual-e5-small", "mean", "query: ", "passage: "),
        ("multilingual-e5-base", "mean", "query: ", "passage: "),
        ("nomic-embed-text-v1.5", "mean", "search_query: ", "search_document: "),
        (
            "snowflake-arctic-embed-m",
            "cls",
            "Represent this sentence for searching relevant passages: ",
            "",
        ),
    ],
)
def test_published_models_are_known_by_the_name_of_their_folder(
    tmp_path: Path, name: str, pooling: str, query: str, passage: str
) -> None:
    spec = spec_of_folder(folder(tmp_path, name), NOTHING)
    assert (spec.pooling, spec.query_prefix, spec.passage_prefix) == (pooling, query, passage)


@pytest.mark.parametrize(
    "name",
    [
        "bge-small-en-v1.5",
        "BAAI/bge-small-en-v1.5",
        "Bge-Small-EN-v1.5",
        "bge-small-en-v1.5-onnx-Q",
    ],
)
def test_a_model_is_known_under_the_names_its_copies_have(name: str) -> None:
    assert known_use(name)["pooling"] == "cls"


def test_a_name_with_a_tag_is_that_of_the_model() -> None:
    assert prefixes_of("nomic-embed-text:v1.5", NOTHING) == ("search_query: ", "search_document: ")
    assert prefixes_of("nobody-knows:latest", NOTHING) == ("", "")


def test_a_folder_of_a_model_cache_has_the_repositorys_name(tmp_path: Path) -> None:
    place = folder(tmp_path / "models--intfloat--multilingual-e5-base" / "snapshots", "0a1b2c")
    assert spec_of_folder(place, NOTHING).query_prefix == "query: "


@pytest.mark.parametrize(
    "told",
    [
        {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False},
        {"pooling_mode": "cls"},
        {"pooling_mode": ["cls"]},
    ],
)
def test_the_folders_own_files_count_more_than_the_table(
    tmp_path: Path, told: dict[str, Any]
) -> None:
    made = folder(
        tmp_path,
        "all-MiniLM-L6-v2",
        **{"1_Pooling__config": told},
        config_sentence_transformers={"prompts": {"query": "ask: ", "document": "text: "}},
        sentence_bert_config={"max_seq_length": 100},
    )
    assert spec_of_folder(made, NOTHING) == EncoderSpec(
        pooling="cls", window_tokens=100, query_prefix="ask: ", passage_prefix="text: "
    )


def test_wishes_count_more_than_the_folders_files(tmp_path: Path) -> None:
    made = folder(tmp_path, **{"1_Pooling__config": {"pooling_mode": "cls"}})
    wishes = Wishes(pooling="mean", query_prefix="", passage_prefix="p: ")
    assert spec_of_folder(made, wishes) == EncoderSpec(
        pooling="mean", window_tokens=512, passage_prefix="p: "
    )


def test_empty_prompts_in_a_file_do_not_hide_what_the_table_knows(tmp_path: Path) -> None:
    prompts = {"prompts": {"query": "", "document": ""}}
    made = folder(tmp_path, "multilingual-e5-small", config_sentence_transformers=prompts)
    assert spec_of_folder(made, NOTHING).passage_prefix == "passage: "


def test_the_shortest_window_that_is_named_counts(tmp_path: Path) -> None:
    made = folder(
        tmp_path,
        config={"max_position_embeddings": 514, "model_type": "xlm-roberta"},
        tokenizer_config={"model_max_length": 1e30},
    )
    assert spec_of_folder(made, Wishes(pooling="mean")).window_tokens == 512


def test_without_a_word_about_pooling_nothing_is_guessed(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"its pooling is unknown.*1_Pooling.*embedding\.pooling"):
        spec_of_folder(folder(tmp_path), NOTHING)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"modules": [{"type": "a.Transformer", "path": ""}, {"type": "a.Dense"}]},
            "asks for Dense",
        ),
        ({"1_Pooling__config": {"pooling_mode": "max"}}, "asks for the pooling max"),
        ({"1_Pooling__config": {"pooling_mode": ["cls", "mean"]}}, "the pooling cls, mean"),
        ({"1_Pooling__config": "{"}, "cannot be read as JSON"),
        ({"config": [1]}, "contains list, expected dict"),
    ],
)
def test_what_cannot_be_done_is_refused(
    tmp_path: Path, files: dict[str, Any], message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        spec_of_folder(folder(tmp_path, "all-MiniLM-L6-v2", **files), NOTHING)
