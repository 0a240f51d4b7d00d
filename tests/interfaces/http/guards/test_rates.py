from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from starlette.middleware import Middleware

from interfaces.http.guards.tiny import behind
from pincite.interfaces.http.guards.rates import RATES_FILE, Buckets, RateLimit, address_of


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def buckets(tmp_path: Path, clock: Clock) -> Buckets:
    return Buckets(tmp_path / RATES_FILE, clock)


def test_as_many_as_the_burst_pass_at_once_and_then_one_each_interval(
    buckets: Buckets, clock: Clock
) -> None:
    taken = [buckets.take("ana", per_minute=60, burst=3) for _ in range(4)]
    assert taken[:3] == [0, 0, 0]
    assert taken[3] == pytest.approx(1)
    clock.now += 1
    assert buckets.take("ana", per_minute=60, burst=3) == 0
    assert buckets.take("ana", per_minute=60, burst=3) > 0


def test_one_is_not_limited_by_what_another_does(buckets: Buckets) -> None:
    while not buckets.take("ana", per_minute=60):
        pass
    assert buckets.take("ben", per_minute=60) == 0


def test_a_look_takes_nothing(buckets: Buckets) -> None:
    assert [buckets.wait("ana", per_minute=1, burst=1) for _ in range(3)] == [0, 0, 0]


def test_a_bucket_of_before_the_machine_started_anew_is_forgotten(
    buckets: Buckets, clock: Clock
) -> None:
    clock.now = 900_000
    while not buckets.take("ana", per_minute=60):
        pass
    clock.now = 10
    assert buckets.take("ana", per_minute=60) == 0


def test_processes_share_their_buckets(tmp_path: Path) -> None:
    file = tmp_path / RATES_FILE
    code = (
        "import sys; from pathlib import Path\n"
        "from pincite.interfaces.http.guards.rates import Buckets\n"
        "buckets = Buckets(Path(sys.argv[1]))\n"
        "print(sum(not buckets.take('ana', per_minute=0.5, burst=3) for _ in range(2)))"
    )
    passed = [
        int(
            subprocess.run(
                [sys.executable, "-c", code, file], capture_output=True, check=True
            ).stdout
        )
        for _ in range(3)
    ]
    assert passed == [2, 1, 0]


def test_who_asks_too_often_is_told_when_to_come_back(buckets: Buckets) -> None:
    client = behind(Middleware(RateLimit, buckets=buckets, per_minute=20, name_of=address_of))
    replies = [client.get("/v1/stats") for _ in range(3)]
    assert [reply.status_code for reply in replies] == [200, 200, 429]
    assert replies[2].headers["retry-after"] == "3"
    assert "20 requests a minute" in replies[2].json()["detail"]


def test_all_addresses_of_one_network_of_ipv6_are_one_client() -> None:
    one, other = ({"client": (f"2001:db8:1:2:{end}::1", 1)} for end in (3, 4))
    assert address_of(one) == address_of(other) != address_of({"client": ("2001:db8:1:3::1", 1)})
