"""Request bodies, and the dependencies that every route needs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Depends, Request
from pydantic import BaseModel, ConfigDict, Field

from pincite.interfaces.http.served import Allowed, Served
from pincite.records.filters import Filters

ConversationNumber = Annotated[int, Field(ge=1, le=2**62)]


class Body(BaseModel):
    """A JSON body; unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class FiltersBody(Body):
    """Restricts the search to part of a collection."""

    documents: list[str] = Field(default=[], description="names, ends of paths, patterns or ids")
    tags: list[str] = []
    sections: list[str] = Field(default=[], description="parts of headings")
    since: str = Field(default="", description="2024-05-31, 2024-05 or 2024")
    until: str = ""

    def filters(self) -> Filters:
        """The filters in the library's own type."""
        return Filters.parse(**self.model_dump())


class Asked(Body):
    """Fields common to all questions."""

    question: str
    collection: str | None = None
    filters: FiltersBody = FiltersBody()
    debug: bool = Field(default=False, description="add the trace of all stages")


class QueryBody(Asked):
    """A question to answer."""

    profile: str = Field(default="", description="settings for one kind of use")
    conversation: ConversationNumber | Literal["new"] | None = None
    stream: bool = Field(default=False, description="server-sent events")


class CountBody(Body):
    """Words to count."""

    words: str
    collection: str | None = None
    filters: FiltersBody = FiltersBody()


class CheckBody(Body):
    """A text whose statements are checked."""

    text: str
    collection: str | None = None
    filters: FiltersBody = FiltersBody()


class BriefBody(Body):
    """A document to summarise, by its name, path or id; `share` of its statements, in 0..1."""

    document: str
    section: str = Field(default="", description="only below headings with these words")
    share: float = Field(default=0.1, gt=0, le=1)


class CompareBody(Body):
    """Two documents, by their names, paths or ids."""

    before: str
    after: str


class TimelineBody(Body):
    """What dates are wanted: those about something, or of some documents."""

    question: str = ""
    collection: str | None = None
    filters: FiltersBody = FiltersBody()


class SearchBody(Asked):
    """A question for which passages are wanted."""

    limit: int | None = Field(default=None, ge=1, le=1000)
    sections: bool = Field(default=False, description="add the whole section of each hit")


def _served(request: Request) -> Served:
    found: Served = request.app.state.served
    return found


def _allowed(request: Request) -> Allowed:
    """The collections that this client may see, as set by the guards; all if they set nothing."""
    found: Allowed = getattr(request.state, "allowed", None)
    return found


Library = Annotated[Served, Depends(_served)]


def _owner(request: Request) -> str:
    """The id of the client's key; empty without one."""
    return str(getattr(request.state, "key_id", ""))


def base_url(request: Request) -> str:
    """This server's URL: `public_url`, or that of the request, whose host was checked."""
    chosen = str(request.app.state.settings.public_url).rstrip("/")
    return chosen or f"{request.url.scheme}://{request.url.netloc}"


BaseUrl = Annotated[str, Depends(base_url)]
MaySee = Annotated[Allowed, Depends(_allowed)]
Owner = Annotated[str, Depends(_owner)]
Reply = dict[str, Any]
