from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from end_to_end.disks import fill_up, mount, unmount
from starlette.middleware import Middleware

from interfaces.http.guards.tiny import behind
from pincite.interfaces.http.observing import Metrics, Observed, request_id

TESTS = Path(__file__).parents[2]


def test_a_request_has_an_id_which_a_proxy_may_give() -> None:
    client = behind(Middleware(Observed, metrics=Metrics()))
    assert client.get("/", headers={"X-Request-ID": "abc-1"}).headers["x-request-id"] == "abc-1"
    assert len(client.get("/").headers["x-request-id"]) == 32


@pytest.mark.parametrize("given", ["", "a b", "x" * 65, "a\r\nSet-Cookie: b", "<script>"])
def test_an_id_that_could_do_harm_is_replaced(given: str) -> None:
    assert request_id(given) != given
    assert len(request_id(given)) == 32


def test_numbers_of_two_processes_are_added(tmp_path: Path) -> None:
    code = """
import os, subprocess, sys
from pincite.interfaces.http import observing
if len(sys.argv) == 1:
    observing.prepare_metrics()
    for _ in range(2):
        subprocess.run([sys.executable, __file__, "worker"], check=True)
    print(observing.Metrics().written()[0].decode())
    observing.forget_metrics()
    assert not os.path.exists(os.environ[observing.METRICS_FOLDER])
else:
    metrics = observing.Metrics()
    metrics.answered("/v1/query", "POST", 200, 0.5)
    with metrics.request():
        os._exit(0)  # A process that dies in the middle of a request.
"""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "count.py"
        file.write_text(code)
        done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=True)
    assert 'pincite_requests_total{method="POST",route="/v1/query",status="200"} 2.0' in done.stdout
    assert "pincite_requests_running 1.0" not in done.stdout


@pytest.mark.skipif(not Path("/dev/shm").exists(), reason="this system has no folder in memory")
def test_a_full_temporary_folder_ends_no_process_that_counts(tmp_path: Path) -> None:
    code = """
import sys
from pincite.interfaces.http import observing
observing.prepare_metrics()
metrics = observing.Metrics()
print("ready", flush=True)
sys.stdin.readline()
for number in range(3_000):
    metrics.answered(f"/v1/{number}", "POST", 200, 0.5)
print(len(metrics.written()[0]))
observing.forget_metrics()
"""
    mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", tmp_path)
    try:
        counting = subprocess.Popen(
            [sys.executable, "-c", code],
            env={**os.environ, "TMPDIR": str(tmp_path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert counting.stdout is not None
        assert counting.stdout.readline() == "ready\n"
        fill_up(tmp_path)
        told, _ = counting.communicate("go\n", timeout=300)
    finally:
        unmount(tmp_path)
    assert counting.returncode == 0
    assert int(told) > 100_000


def test_the_log_is_json_with_the_id_of_the_request_and_without_its_question() -> None:
    code = """
from interfaces.http.guards.tiny import behind
from pincite.interfaces.http.observing import *
from starlette.middleware import Middleware
log_as_json()
behind(Middleware(Observed, metrics=Metrics())).get("/a?q=secret", headers={"X-Request-ID": "r1"})
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=TESTS
    )
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    (told,) = [line for line in lines if line["event"] == "request"]
    assert (told["request_id"], told["status"], told["method"]) == ("r1", 200, "GET")
    assert "secret" not in json.dumps(told)


def test_a_span_of_a_request_goes_where_the_user_sends_it() -> None:
    code = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
kept = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(kept))
trace.set_tracer_provider(provider)
from interfaces.http.guards.tiny import behind
from pincite.interfaces.http.observing import *
from starlette.middleware import Middleware
behind(Middleware(Observed, metrics=Metrics())).get("/x")
(span,) = kept.get_finished_spans()
print(span.name, span.attributes["http.response.status_code"], span.attributes["http.route"])
"""
    pytest.importorskip("opentelemetry.sdk")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=TESTS
    )
    assert done.stdout.splitlines()[-1] == "GET request 200 /{path:path}"
