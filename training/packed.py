"""Weights in 6 bits each, in parts: what is carried to a machine with an accelerator.

Each group of 64 has a scale, so that what is unpacked differs by some 2 % of a weight's spread: a start
for training, which mends it. `python -m training.packed PART...` unpacks beside the first part.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]

GROUP = 64
_MOST = 31
_SHIFTS = np.array([0, 6, 12, 18], dtype=np.uint32)
_BYTES = np.array([0, 8, 16], dtype=np.uint32)


def pack(weights: Arrays, parts: int) -> list[dict[str, NDArray[Any]]]:
    """The weights in so many parts of about one size; what is no whole number of groups has 16 bits."""
    packed: list[dict[str, NDArray[Any]]] = [{} for _ in range(parts)]
    total, done = sum(array.size for array in weights.values()), 0
    for name, array in weights.items():
        part = packed[min(parts - 1, done * parts // total)]
        done += array.size
        if array.ndim < 2 or array.size % GROUP:
            part[name] = array.astype(np.float16)
            continue
        groups = array.astype(np.float32).reshape(-1, GROUP)
        scales = np.maximum(np.abs(groups).max(axis=1) / _MOST, 1e-7).astype(np.float16)
        steps = np.round(groups / scales.astype(np.float32)[:, None]).clip(-_MOST, _MOST)
        fours = (steps.astype(np.int16) + _MOST).astype(np.uint32).reshape(-1, 4)
        words = (fours << _SHIFTS).sum(axis=1, dtype=np.uint32)
        part[f"{name}|6bit"] = ((words[:, None] >> _BYTES) & 255).astype(np.uint8)
        part[f"{name}|scale"] = scales.reshape(*array.shape[:-1], -1)
    return packed


def unpack(parts: Sequence[Arrays]) -> dict[str, NDArray[np.float32]]:
    """The weights of all parts, in 32 bits."""
    weights: dict[str, NDArray[np.float32]] = {}
    for part in parts:
        for name, array in part.items():
            own, _, kind = name.partition("|")
            if not kind:
                weights[own] = array.astype(np.float32)
            elif kind == "6bit":
                words = (array.astype(np.uint32) << _BYTES).sum(axis=1, dtype=np.uint32)
                steps = ((words[:, None] >> _SHIFTS) & 63).astype(np.float32) - _MOST
                scales = part[f"{own}|scale"].astype(np.float32)
                groups = steps.reshape(-1, GROUP) * scales.reshape(-1, 1)
                weights[own] = groups.reshape(*scales.shape[:-1], -1)
    return weights


def main() -> None:
    """Write `model.safetensors` beside the first part."""
    from safetensors.numpy import save_file

    paths = [Path(name) for name in sys.argv[1:]]
    if not paths:
        raise SystemExit("usage: python -m training.packed PART.npz...")
    save_file(
        unpack([dict(np.load(path)) for path in paths]), paths[0].parent / "model.safetensors"
    )


if __name__ == "__main__":
    main()
