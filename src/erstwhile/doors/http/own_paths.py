"""The paths of the OpenAPI document that are no verbs: who asks, the document, and streams."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from erstwhile.doors.http.endpoints import LINES
from erstwhile.doors.http.events import KIND as EVENTS
from erstwhile.doors.http.messages import JSON
from erstwhile.wire.verbs import VERSION

_GATE = ("400", "401", "403", "413", "429", "503")
_STORE = (*_GATE, "409", "422", "500")
_TEXT: Mapping[str, Any] = {"type": "string"}
_EVENTS: Mapping[str, Any] = {
    "description": "Events `change`, whose `data` is an entry of the audit trail, and `reset`."
}
_LAST = {
    "name": "Last-Event-ID",
    "in": "header",
    "description": "The id of the last event that the client has: the stream goes on after it.",
    "schema": {"type": "string", "format": "date-time"},
}


def own_paths(
    headers: list[dict[str, Any]], imported: Mapping[str, Any], refused: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the paths. All narrow the scope by the same headers as verbs do, but for an import.

    `imported` is the schema of what an import tells, and `refused` has a problem for each status.
    """

    def operation(
        name: str, summary: str, kind: str, schema: Mapping[str, Any], codes: tuple[str, ...]
    ) -> dict[str, Any]:
        found = {"description": summary, "content": {kind: {"schema": schema}}}
        problems = {code: refused[code] for code in codes}
        return {"operationId": name, "summary": summary, "tags": ["server"],
                "responses": {"200": found, **problems}}  # fmt: skip

    about = operation("about", "What the token opens and allows.", JSON, _ABOUT, _GATE)
    document = operation("openapi", "This document.", JSON, {"type": "object"}, _GATE)
    events = operation("events", "The changes in the scope, as they come.", EVENTS, _EVENTS, _STORE)
    export = operation("export", "The scope, with all narrower ones.", LINES, _TEXT, _STORE)
    taken = operation("import", "Take in an export.", JSON, imported, (*_STORE, "415"))
    taken["requestBody"] = {"required": True, "content": {LINES: {"schema": _TEXT}}}
    return {
        f"/{VERSION}": {"get": about},
        f"/{VERSION}/openapi.json": {"get": document},
        f"/{VERSION}/events": {"get": {**events, "parameters": [*headers, _LAST]}},
        f"/{VERSION}/export": {"get": {**export, "x-right": "admin", "parameters": headers}},
        f"/{VERSION}/import": {"post": {**taken, "x-right": "admin", "x-person": True}},
    }


_ABOUT: Mapping[str, Any] = {
    "type": "object",
    "required": ["version", "token", "scope", "right", "person"],
    "properties": {
        "version": _TEXT,
        "token": {"type": "string", "description": "The name of the token."},
        "scope": {"$ref": "#/components/schemas/Scope"},
        "right": {"enum": ["read", "write", "admin"]},
        "person": {"type": "boolean", "description": "Whether its holder speaks for people."},
    },
}
