"""From a bundle to the first cited answer, without a network. Figures for docs/air-gap.md.

    python benchmarks/air_gap.py FOLDER [--extras server,llm]

Makes the bundle twice (the bytes must be the same), changes one random bit of it 100 times (each must
be refused), unpacks it, installs it into an empty environment, asks the demo's questions and runs the
installed `doctor --offline`. Installing and asking run in a network namespace without routes. FOLDER
must be new; it needs five times the bundle's size. Linux only, because of `unshare`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

from pincite.errors import BundleError
from pincite.interfaces.offline.archive import verify

FLIPS = 100
FENCE = ("unshare", "--user", "--map-root-user", "--net")


def timed(*command: str | Path, **environment: str) -> tuple[float, str]:
    """Seconds that a command took, and what it printed."""
    began = time.perf_counter()
    done = subprocess.run(
        list(map(str, command)),
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return time.perf_counter() - began, done.stdout


def refused(bundle: Path) -> int:
    """How many of the changed bundles were refused."""
    chance, size, found = random.Random(22), bundle.stat().st_size, 0
    with bundle.open("r+b") as file:
        for place in chance.sample(range(size), FLIPS):
            bit = 1 << chance.randrange(8)
            flip(file.fileno(), place, bit)
            try:
                verify(bundle)
            except BundleError:
                found += 1
            flip(file.fileno(), place, bit)
    verify(bundle)
    return found


def flip(descriptor: int, place: int, bit: int) -> None:
    """Change one bit of a file."""
    (byte,) = os.pread(descriptor, 1, place)
    os.pwrite(descriptor, bytes([byte ^ bit]), place)


def megabytes(folder: Path) -> float:
    """Of all files below a folder, links not followed."""
    return sum(one.lstat().st_size for one in folder.rglob("*") if not one.is_dir()) / 1e6


def main() -> None:
    """Run all steps and print what each took."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--extras", default="")
    given = parser.parse_args()
    folder: Path = given.folder.absolute()
    folder.mkdir()
    create = (sys.executable, "-m", "pincite", "bundle", "create", "--extras", given.extras)
    bundle, again = folder / "pincite.tar", folder / "again.tar"
    seconds, _ = timed(*create, "--output", bundle)
    timed(*create, "--output", again)
    manifest, digest = verify(bundle)
    same = digest == verify(again)[1]
    again.unlink()
    print(f"made in {seconds:.0f} s: {bundle.stat().st_size / 1e6:.0f} MB, ", end="")
    print(f"{sum(one.kind == 'wheel' for one in manifest.entries)} wheels; the same bytes: {same}")
    seconds, _ = timed(sys.executable, "-m", "pincite", "bundle", "verify", bundle)
    print(f"verified in {seconds:.1f} s; {refused(bundle)} of {FLIPS} changed bundles refused")
    timed("tar", "--extract", "--file", bundle, "--directory", folder)
    installed = folder / "env"
    home = {"HOME": str(folder), "PYTHON": sys.executable, "PYTHONPATH": ""}
    began = time.perf_counter()
    seconds, _ = timed(*FENCE, "sh", folder / "pincite-bundle/install.sh", installed, **home)
    print(f"installed in {seconds:.0f} s: {megabytes(installed):.0f} MB")
    pincite = installed / "bin" / "pincite"
    seconds, told = timed(*FENCE, pincite, "demo", "--json", **home)
    answers = json.loads(told)["answers"]
    cited = sum(bool(one["citations"]) for one in answers)
    print(f"demo in {seconds:.1f} s: {cited} cited answers, {len(answers) - cited} refused")
    print(f"unpacked to first answers: {time.perf_counter() - began:.0f} s")
    seconds, told = timed(pincite, "doctor", "--offline", "--json", **home)
    proof = json.loads(told)
    print(
        f"doctor --offline in {seconds:.1f} s: holds {proof['holds']}, packets to somewhere else ",
        end="",
    )
    print(f"{proof['unroutable_packets']}, addresses {proof['elsewhere']}")


if __name__ == "__main__":
    main()
