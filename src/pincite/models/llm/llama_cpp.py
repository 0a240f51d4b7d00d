"""Runs GGUF models in this process with llama.cpp."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pincite.errors import ModelError
from pincite.models.installed import sha256_of
from pincite.models.llm.gguf import read_gguf_header
from pincite.models.llm.openai_server import OpenAiModel
from pincite.models.llm.output import Output
from pincite.models.servers import Place, ServerClient
from pincite.records.flow import Prompt

_LONGEST_SOCKET_PATH = 100
"""In characters; the system's limit is 104 or 108."""
_CACHE_MEGABYTES = 256
_BATCH_TOKENS = 512
_NAMED_BY = 12
"""Hexadecimal digits of the checksum in a name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LlamaOptions:
    """Options of a model. `threads` of 0 means all cores that this process may use."""

    context_tokens: int = 4096
    threads: int = 0
    seed: int = 0
    prompt_cache: bool = False
    timeout_seconds: float = 60.0


class LlamaCppModel:
    """A model loaded on first use and memory-mapped.

    llama.cpp is available only as a server, so this process connects to itself: through a Unix socket
    in a private folder or, without Unix sockets, on the loopback interface with a random key. Nothing
    else can reach it, and nothing is downloaded.

    Output is reproducible for the same prompt, threads and machine. With `prompt_cache`, the common
    prefix with the last prompt is not read again, and the output may depend on that prompt.
    """

    def __init__(self, file: Path, *, options: LlamaOptions, sha256: str = "") -> None:
        trained = read_gguf_header(file).trained_context_tokens
        self._file = file
        self._options = options
        self._lock = threading.Lock()
        self._running: OpenAiModel | None = None
        self._stop: Callable[[], Any] = lambda: None
        self._sha256 = sha256
        self.context_tokens = min(options.context_tokens, trained or options.context_tokens)

    @cached_property
    def name(self) -> str:
        """The file's name and the start of its checksum, which is computed if unknown."""
        sha256 = self._sha256 or sha256_of(self._file)
        return f"{'-'.join(self._file.stem.split())}#{sha256[:_NAMED_BY]}"

    def count_tokens(self, text: str) -> int:
        """The number of tokens by the model's own tokenizer."""
        return self._loaded().count_tokens(text)

    def write(self, prompt: Prompt) -> Output:
        """The output in pieces. Raises ModelError if the model cannot be loaded or run."""
        output = self._loaded().write(prompt)
        output.owner = self
        return output

    def likelihood_of_yes(self, prompt: Prompt) -> float | None:
        """The probability of yes. Raises ModelError as `write` does."""
        return self._loaded().likelihood_of_yes(prompt)

    def close(self) -> None:
        """Free the model's memory; it is loaded again on the next use."""
        with self._lock:
            self._stop()
            self._running, self._stop = None, lambda: None

    def _loaded(self) -> OpenAiModel:
        with self._lock:
            if self._running is None:
                self._running = self._load()
            return self._running

    def _load(self) -> OpenAiModel:
        folder = Path(tempfile.mkdtemp(prefix="pincite-"))
        address = _Address.in_folder(folder)
        try:
            server = _start(self._file, address, self._options, self.context_tokens)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        client = ServerClient(address.place(server.listening_address, self._file, self._options))
        # Also called when the process exits: llama.cpp's threads must end first.
        self._stop = weakref.finalize(self, _shut, [server], client, folder)
        del server
        return OpenAiModel(
            client,
            self._file.stem,
            name=self.name,
            context_tokens=self.context_tokens,
            extra={"cache_prompt": self._options.prompt_cache, "seed": self._options.seed},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Address:
    """The address at which this process reaches its own model server."""

    socket: str = ""
    key: str = ""

    @classmethod
    def in_folder(cls, folder: Path) -> _Address:
        socket = str(folder / "model.sock")
        if sys.platform != "win32" and len(os.fsencode(socket)) <= _LONGEST_SOCKET_PATH:
            return cls(socket=socket)
        return cls(key=secrets.token_urlsafe(32))

    def place(self, listening: str, file: Path, options: LlamaOptions) -> Place:
        return Place(
            model=file.name,
            url="http://127.0.0.1" if self.socket else listening,
            group="generation",
            key=self.key,
            timeout_seconds=options.timeout_seconds,
            retries=0,
            too_long="ask a shorter question, or raise generation.context_tokens",
            socket=self.socket,
        )


def _start(file: Path, address: _Address, options: LlamaOptions, context_tokens: int) -> Any:
    """A llama.cpp server with the model loaded."""
    try:
        import xllamacpp
    except ImportError as error:
        raise ModelError(
            f"{file.name} needs llama.cpp: install it with pip install 'pincite[llm]'"
        ) from error
    params = xllamacpp.CommonParams()
    params.model.path = str(file)
    params.n_ctx = context_tokens
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = _BATCH_TOKENS
    params.cpuparams.n_threads = options.threads or _cores()
    params.cpuparams_batch.n_threads = options.threads or _cores()
    params.cache_ram_mib = _CACHE_MEGABYTES if options.prompt_cache else 0
    params.enable_reasoning = 0
    params.offline = True
    params.warmup = False
    params.ui = False
    params.endpoint_slots = False
    params.verbosity = -1
    if address.socket:
        params.hostnames = [address.socket]
    else:
        params.api_keys = [address.key]
    try:
        return xllamacpp.Server(params)
    except RuntimeError as error:
        raise ModelError(
            f"{file}: llama.cpp cannot load it; expected a complete GGUF model that it supports and "
            "enough memory: check the file with 'pincite models verify', or lower "
            "generation.context_tokens"
        ) from error


def _cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _shut(server: list[Any], client: ServerClient, folder: Path) -> None:
    client.close()
    server.clear()
    shutil.rmtree(folder, ignore_errors=True)
