"""The API manual: one HTML page made from the OpenAPI description, without scripts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from typing import Any

from fastapi import APIRouter, Request, Response

from pincite.interfaces.http.page_routes import POLICY

router = APIRouter()

_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
}
_METHODS = ("get", "post", "put", "patch", "delete")

Schema = dict[str, Any]


@router.get("/docs", include_in_schema=False)
def manual(request: Request) -> Response:
    """The manual page: every path with its parameters and body."""
    described: Schema = request.app.openapi()
    body = "\n".join(_page(described))
    return Response(body, media_type="text/html; charset=utf-8", headers=_HEADERS)


def _page(described: Schema) -> Iterator[str]:
    title = escape(f"{described['info']['title']} {described['info']['version']}: the API")
    yield "<!doctype html>"
    yield f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<link rel="stylesheet" href="/page/base.css"></head><body><main>'
    yield f"<h1>{title}</h1>"
    yield f"<p>{escape(described['info'].get('summary', ''))}</p>"
    yield '<p>For programs: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1). Errors are '
    yield "problem objects (RFC 9457): type, title, status, detail, instance, request_id.</p>"
    for path, operations in described["paths"].items():
        for method in _METHODS:
            if method in operations:
                yield from _operation(described, path, method, operations[method])
    yield "</main></body></html>"


def _operation(described: Schema, path: str, method: str, operation: Schema) -> Iterator[str]:
    yield f"<section><h2><code>{method.upper()} {escape(path)}</code></h2>"
    yield f"<p>{escape(str(operation.get('description') or operation.get('summary', '')))}</p>"
    parameters = operation.get("parameters", [])
    if parameters:
        yield "<ul>"
        for one in parameters:
            kind = _in_words(described, one.get("schema", {}))
            yield f"<li><code>{escape(one['name'])}</code> ({escape(one['in'])}): {escape(kind)}</li>"
        yield "</ul>"
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        yield f"<h3>Body: {escape(kind)}</h3>"
        yield from _fields(described, content.get("schema", {}))
    yield "</section>"


def _fields(described: Schema, schema: Schema) -> Iterator[str]:
    schema = _followed(described, schema)
    required = schema.get("required", [])
    yield "<ul>"
    for name, one in schema.get("properties", {}).items():
        text = _in_words(described, one)
        needed = ", required" if name in required else ""
        yield f"<li><code>{escape(name)}</code>: {escape(text + needed)}</li>"
    yield "</ul>"


def _in_words(described: Schema, schema: Schema) -> str:
    """A value's type, limits, default and description."""
    choices = schema.get("anyOf", [])
    kinds = [_kind(_followed(described, one)) for one in choices] or [
        _kind(_followed(described, schema))
    ]
    limits = [
        f"{name} {schema[name]}"
        for name in ("minimum", "maximum", "minLength", "maxLength")
        if name in schema
    ]
    given = [f"default {json.dumps(schema['default'])}"] if "default" in schema else []
    purpose = [schema["description"]] if "description" in schema else []
    return "; ".join([" or ".join(kinds), *limits, *given, *purpose])


def _kind(schema: Schema) -> str:
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(map(json.dumps, schema["enum"]))
    if schema.get("type") == "object" and "properties" in schema:
        return f"object with {', '.join(schema['properties'])}"
    return str(schema.get("type", "anything"))


def _followed(described: Schema, schema: Schema) -> Schema:
    """The schema with its reference resolved."""
    reference = schema.get("$ref", "")
    if not reference:
        return schema
    found = described
    for part in reference.removeprefix("#/").split("/"):
        found = found[part]
    return found
