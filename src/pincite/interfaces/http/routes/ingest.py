"""Routes for ingesting files: uploads, or folders on the server that its owner has opened."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field, ValidationError
from starlette.datastructures import FormData, UploadFile

from pincite.errors import UsageError
from pincite.interfaces.http.asked import Body, Library, MaySee, Owner, Reply
from pincite.interfaces.http.jobs import Job
from pincite.interfaces.http.problems import Refused
from pincite.interfaces.http.served import Allowed, Served
from pincite.interfaces.http.uploads import apart, safe_name
from pincite.records.arguments import checked_name

router = APIRouter(prefix="/v1", tags=["ingest"])

_LONGEST_COLLECTION = 100


class IngestBody(Body):
    """A file or folder on the server, inside one of `server.ingest_folders`."""

    path: str = Field(min_length=1)
    collection: str = "default"
    tags: tuple[str, ...] = ()


_BODY = {
    "required": True,
    "content": {
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "required": ["files"],
                "properties": {
                    "files": {"type": "array", "items": {"type": "string", "format": "binary"}},
                    "collection": {"type": "string", "default": "default"},
                    "tags": {"type": "array", "items": {"type": "string"}},
                },
            }
        },
        "application/json": {"schema": IngestBody.model_json_schema()},
    },
}


@router.post(
    "/ingest",
    status_code=HTTPStatus.ACCEPTED,
    openapi_extra={"requestBody": _BODY},
)
async def ingest(request: Request, served: Library, allowed: MaySee, owner: Owner) -> Reply:
    """Ingest files; the reply names a job, whose progress `/v1/jobs/{id}` reports."""
    served.jobs.check_room()
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        settings = request.app.state.settings
        async with request.form(max_files=settings.max_files, max_fields=100) as form:
            uploader = _Uploader(owner, bool(request.state.scopes & {"delete", "admin"}))
            job = await run_sync(_uploaded, form, served, allowed, uploader)
    elif kind == "application/json":
        body = _parsed(await request.body())
        folders = request.app.state.settings.ingest_folders
        job = await run_sync(_of_folder, body, folders, served, allowed)
    else:
        raise Refused(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "expected multipart/form-data with a field 'files', or application/json with a 'path'",
        )
    return job.form()


@router.get("/jobs")
def jobs(served: Library, allowed: MaySee) -> Reply:
    """The ingests that wait or run, oldest first."""
    return {"jobs": [job.form() for job in served.jobs.unfinished(allowed=allowed)]}


@router.get("/jobs/{identity}")
def job(identity: str, served: Library, allowed: MaySee) -> Reply:
    """The progress of an ingest, file by file."""
    return served.jobs.get(identity, allowed=allowed).form()


@dataclass(frozen=True, slots=True)
class _Uploader:
    """Who uploads: the key's id, and whether it may replace the files of others."""

    key: str
    may_replace: bool


def _uploaded(form: FormData, served: Served, allowed: Allowed, uploader: _Uploader) -> Job:
    if unknown := sorted(set(form) - {"files", "collection", "tags"}):
        raise Refused(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"unknown field '{unknown[0][:80]}'; expected: files, collection, tags",
        )
    collection = _collection(form.get("collection", "default"), allowed)
    files = [file for file in form.getlist("files") if isinstance(file, UploadFile)]
    if not files:
        raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, "there is no file in the field 'files'")
    # Check all names before storing anything.
    names = apart(safe_name(file.filename or "") for file in files)
    tags = [str(tag) for tag in form.getlist("tags")]
    kept = [
        (
            name,
            served.uploads.keep(
                collection,
                name,
                file.file,
                owner=uploader.key,
                may_replace=uploader.may_replace,
            ),
        )
        for name, file in zip(names, files, strict=True)
    ]
    return served.jobs.add(kept, collection, tags=tags)


def _of_folder(body: IngestBody, folders: tuple[str, ...], served: Served, allowed: Allowed) -> Job:
    collection = _collection(body.collection, allowed)
    path = _below(body.path, folders)
    return served.jobs.add([(path.name, path)], collection, tags=body.tags)


def _below(given: str, folders: tuple[str, ...]) -> Path:
    """The file or folder at a path inside one of the folders; the error reveals nothing else."""
    for folder in folders:
        top = os.path.realpath(folder)
        try:
            found = Path(os.path.realpath(os.path.join(top, given)))
        except ValueError:  # not a valid path
            break
        if found.is_relative_to(top) and found.exists():
            return found
    raise Refused(
        HTTPStatus.FORBIDDEN,
        "no such file or folder inside those that server.ingest_folders opens to clients",
    )


def _collection(given: Any, allowed: Allowed) -> str:
    collection = checked_name(str(given), "the collection", example="default")
    if len(collection) > _LONGEST_COLLECTION:
        raise UsageError(
            f"the collection is '{collection[:40]}'; give a name of at most {_LONGEST_COLLECTION} "
            "characters"
        )
    if allowed is not None and collection not in allowed:
        raise Refused(
            HTTPStatus.FORBIDDEN, f"this key may not add to the collection '{collection}'"
        )
    return collection


def _parsed(content: bytes) -> IngestBody:
    try:
        return IngestBody.model_validate(json.loads(content))
    except ValidationError as error:
        detail = "; ".join(
            f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:5]
        )
    except (ValueError, RecursionError) as error:
        detail = f"the body is not JSON: {error}"
    raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, detail)
