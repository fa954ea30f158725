"""Where a memory is: in a file, in a database, or behind a server."""

from __future__ import annotations

from erstwhile.core.errors import RefusedError


def is_server(place: str) -> bool:
    """Return whether a location is the address of a server."""
    # What is no text is refused later, with an error that says so.
    return isinstance(place, str) and place.lower().startswith(("http://", "https://"))


def own_store(place: str) -> str:
    """Return a location whose store can be opened. Raise RefusedError for that of a server."""
    if is_server(place):
        raise RefusedError(
            "this needs the store itself, and a server does not hand it out",
            remedy="do it where the memory is, with its file or its database as the location",
        )
    return place
