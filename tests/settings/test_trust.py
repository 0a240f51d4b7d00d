"""What a stranger's library, template or profile file may not do on this machine."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from end_to_end.running import Result, call_cli, refused

import pincite
from pincite import Library
from pincite.errors import SettingsError
from pincite.records.flow import Answer
from pincite.report.asking import make_report
from pincite.report.template import load_template
from pincite.settings.loading import Settings, load_settings
from pincite.settings.trust import (
    APPROVALS_FILE,
    HARMLESS,
    Approvals,
    config_folder,
    needs_approval,
    wish_of,
)
from pincite.testing.language_models import ScriptedModel
from pincite.verify.receipts.receipt import answer_form
from tests.models.encoders.embedding_server import serving as embedding_serving
from tests.models.llm.chat_server import ChatServer, serving

QUESTION = "At which pressure does the relief valve open?"
OPENS = "The relief valve opens at 6.5 bar."
KEY = "sk-secret-of-the-user"
KEYS = ("GENERATION", "FALLBACK", "EMBEDDING", "RERANK")


@pytest.fixture(autouse=True)
def own_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user who has approved nothing yet, with keys in the environment and words as encoder."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in KEYS:
        monkeypatch.setenv(f"PINCITE_{name}_API_KEY", KEY)


@pytest.fixture
def words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PINCITE_EMBEDDING__MODEL", "none")
    monkeypatch.setenv("PINCITE_VERIFICATION__ABSTAIN_BELOW", "0")


@pytest.fixture
def stranger() -> Iterator[ChatServer]:
    """The server of somebody who would like to have questions, quotes and keys."""
    with serving(ScriptedModel([OPENS])) as server:
        yield server


@pytest.fixture
def library(tmp_path: Path, words_alone: None) -> Path:
    folder = tmp_path / "library"
    (tmp_path / "valve.txt").write_text(f"{OPENS} The valve is green.\n")
    with Library.open(folder) as made:
        assert not made.ingest([tmp_path / "valve.txt"]).failed
    return folder


def foreign(library: Path, written: str) -> Path:
    (library / "settings.toml").write_text(written)
    return library


def writing_at(server: ChatServer, *, group: str = "generation") -> str:
    return f'[{group}]\nmode = "generated"\nmodel = "ollama:m"\nurl = "{server.url}"\n'


def asked(library: Path, **options: Any) -> Answer:
    with Library.open(library, create=False, **options) as opened:
        return opened.ask(QUESTION)


def keys_sent(server: Any) -> list[str]:
    return [request["headers"].get("Authorization", "") for request in server.requests]


# --- Libraries ----------------------------------------------------------------------------------


def test_a_foreign_library_sends_nothing_to_a_server_it_names(
    library: Path, stranger: ChatServer
) -> None:
    answer = asked(foreign(library, writing_at(stranger) + "[evidence]\nmax_sentences = 1\n"))
    assert stranger.requests == []
    assert answer.mode == "extractive"
    assert answer.model == ""
    assert answer.citations[0].quote.startswith(OPENS)
    (told,) = [reason for reason in answer.reasons if "not approved" in reason]
    assert str(library) in told
    assert stranger.url in told
    assert f"pincite config trust {library}" in told


def test_what_needs_no_approval_of_a_foreign_library_counts(
    library: Path, stranger: ChatServer
) -> None:
    foreign(library, f"{writing_at(stranger)}max_tokens = 77\n[evidence]\nmax_sentences = 1\n")
    settings, origins = load_settings(library)
    assert (settings.evidence.max_sentences, settings.generation.max_tokens) == (1, 77)
    assert settings.generation.model == "none"
    assert origins["evidence.max_sentences"] == "settings.toml"
    assert origins["generation.url"] == "default"


def test_an_approved_library_counts_and_gets_the_key(library: Path, stranger: ChatServer) -> None:
    foreign(library, writing_at(stranger))
    approved = call_cli("config", "trust", library)
    assert approved.returncode == 0
    assert stranger.url in approved.stdout.replace("\n", "")
    answer = asked(library)
    assert stranger.requests
    assert set(keys_sent(stranger)) == {f"Bearer {KEY}"}
    assert not [reason for reason in answer.reasons if "not approved" in reason]


def test_a_change_after_the_approval_needs_another_one(library: Path, stranger: ChatServer) -> None:
    call_cli("config", "trust", foreign(library, writing_at(stranger)))
    with serving(ScriptedModel([OPENS])) as other:
        answer = asked(foreign(library, writing_at(other)))
        assert other.requests == []
    assert any("not approved" in reason for reason in answer.reasons)


def test_an_approval_is_for_one_place(library: Path, stranger: ChatServer, tmp_path: Path) -> None:
    call_cli("config", "trust", foreign(library, writing_at(stranger)))
    asked(shutil.copytree(library, tmp_path / "copy"))
    assert stranger.requests == []


def test_an_approval_can_be_listed_and_taken_back(library: Path, stranger: ChatServer) -> None:
    call_cli("config", "trust", foreign(library, writing_at(stranger)))
    (listed,) = json.loads(call_cli("config", "trust", "--list", "--json").stdout)
    assert listed["path"] == str(library)
    assert listed["settings"]["generation.url"] == stranger.url
    assert str(library) in call_cli("config", "trust", "--list").stdout.replace("\n", "")
    assert call_cli("config", "trust", "--remove", library).returncode == 0
    assert json.loads(call_cli("config", "trust", "--list", "--json").stdout) == []
    asked(library)
    assert stranger.requests == []
    refused(
        call_cli("config", "trust", "--remove", library), 2, "none of its settings are approved"
    )


@pytest.mark.parametrize(
    ("written", "setting"),
    [
        ('[embedding]\nmodel = "ollama:m"\nurl = "{url}"\n', "embedding.model"),
        ('[rerank]\nmodel = "rerank-server:m"\nurl = "{url}"\n', "rerank.model"),
        ('[rerank]\nmodel = "/tmp/model"\n', "rerank.model"),
        ('[rerank]\nmodel = "llm"\n', "rerank.model"),
        ('[verification]\nnli_model = "/tmp/model"\n', "verification.nli_model"),
        ('[generation]\nprompts = "/tmp/prompts.toml"\n', "generation.prompts"),
        ('[generation]\nfallback_model = "openai:m"\nfallback_url = "{url}"\n', "generation.fallback"),
        ('[boosts]\ntag_set = "/tmp/tags.toml"\n', "boosts.tag_set"),
        ('[intents]\nrules = "/tmp/rules.toml"\n', "intents.rules"),
        ('[chat]\nreader = "model"\n', "chat.reader"),
        ('[dense]\nengine = "qdrant"\nurl = "{url}"\n', "dense.engine"),
        ('profile = "sop"\n', "generation.model"),
        ('profile = "{library}/own.toml"\n', "profile"),
    ],
)  # fmt: skip
def test_no_other_group_of_a_foreign_library_names_a_place(
    library: Path,
    stranger: ChatServer,
    monkeypatch: pytest.MonkeyPatch,
    written: str,
    setting: str,
) -> None:
    monkeypatch.delenv("PINCITE_EMBEDDING__MODEL")
    (library / "own.toml").write_text(writing_at(stranger))
    foreign(library, written.format(url=stranger.url, library=library))
    settings, origins = load_settings(library)
    named = settings.model_dump()
    for name in HARMLESS:
        group, _, field = name.partition(".")
        value = named[group][field]
        assert value == Settings().model_dump()[group][field] or not needs_approval(name, value)
    assert setting in str(origins.withheld[0])


def test_every_setting_that_may_name_something_needs_approval() -> None:
    free = {
        f"{group}.{name}"
        for group, field in Settings.model_fields.items()
        for name, item in type(field.default).model_fields.items()
        if re.search(r"\bstr\b", str(item.annotation)) and f"{group}.{name}" not in HARMLESS
    }
    assert free == {"embedding.query_prefix", "embedding.passage_prefix"}
    for name in HARMLESS:
        group, _, field = name.partition(".")
        default = Settings().model_dump()[group][field]
        assert field.endswith("url") or not needs_approval(name, default)


def test_a_library_does_not_say_how_far_its_server_is_open(library: Path) -> None:
    wished = '[server]\nallowed_hosts = ["evil.example"]\nrequests_per_minute = 0\nworkers = 1\n'
    settings, origins = load_settings(foreign(library, wished))
    assert settings.server == Settings().server
    assert set(origins.withheld[0].values) == {"server.allowed_hosts", "server.requests_per_minute"}


def test_the_environment_and_the_command_line_are_the_users_word(
    library: Path, stranger: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PINCITE_GENERATION__URL", stranger.url)
    answer = asked(library, overrides={"generation": {"mode": "quoted", "model": "ollama:m"}})
    assert stranger.requests
    assert set(keys_sent(stranger)) == {f"Bearer {KEY}"}
    assert not [reason for reason in answer.reasons if "not approved" in reason]


def test_the_users_own_settings_count_below_the_librarys(
    library: Path, stranger: ChatServer
) -> None:
    config_folder().mkdir(parents=True)
    own = writing_at(stranger) + "[evidence]\nmax_sentences = 3\nmargin = 0.2\n"
    (config_folder() / "settings.toml").write_text(own)
    settings, origins = load_settings(foreign(library, "[evidence]\nmax_sentences = 2\n"))
    assert (settings.evidence.max_sentences, settings.evidence.margin) == (2, 0.2)
    assert settings.generation.url == stranger.url
    assert origins["generation.url"] == "settings.toml of the user"
    assert not origins.withheld


def test_a_key_stays_with_the_address_the_user_gave_with_it(
    library: Path, stranger: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(ScriptedModel([OPENS])) as own:
        for name, value in {"MODE": "generated", "MODEL": "ollama:m", "URL": own.url}.items():
            monkeypatch.setenv(f"PINCITE_GENERATION__{name}", value)
        more = f'fallback_model = "ollama:m"\nfallback_url = "{stranger.url}"\n'
        asked(foreign(library, writing_at(stranger) + more))
        assert set(keys_sent(own)) == {f"Bearer {KEY}"}
    assert stranger.requests == []


def test_the_key_of_a_model_is_not_sent_to_the_server_of_its_fallback(
    library: Path, stranger: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PINCITE_FALLBACK_API_KEY")
    overrides = {
        "generation": {
            "mode": "generated",
            "model": "a-model-that-was-not-added",
            "fallback_model": "ollama:m",
            "fallback_url": stranger.url,
        }
    }
    answer = asked(library, overrides=overrides)
    assert stranger.requests
    assert set(keys_sent(stranger)) == {""}
    assert answer.model == f"ollama:m at {stranger.url}"


def test_the_catalog_of_a_foreign_library_chooses_no_embedding_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "valve.txt").write_text(f"{OPENS}\n")
    with embedding_serving() as server:
        named = {"embedding": {"model": "ollama:m", "url": server.url}}
        with Library.open(tmp_path / "library", overrides=named) as made:
            made.ingest([tmp_path / "valve.txt"])
        server.requests.clear()
        # Who made it with that server goes on asking it.
        with Library.open(tmp_path / "library", create=False) as own:
            assert own.search(QUESTION).hits
        assert server.requests
        server.requests.clear()
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "other user"))
        with Library.open(tmp_path / "library", create=False) as opened:
            found = opened.search(QUESTION)
            opened.ingest([tmp_path / "valve.txt"])
        assert server.requests == []
        assert found.hits
        assert any("not approved" in told and server.url in told for told in found.notices)
        assert call_cli("config", "trust", tmp_path / "library").returncode == 0
        with Library.open(tmp_path / "library", create=False) as opened:
            opened.search(QUESTION)
        assert server.requests


# --- Templates and profiles ---------------------------------------------------------------------


def template(tmp_path: Path, more: str) -> Path:
    written = f'title = "T"\n{more}\n[[sections]]\ntitle = "S"\nquestions = ["{QUESTION}"]\n'
    (tmp_path / "plan.toml").write_text(written)
    return tmp_path / "plan.toml"


def test_a_foreign_template_sends_nothing_to_a_server_it_names(
    library: Path, stranger: ChatServer, tmp_path: Path
) -> None:
    plan = template(tmp_path, writing_at(stranger, group="settings.generation"))
    with Library.open(library, create=False) as opened:
        (only,) = make_report(opened, load_template(str(plan))).asked
        assert stranger.requests == []
        assert only.answer
        assert any("not approved" in reason for reason in only.answer.reasons)
        assert call_cli("config", "trust", plan).returncode == 0
        make_report(opened, load_template(str(plan)))
    assert stranger.requests


def test_a_section_of_a_foreign_template_starts_no_model(
    library: Path, stranger: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PINCITE_GENERATION__URL", stranger.url)
    monkeypatch.setenv("PINCITE_GENERATION__MODEL", "ollama:m")
    plan = template(tmp_path, "")
    plan.write_text(plan.read_text() + 'mode = "generated"\n')
    with Library.open(library, create=False) as opened:
        make_report(opened, load_template(str(plan)))
    assert stranger.requests == []


def test_a_foreign_profile_file_sends_nothing(
    library: Path, stranger: ChatServer, tmp_path: Path
) -> None:
    (tmp_path / "p.toml").write_text(writing_at(stranger))
    answer = asked(library, profile=str(tmp_path / "p.toml"))
    assert stranger.requests == []
    assert any("not approved" in reason for reason in answer.reasons)
    call_cli("config", "trust", tmp_path / "p.toml")
    asked(library, profile=str(tmp_path / "p.toml"))
    assert stranger.requests


def test_who_makes_a_library_with_a_profile_has_approved_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Library.open(tmp_path / "own", profile="prospectus").close()
    settings, origins = load_settings(tmp_path / "own")
    assert settings.generation.model == "ollama-generate:llama3:8b"
    assert not origins.withheld
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "other user"))
    settings, origins = load_settings(tmp_path / "own")
    assert settings.generation.model == "none"
    assert settings.chunking.min_chars == 800
    assert origins.withheld


# --- What is told -------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["quoted", "generated"])
def test_every_answer_names_the_model_and_its_server(
    library: Path, stranger: ChatServer, mode: str, tmp_path: Path
) -> None:
    stranger.model = ScriptedModel(['{"sentences": [1]}' if mode == "quoted" else OPENS])
    chosen = {"generation": {"mode": mode, "model": "ollama:m", "url": stranger.url}}
    with Library.open(library, create=False, overrides=chosen) as opened:
        answer = opened.ask(QUESTION)
        opened.save_receipt(answer, tmp_path / "answer.json")
        opened.save_receipt(answer, tmp_path / "answer.html")
    assert answer.mode == mode
    assert answer.model == f"ollama:m at {stranger.url}"
    assert answer_form(answer)["model"] == answer.model
    assert json.loads((tmp_path / "answer.json").read_text())["model"] == answer.model
    assert stranger.url in (tmp_path / "answer.html").read_text()
    assert pincite.verify_receipt(tmp_path / "answer.html").holds


def test_an_answer_of_quotes_after_a_model_still_names_its_server(
    library: Path, stranger: ChatServer
) -> None:
    stranger.model = ScriptedModel(["The relief valve opens at 99 bar."])
    chosen = {"generation": {"mode": "generated", "model": "ollama:m", "url": stranger.url}}
    answer = asked(library, overrides=chosen)
    assert answer.mode == "extractive"
    assert answer.model == f"ollama:m at {stranger.url}"


def told(result: Result) -> str:
    return " ".join(result.stdout.split())


def test_the_command_line_tells_what_does_not_count(library: Path, stranger: ChatServer) -> None:
    foreign(library, writing_at(stranger))
    result = call_cli("ask", QUESTION, "--library", library, PINCITE_EMBEDDING__MODEL="none")
    assert "is not approved on this machine" in told(result)
    form = json.loads(call_cli("config", "show", "--library", library, "--json").stdout)
    assert form["not_approved"][str(library)]["generation.url"] == stranger.url
    assert form["settings"]["generation"]["url"] == ""
    counted = call_cli("count", "valve", "--library", library, "--json")
    assert any("not approved" in reason for reason in json.loads(counted.stdout)["reasons"])


def test_approving_what_wants_nothing_says_so(library: Path) -> None:
    assert "nothing to approve" in call_cli("config", "trust", library).stdout
    assert "nothing is approved" in call_cli("config", "trust", "--list").stdout


# --- The list of approvals ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    ["", "[]", '{"format": 2, "trusted": []}', '{"format": 1, "trusted": [{"path": 1}]}',
     '{"format": 1, "trusted": 5}', "[" * 100_000, '{"format": NaN}'],
)  # fmt: skip
def test_a_damaged_list_of_approvals_is_an_error_and_no_approval(
    library: Path, stranger: ChatServer, content: str
) -> None:
    foreign(library, writing_at(stranger))
    config_folder().mkdir(parents=True)
    (config_folder() / APPROVALS_FILE).write_text(content)
    with pytest.raises(SettingsError, match="not a list of approvals"):
        asked(library)
    assert stranger.requests == []


def test_a_pipe_in_place_of_the_list_is_not_waited_for(library: Path, stranger: ChatServer) -> None:
    config_folder().mkdir(parents=True)
    os.mkfifo(config_folder() / APPROVALS_FILE)
    with pytest.raises(SettingsError, match="named pipe"):
        asked(foreign(library, writing_at(stranger)))


def test_a_relative_config_folder_is_not_taken_from_where_we_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "config")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert config_folder() == tmp_path / ".config" / "pincite"


def test_an_approval_beside_others_leaves_them(tmp_path: Path) -> None:
    approvals = Approvals(tmp_path / "a.json")
    first, second = (wish_of(tmp_path / n, {"generation.model": n}) for n in ("a", "b"))
    approvals.add(first)
    approvals.add(second)
    approvals.add(second)
    assert [one.path for one in approvals] == [str(tmp_path / "a"), str(tmp_path / "b")]
    assert approvals.remove(tmp_path / "a")
    assert not approvals.cover(first)
    assert approvals.cover(second)


@pytest.mark.parametrize("written", ["[a" * 50_000, "a = " + "[" * 100_000])
def test_settings_nested_too_deep_are_a_clear_error(library: Path, written: str) -> None:
    with pytest.raises(SettingsError, match="cannot be read as TOML"):
        load_settings(foreign(library, written))
