"""A web service that remembers for each user: `uvicorn fastapi_app:app`."""

from __future__ import annotations

import os
from typing import Annotated

from fastapi import Depends, FastAPI, Header, HTTPException

import erstwhile
from erstwhile.types import Fact, Page, RecallHits

memory = erstwhile.open(os.environ.get("MEMORY", "service.db"))
app = FastAPI(title="Notes that remember")


def own_memory(user: Annotated[str, Header()]) -> erstwhile.Memory:
    """Return the memory of the user. A real service takes the name from its authentication."""
    return memory.scoped(user=user)


Own = Annotated[erstwhile.Memory, Depends(own_memory)]


@app.post("/notes")
def add(text: str, own: Own) -> Fact:
    return own.remember(text)


@app.get("/notes")
def notes(own: Own, cursor: str | None = None) -> Page[Fact]:
    return own.facts.list(cursor=cursor)


@app.get("/search")
def search(query: str, own: Own) -> RecallHits:
    try:
        return own.recall(query)
    except erstwhile.InvalidInputError as error:
        raise HTTPException(422, str(error)) from error
