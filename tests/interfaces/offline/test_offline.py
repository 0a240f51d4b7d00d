"""What tries to leave the machine is seen, whichever code tries, and told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from end_to_end.running import run_cli

NATIVE = """
import ctypes, socket, struct
from pincite.interfaces.offline.trial import fence, unroutable
why = fence()
assert not why, why
libc = ctypes.CDLL(None)
address = struct.pack("<HH4s8x", socket.AF_INET, socket.htons(53), bytes([192, 0, 2, 1]))
assert libc.connect(libc.socket(socket.AF_INET, socket.SOCK_DGRAM, 0), address, 16) == -1
print(unroutable())
"""
WATCHED = """
import socket
from pincite.interfaces.offline.trial import Watch
watch = Watch(refuses=True)
for call in (
    lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("192.0.2.1", 53)),
    lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.2", 53)),
    lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).connect(("2001:db8::1", 53)),
    lambda: socket.getaddrinfo("telemetry.example", 443),
    lambda: socket.gethostbyname("telemetry.example"),
):
    try:
        call()
    except PermissionError:
        continue
    raise SystemExit("it was not refused")
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("127.0.0.1", 9))
one, other = socket.socketpair()
one.send(b"x")
assert len(watch.elsewhere) == 5, watch.elsewhere
assert watch.here == ["socket.connect ('127.0.0.1', 9)"], watch.here
"""


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def can_be_fenced() -> bool:
    code = "from pincite.interfaces.offline.trial import fence; raise SystemExit(bool(fence()))"
    return python(code).returncode == 0


needs_a_fence = pytest.mark.skipif(
    not can_be_fenced(), reason="this system gives a process no network of its own"
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("offline")
    (folder / "a.txt").write_text("The relief valve opens at 300 kPa.\n")
    run_cli("ingest", folder / "a.txt", "-l", folder / "library")
    return folder / "library"


@pytest.fixture(scope="module")
def proof(library: Path) -> Path:
    target = library.parent / "proof.json"
    done = run_cli("doctor", "--offline", "-l", library, "--output", target)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing tried to leave" in done.stdout
    return target


def test_python_code_that_connects_is_seen_and_refused() -> None:
    done = python(WATCHED)
    assert done.returncode == 0, done.stderr


@needs_a_fence
def test_what_native_code_sends_is_counted_by_the_kernel() -> None:
    done = python(NATIVE)
    assert done.stdout == "1\n", done.stderr


@pytest.mark.slow
def test_all_stages_run_without_a_network(proof: Path) -> None:
    found = json.loads(proof.read_text())
    assert found["holds"]
    assert (found["documents"], found["questions"], found["answered"]) == (6, 5, 4)
    assert found["elsewhere"] == found["on_this_machine"] == []
    assert found["corpus_version"]


@pytest.mark.slow
def test_settings_that_name_a_server_elsewhere_are_found_out(library: Path) -> None:
    settings = {
        "PINCITE_EMBEDDING__MODEL": "ollama:nomic-embed-text",
        "PINCITE_EMBEDDING__URL": "http://192.0.2.1:11434",
        # Without the hook of these tests, which would refuse before the trial's own sees anything.
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
    }
    done = run_cli("doctor", "--offline", "-l", library, "--json", **settings)
    found = json.loads(done.stdout)
    assert (done.returncode, found["holds"]) == (1, False)
    assert any("192.0.2.1" in one for one in found["elsewhere"])


@pytest.mark.slow
def test_a_receipt_can_carry_the_proof(proof: Path, library: Path, tmp_path: Path) -> None:
    question = "At what pressure does the relief valve open?"
    receipt = tmp_path / "answer.json"
    run_cli("ask", question, "-l", library, "--save", receipt, "--attest", proof)
    assert json.loads(receipt.read_text())["air_gap"] == json.loads(proof.read_text())
    assert run_cli("verify", receipt).returncode == 0


def changed(proof: Path, target: Path, **fields: Any) -> Path:
    target.write_text(json.dumps({**json.loads(proof.read_text()), **fields}))
    return target


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"settings_digest": "0" * 16}, "other settings or models than the answer"),
        ({"holds": False}, "did not hold"),
        ({"elsewhere": ["socket.connect ('192.0.2.1', 53)"]}, "did not hold"),
    ],
)
def test_another_proof_is_refused(
    fields: dict[str, Any], told: str, proof: Path, library: Path, tmp_path: Path
) -> None:
    other = changed(proof, tmp_path / "other.json", **fields)
    receipt = tmp_path / "answer.json"
    done = run_cli("ask", "relief valve?", "-l", library, "--save", receipt, "--attest", other)
    assert done.returncode == 1
    assert told in done.stderr
    assert not receipt.exists()
