"""Finds the files that fastembed has downloaded, by fastembed's names for them.

Only fastembed's lists of models are used; the files run in our own runtimes.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pincite.errors import ModelError


def is_downloaded(kinds: Iterable[Any], name: str, *, called: str, fetch: str) -> tuple[Any, Path]:
    """Which of fastembed's classes a model is for, and its file in fastembed's cache.

    `kinds` are classes that each list models, `called` is what these are, and `fetch` the Python
    that downloads NAME. Raises ModelError for a name that fastembed does not know, and for a model
    that it has not downloaded yet: nothing is downloaded here.
    """
    listed = [(kind, model) for kind in kinds for model in kind._list_supported_models()]
    for kind, model in listed:
        if model.model.lower() == name.lower():
            return kind, _folder(kind, model, fetch) / model.model_file
    known = ", ".join(sorted(model.model for _, model in listed))
    raise ModelError(f"fastembed has no {called} '{name}' that runs here; there are: {known}")


def not_installed(name: str) -> ModelError:
    """What to say where fastembed cannot be imported."""
    return ModelError(
        f"fastembed:{name} needs fastembed: install it with pip install 'pincite[fastembed]'"
    )


def _folder(kind: Any, model: Any, fetch: str) -> Path:
    """The folder that holds the model's files in fastembed's cache."""
    from loguru import logger

    folder = os.environ.get("FASTEMBED_CACHE_PATH") or str(
        Path(tempfile.gettempdir()) / "fastembed_cache"
    )
    logger.disable("fastembed")  # It would print what the error below says better.
    try:
        return Path(kind.download_model(model, folder, local_files_only=True))
    except (OSError, ValueError) as error:
        command = f'python -c "{fetch.replace("NAME", model.model)}"'
        raise ModelError(
            f"fastembed:{model.model}: is not in fastembed's cache ({folder}); nothing is downloaded "
            f"while Pincite runs: fetch it where there is a network with {command}, and set "
            "FASTEMBED_CACHE_PATH to its cache"
        ) from error
