from __future__ import annotations

from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response

from interfaces.http.guards.tiny import behind
from pincite.interfaces.http.guards.origins import CONTENT_SECURITY_POLICY, SecurityHeaders


async def careless(request: Request) -> Response:
    del request
    headers = {"Content-Security-Policy": "default-src *", "Cache-Control": "max-age=60"}
    return Response("<script>", media_type="text/html", headers=headers)


def test_every_reply_tells_the_browser_what_it_may_do_whatever_the_route_says() -> None:
    found = behind(Middleware(SecurityHeaders), endpoint=careless).get("/").headers
    assert found.get_list("content-security-policy") == [CONTENT_SECURITY_POLICY]
    assert "default-src 'none'" in CONTENT_SECURITY_POLICY
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    assert found["x-content-type-options"] == "nosniff"
    assert found["x-frame-options"] == "DENY"
    assert found["referrer-policy"] == "no-referrer"
    assert found["cache-control"] == "max-age=60"


def test_answers_are_kept_by_no_proxy() -> None:
    assert behind(Middleware(SecurityHeaders)).get("/").headers["cache-control"] == "no-store"
