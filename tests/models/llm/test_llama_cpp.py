"""What is special about a model inside the process."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from pincite.errors import ModelError
from pincite.models.llm.gguf import read_gguf_header
from pincite.models.llm.llama_cpp import LlamaCppModel, LlamaOptions
from pincite.models.llm.opening import open_model
from pincite.settings.groups import GenerationSettings
from pincite.testing.language_models import asked, text_of
from pincite.verify.statements.own_judgement import OwnJudgement

QUESTION = asked("At what temperature does water boil?")


def small(file: Path, **options: object) -> LlamaCppModel:
    return LlamaCppModel(
        file, options=LlamaOptions(threads=1, **{"context_tokens": 512, **options})
    )  # type: ignore[arg-type]


def test_the_header_tells_what_the_model_is(smollm2: Path) -> None:
    header = read_gguf_header(smollm2)
    assert header.architecture == "llama"
    assert header.trained_context_tokens == 8192


def test_the_name_tells_the_content_of_the_file(smollm2: Path, tmp_path: Path) -> None:
    other = tmp_path / "other name.gguf"
    other.symlink_to(smollm2)
    assert small(smollm2).name == "SmolLM2-135M-Instruct.Q4_1#b179c9523d0e"
    assert small(other).name == "other-name#b179c9523d0e"


def test_the_window_is_not_larger_than_the_model_was_trained_for(smollm2: Path) -> None:
    assert small(smollm2, context_tokens=100_000).context_tokens == 8192


def test_nothing_is_loaded_before_it_is_needed_and_nothing_stays(
    smollm2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    model = small(smollm2)
    assert not list(tmp_path.iterdir())
    first = text_of(model, QUESTION)
    (folder,) = tmp_path.iterdir()
    assert folder.stat().st_mode & 0o077 == 0
    model.close()
    assert not list(tmp_path.iterdir())
    assert text_of(model, QUESTION) == first
    del model
    assert not list(tmp_path.iterdir())


def test_a_model_lives_as_long_as_it_writes(smollm2: Path) -> None:
    assert "".join(small(smollm2).write(QUESTION))


def test_it_listens_on_no_port(smollm2: Path) -> None:
    listening = Path("/proc/self/net/tcp")
    if not listening.exists():
        pytest.skip("needs Linux: it looks into /proc")
    model = small(smollm2)
    before = _own_ports()
    assert model.count_tokens("The valve") == 2
    assert _own_ports() == before
    model.close()


def _own_ports() -> set[str]:
    """Inodes of this process's own sockets that listen for TCP."""
    mine = set()
    for link in Path("/proc/self/fd").iterdir():
        if link.is_symlink():
            mine.add(str(link.readlink()))
    rows = [line.split() for line in Path("/proc/self/net/tcp").read_text().splitlines()[1:]]
    return {row[9] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in mine}


def test_a_long_temporary_folder_does_no_harm(
    smollm2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ("x" * 100)
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    model = small(smollm2)
    assert model.count_tokens("The valve") == 2
    model.close()


def test_interrupting_still_works_with_a_model_loaded(smollm2: Path) -> None:
    # In a process of its own: a signal that went astray would end the run of all tests.
    script = (
        "from tests.models.llm.test_llama_cpp import *; import signal, sys;"
        # A run in the background ignores the signal from its start.
        "signal.signal(signal.SIGINT, signal.default_int_handler);"
        "model = small(Path(sys.argv[1])); model.count_tokens('pump')\n"
        "try: signal.raise_signal(signal.SIGINT)\n"
        "except KeyboardInterrupt: print(model.count_tokens('The valve'))\n"
        "model.close()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(smollm2)],
        capture_output=True, text=True, start_new_session=True,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "2\n", "")


def test_another_process_writes_the_same(smollm2: Path) -> None:
    script = (
        "from tests.models.llm.test_llama_cpp import *; import sys;"
        "print(text_of(small(Path(sys.argv[1])), QUESTION))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(smollm2)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.rstrip("\n") == text_of(small(smollm2), QUESTION)


@pytest.mark.parametrize("content", [b"", b"hello", b"GGUF", b"GGUF" + b"\xff" * 99])
def test_a_file_that_is_no_model_is_refused_before_llama_cpp_sees_it(
    tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "bad.gguf"
    file.write_bytes(content)
    with pytest.raises(ModelError, match=r"is not a complete GGUF file.*fetch it again"):
        open_model(GenerationSettings(model=str(file)))


def test_half_a_model_is_refused(smollm2: Path, tmp_path: Path) -> None:
    file = tmp_path / "half.gguf"
    file.write_bytes(smollm2.read_bytes()[:3_000_000])
    model = open_model(GenerationSettings(model=str(file)))
    assert model is not None
    with pytest.raises(
        ModelError, match=r"llama\.cpp cannot load it; expected a complete GGUF model"
    ):
        text_of(model, QUESTION)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"none\.gguf: cannot be read: No such file"):
        open_model(GenerationSettings(model=str(tmp_path / "none.gguf")))


def test_no_model_is_opened_where_none_is_set() -> None:
    assert open_model(GenerationSettings()) is None


def test_the_prompt_cache_reads_what_two_prompts_begin_with_only_once(smollm2: Path) -> None:
    long = "The relief valve of pump P-101 opens at 6.5 bar. " * 4
    read = []
    for cache in (False, True):
        model = small(smollm2, prompt_cache=cache)
        model.count_tokens("")
        text_of(model, asked(long + "At which pressure?", max_tokens=1))
        writing = model.write(asked(long + "Which pump?", max_tokens=1))
        list(writing)
        assert writing.ending is not None
        read.append((writing.ending.prompt_tokens, writing.ending.cached_tokens))
        model.close()
    (tokens, from_nothing), (_, from_cache) = read
    assert from_nothing == 0
    assert from_cache is not None
    assert tokens is not None
    assert from_cache > 0.6 * tokens


def test_it_tells_how_likely_yes_is_and_is_not_believed_where_it_cannot_tell(
    small_model: LlamaCppModel, tmp_path: Path
) -> None:
    likelihood = small_model.likelihood_of_yes(asked("Answer with Yes."))
    assert likelihood is not None
    assert 0.8 < likelihood < 1
    assert small_model.likelihood_of_yes(asked("Tell a story.")) is None
    judgement = OwnJudgement(small_model, tmp_path / "judged.json")
    assert judgement.likelihood("Water boils at 100 °C.", "Water boils at 100 °C.") is None
    assert not judgement.is_believed
    assert "SmolLM2" in (tmp_path / "judged.json").read_text()
