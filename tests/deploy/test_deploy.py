"""What deploy/ says is well formed, and the container's own command and health check run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from end_to_end.running import run_cli

DEPLOY = Path(__file__).parents[2] / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
COMPOSE = sorted(path.name for path in DEPLOY.glob("compose*.yaml"))
KUBERNETES = sorted(path.name for path in DEPLOY.glob("kubernetes*.yaml"))
HERE = Path(sys.executable).parent


def tool(name: str) -> str:
    """A program of this environment, or of the system; its absence skips the test."""
    found = shutil.which(name, path=f"{HERE}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def says(*command: str | Path) -> str:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def in_dockerfile(keyword: str) -> list[str]:
    """The words of a line such as CMD ["serve"]."""
    (found,) = re.findall(rf"^{keyword} (\[.*\])$", DOCKERFILE, re.MULTILINE)
    words: list[str] = json.loads(found)
    return words


def test_the_dockerfile_has_no_fault_that_hadolint_knows() -> None:
    says(tool("hadolint"), DEPLOY / "Dockerfile")


@pytest.mark.parametrize("name", COMPOSE)
def test_the_compose_files_follow_the_specification(name: str, tmp_path: Path) -> None:
    # The schema knows no tags; what one takes away is left empty.
    plain = (DEPLOY / name).read_text(encoding="utf-8").replace("!reset ", "")
    (tmp_path / name).write_text(plain, encoding="utf-8")
    says(tool("check-jsonschema"), "--builtin-schema", "vendor.compose-spec", tmp_path / name)


@pytest.mark.parametrize("name", KUBERNETES)
def test_the_kubernetes_manifests_follow_the_api(name: str) -> None:
    says(tool("kubernetes-validate"), "--strict", DEPLOY / name)


def test_nginx_takes_its_configuration(tmp_path: Path) -> None:
    nginx, openssl = tool("nginx"), tool("openssl")
    subject = ("-nodes", "-subj", "/CN=docs.example.org", "-days", "1")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    says(
        openssl,
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        *subject,
        "-keyout",
        key,
        "-out",
        certificate,
    )
    written = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    written = written.replace("/etc/ssl/docs.example.org.pem", str(certificate))
    written = written.replace("/etc/ssl/docs.example.org.key", str(key))
    whole = f"pid {tmp_path}/pid;\nevents {{}}\nhttp {{\n{written}\n}}\n"
    (tmp_path / "nginx.conf").write_text(whole, encoding="utf-8")
    says(nginx, "-t", "-q", "-p", tmp_path, "-e", tmp_path / "log", "-c", tmp_path / "nginx.conf")


def test_systemd_takes_its_unit(tmp_path: Path) -> None:
    analyze = tool("systemd-analyze")
    written = (DEPLOY / "pincite.service").read_text(encoding="utf-8")
    program = "/opt/pincite/bin/pincite"
    unit = tmp_path / "pincite.service"
    unit.write_text(written.replace(program, sys.executable), encoding="utf-8")
    assert program in written
    done = subprocess.run([analyze, "verify", unit], capture_output=True, text=True)
    assert "pincite.service" not in done.stderr, done.stderr


def test_the_image_holds_no_more_than_is_installed() -> None:
    kept = (DEPLOY.parent / ".dockerignore").read_text(encoding="utf-8").split()
    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", DOCKERFILE, re.MULTILINE)
    names = {name for line in copied for name in line.split()}
    assert kept[0] == "*"
    assert {name[1:] for name in kept if name.startswith("!")} == names
    assert all((DEPLOY.parent / name).exists() for name in names)
    assert re.search(r"^USER 10001:10001$", DOCKERFILE, re.MULTILINE)


@pytest.mark.slow
def test_the_command_of_the_image_serves_and_its_health_check_knows(tmp_path: Path) -> None:
    """Port 8765 of the image is another one here, where something else may have it."""
    environment = {"HOME": str(tmp_path), "PINCITE_LIBRARY": str(tmp_path / "library")}
    (tmp_path / "a.txt").write_text("The relief valve opens at 300 kPa.\n")
    refused = run_cli(*in_dockerfile("CMD"), "--port", "0", cwd=tmp_path, **environment)
    assert refused.returncode == 2
    assert "pincite access add" in refused.stderr
    assert run_cli("ingest", "a.txt", cwd=tmp_path, **environment).returncode == 0
    assert run_cli("access", "add", "ana", cwd=tmp_path, **environment).returncode == 0
    program, *arguments = [*in_dockerfile("ENTRYPOINT"), *in_dockerfile("CMD"), "--port", "0"]
    assert program == "pincite"
    server = subprocess.Popen(
        [sys.executable, "-m", program, *arguments],
        cwd=tmp_path,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert server.stdout is not None
        port = next(
            found[1] for line in server.stdout if (found := re.search(r"http://\S+?:(\d+)", line))
        )
        _, *check = [word.replace("8765", port) for word in in_dockerfile("    CMD")]
        deadline = time.monotonic() + 60
        while subprocess.run([sys.executable, *check], stderr=subprocess.DEVNULL).returncode:
            assert time.monotonic() < deadline, "it never became healthy"
            time.sleep(0.2)
    finally:
        server.terminate()
        server.wait(timeout=300)
        if server.stdout is not None:
            server.stdout.close()
