"""Opens cross-encoders: an ONNX folder, what fastembed has downloaded, or a PyTorch model."""

from __future__ import annotations

from pathlib import Path

from pincite.graphs.fastembed_files import is_downloaded, not_installed
from pincite.graphs.files import fingerprint, name_of_folder, tokenizer_beside
from pincite.graphs.pairs import PairReader, PairUse, open_pair_reader, window_of
from pincite.graphs.runtimes import JUDGEMENT
from pincite.graphs.tokenizer import open_tokenizer, tokenizer_bytes
from pincite.graphs.torch_models import TorchRuntime, torch_folder, weights_of
from pincite.rerank.cross_encoder import CrossEncoder

_USE = PairUse(setting="rerank.model", recipe="cross-encoder/1", first="short")
"""The recipe counts up when pairs are prepared in another way, which changes scores."""


def open_onnx_cross_encoder(
    place: Path, cache: Path, *, max_tokens: int, runtime: str = "auto", threads: int = 0
) -> CrossEncoder:
    """The cross-encoder in a folder, or the one of an .onnx file in it. `cache` is for prepared graphs.

    Raises ModelError when something is missing or cannot be run.
    """
    return CrossEncoder(
        open_pair_reader(
            place,
            cache,
            _USE,
            max_tokens=max_tokens,
            runtime=runtime,
            threads=threads,
        )
    )


def open_fastembed_cross_encoder(
    name: str, cache: Path, *, max_tokens: int, runtime: str = "auto", threads: int = 0
) -> CrossEncoder:
    """The cross-encoder of a name such as Xenova/ms-marco-MiniLM-L-6-v2.

    Raises ModelError for a name that fastembed does not know, and for a model that it has not
    downloaded yet: nothing is downloaded here.
    """
    try:
        from fastembed.rerank.cross_encoder import TextCrossEncoder
    except ImportError as error:
        raise not_installed(name) from error
    fetch = "from fastembed.rerank.cross_encoder import TextCrossEncoder; TextCrossEncoder('NAME')"
    _, file = is_downloaded(
        TextCrossEncoder.CROSS_ENCODER_REGISTRY, name, called="cross-encoder", fetch=fetch
    )
    return open_onnx_cross_encoder(
        file, cache, max_tokens=max_tokens, runtime=runtime, threads=threads
    )


def open_torch_cross_encoder(name: str, *, max_tokens: int, threads: int = 0) -> CrossEncoder:
    """The cross-encoder in a folder, or of a name that the local model cache holds.

    Raises ModelError where it is not there: nothing is downloaded.
    """
    folder = torch_folder(name, owner="cross-encoder")
    runtime = TorchRuntime(folder, threads=threads, wanted=JUDGEMENT)
    tokenizer = tokenizer_beside(folder)
    window = window_of(folder, max_tokens)
    parts = [
        *weights_of(folder),
        tokenizer_bytes(tokenizer),
        str(window).encode(),
        _USE.recipe.encode(),
    ]
    return CrossEncoder(
        PairReader(
            name=f"{name_of_folder(folder)}#{fingerprint(parts)}",
            tokenizer=open_tokenizer(tokenizer),
            runtime=runtime,
            max_tokens=window,
            use=_USE,
        )
    )
