"""Runs models of sentence-transformers with PyTorch, from this machine's files alone.

Tokenizer, windows, prefixes and pooling are ours, as for every encoder that shows its token states;
PyTorch runs the transformer.
"""

from __future__ import annotations

from pincite.embed.encoder import WindowedEncoder
from pincite.embed.spec import Wishes, spec_of_folder
from pincite.graphs.files import fingerprint, name_of_folder
from pincite.graphs.tokenizer import open_tokenizer, tokenizer_bytes
from pincite.graphs.torch_models import TorchRuntime, torch_folder, weights_of

_RECIPE = "torch/1"


def open_sentence_transformer(name: str, *, wishes: Wishes, threads: int = 0) -> WindowedEncoder:
    """The model in a folder, or of a name that the local model cache holds.

    Raises ModelError where it is not there: nothing is downloaded.
    """
    folder = torch_folder(name)
    spec = spec_of_folder(folder, wishes)
    runtime = TorchRuntime(folder, threads=threads)
    tokenizer = folder / "tokenizer.json"
    parts = [*weights_of(folder), tokenizer_bytes(tokenizer), spec.fingerprint(), _RECIPE.encode()]
    return WindowedEncoder(
        name=f"{name_of_folder(folder)}#{fingerprint(parts)}",
        tokenizer=open_tokenizer(tokenizer),
        runtime=runtime,
        spec=spec,
    )
