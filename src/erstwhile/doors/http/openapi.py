"""The OpenAPI document of the HTTP API, made from the table of verbs and the types of Python."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from functools import cache
from importlib.resources import files
from typing import Any, get_args, get_origin

from erstwhile import __version__
from erstwhile.core.scope import DIMENSIONS
from erstwhile.doors.http.own_paths import own_paths
from erstwhile.exports.importing import Imported
from erstwhile.wire.decoding import LISTS, UNIONS, UNSENT, fields_of
from erstwhile.wire.encoding import encoded_result
from erstwhile.wire.problems import PROBLEM
from erstwhile.wire.verbs import VERSION, WireParameter, WireVerb, verbs

_JSON = "application/json"
_KEY = "Idempotency-Key"
_REFUSED = {
    "400": "The request cannot be read.",
    "401": "A token is missing, or not valid.",
    "403": "The token may not do this, or the scope is another one.",
    "404": "No such record is visible.",
    "409": "It contradicts the stored data, or the same request is under way.",
    "410": "A part of the history that it needs was destroyed.",
    "412": "The block has another version than If-Match says.",
    "413": "A text or the body is too large.",
    "415": "The body is not JSON.",
    "422": "An argument is wrong.",
    "429": "The token is used too often.",
    "500": "The store cannot be read or written.",
    "502": "The language model gave no usable answer.",
    "503": "The store is busy, or cannot be reached: try again.",
}
_PLAIN: Mapping[Any, Mapping[str, Any]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer", "minimum": -(2**63) + 1, "maximum": 2**63 - 1},
    float: {"type": "number", "minimum": -(2**63), "maximum": 2**63},
    datetime: {"type": "string", "format": "date-time"},
    date: {"type": "string", "format": "date"},
    timedelta: {"type": "string", "pattern": r"^-?PT\d{1,12}(\.\d{1,6})?S$"},
    Decimal: {"type": "string", "pattern": r"^-?\d+(\.\d+)?$"},
    type(None): {"type": "null"},
    Any: {},
}


@cache
def openapi_document() -> Mapping[str, Any]:
    """Return the document."""
    schemas = _Schemas()
    paths: dict[str, Any] = {}
    for verb in verbs().values():
        paths.setdefault(f"/{VERSION}{verb.path}", {})[verb.method.lower()] = _operation(
            verb, schemas
        )
    references = {code: _reference("responses", code) for code in _REFUSED}
    narrowing = [_reference("parameters", name) for name in _HEADERS if name != _KEY]
    paths |= own_paths(narrowing, schemas.of(Imported, given=False), references)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Erstwhile",
            "version": __version__,
            "description": "Long-term memory for AI agents: every verb of a memory.",
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "parameters": dict(_headers()),
            "responses": {code: _problem(text) for code, text in _REFUSED.items()},
            "schemas": {"Problem": _PROBLEM_SCHEMA, **schemas.named},
        },
    }


_PROBLEM_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What is wrong."},
        "code": {"type": "string", "description": "The kind of the error, as in Python."},
        "remedy": {"type": "string", "description": "What to do."},
    },
}


class _Schemas:
    """The schemas of types. A record has a name, and is written once."""

    def __init__(self) -> None:
        self.named: dict[str, Any] = {}

    def of(self, hint: Any, *, given: bool) -> dict[str, Any]:
        """Return the schema of a type; `given` for an argument, which may lack defaults."""
        origin, parts = get_origin(hint) or hint, get_args(hint)
        if hint in _PLAIN:
            return dict(_PLAIN[hint])
        if origin in UNIONS:
            return self._one_of(parts, given)
        if origin is tuple and parts[-1] is not Ellipsis:
            several = [self.of(each, given=given) for each in parts]
            return {"type": "array", "prefixItems": several, "minItems": len(parts),
                    "maxItems": len(parts)}  # fmt: skip
        if origin in LISTS or origin is tuple:
            return {"type": "array", "items": self.of(parts[0], given=given)}
        if origin is dict or not isinstance(origin, type) or hasattr(origin, "keys"):
            values = self.of(parts[1], given=given) if parts else {}
            return {"type": "object", "additionalProperties": values}
        if issubclass(origin, Enum):
            return {"type": "string", "enum": [each.value for each in origin]}
        return self._record(hint, origin, given)

    def _one_of(self, hints: tuple[Any, ...], given: bool) -> dict[str, Any]:
        sent = [each for each in hints if (get_origin(each) or each) not in UNSENT]
        if given:
            sent = [each for each in sent if not hasattr(each, "_fields")]
        if str in sent:  # a text that is no time or kind is refused, or understood, by the verb
            kinds = [each for each in sent if isinstance(each, type) and issubclass(each, Enum)]
            if kinds:
                sent = [each for each in sent if each is not str]
            sent = [each for each in sent if each not in (datetime, date, timedelta, Decimal)]
        several = [self.of(each, given=given) for each in sent]
        return several[0] if len(several) == 1 else {"anyOf": several}

    def _record(self, hint: Any, kind: type, given: bool) -> dict[str, Any]:
        inner = "".join(part.__name__ for part in get_args(hint) if isinstance(part, type))
        name = f"{kind.__name__}{'Of' + inner if inner else ''}{'Input' if given else ''}"
        if name not in self.named:
            self.named[name] = {}  # a record may hold records of its own type
            known, needed = fields_of(hint)
            self.named[name] = {
                "type": "object",
                "description": (inspect.getdoc(kind) or "").partition("\n\n")[0],
                "properties": {each: self.of(part, given=given) for each, part in known.items()},
                "required": sorted(needed if given else known),
                "additionalProperties": not given,
            }
        return {"$ref": f"#/components/schemas/{name}"}


def _operation(verb: WireVerb, schemas: _Schemas) -> dict[str, Any]:
    summary, _, rest = (inspect.getdoc(verb.function) or "").partition("\n\n")
    content: dict[str, Any] = {"schema": schemas.of(verb.result, given=False)}
    example = _examples().get(verb.name)
    if example is not None:
        content["example"] = example["answer"]
    operation: dict[str, Any] = {
        "operationId": verb.name,
        "summary": " ".join(summary.split()),
        "description": " ".join(rest.split()),
        "tags": [verb.collection or "memory"],
        "x-right": verb.right,
        "parameters": list(_parameters(verb, schemas)),
        "responses": {
            "200": {"description": "The result.", "content": {_JSON: content}},
            **{code: _reference("responses", code) for code in _REFUSED},
        },
    }
    if verb.has_body:
        body = {"schema": _body(verb, schemas)}
        if example is not None:
            body["example"] = example["arguments"]
        operation["requestBody"] = {"required": _needs_body(verb), "content": {_JSON: body}}
    return operation


def _needs_body(verb: WireVerb) -> bool:
    return any(each.required for name, each in verb.parameters.items() if name not in verb.in_path)


def _body(verb: WireVerb, schemas: _Schemas) -> dict[str, Any]:
    given = {name: each for name, each in verb.parameters.items() if name not in verb.in_path}
    return {
        "type": "object",
        "properties": {name: _parameter_schema(each, schemas) for name, each in given.items()},
        "required": [name for name, each in given.items() if each.required],
        "additionalProperties": False,
    }


def _parameter_schema(parameter: WireParameter, schemas: _Schemas) -> dict[str, Any]:
    schema = schemas.of(parameter.hint, given=True)
    if parameter.many:
        return {"type": "array", "items": schema}
    if parameter.default is not None:
        return {**schema, "default": encoded_result(parameter.default)}
    return schema


def _parameters(verb: WireVerb, schemas: _Schemas) -> Iterator[dict[str, Any]]:
    for name, each in verb.parameters.items():
        schema = _parameter_schema(each, schemas)
        if name in verb.in_path:
            yield {"name": name, "in": "path", "required": True, "schema": schema}
        elif not verb.has_body:
            schema = _without_null(schema)
            yield {"name": name, "in": "query", "required": each.required, "schema": schema}
    for name in _HEADERS:
        if name != _KEY or not verb.reads:
            yield _reference("parameters", name)
    if "version" in verb.marks:
        yield _reference("parameters", "If-Match")


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a value in a query, which is left out instead of null."""
    left = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    return left[0] if len(left) == 1 else {**schema, **({"anyOf": left} if left else {})}


_HEADERS: Mapping[str, str] = {
    **{
        f"Erstwhile-{name.capitalize()}": f"Narrows the scope to a {name}, percent-encoded."
        for name in DIMENSIONS
    },
    "Erstwhile-Actor": "Who acts, for the audit trail, after the name of the token.",
    _KEY: "A key of your own: a repeated request with it changes nothing.",
}


def _headers() -> Iterator[tuple[str, Any]]:
    text = {"type": "string", "pattern": r"^[A-Za-z0-9_.~-]{1,100}$"}
    for name, description in _HEADERS.items():
        yield name, {"name": name, "in": "header", "description": description, "schema": text}
    yield (
        "If-Match",
        {
            "name": "If-Match",
            "in": "header",
            "description": "The ETag of the version that is changed.",
            "schema": {"type": "string", "pattern": '^"[0-9]{1,9}"$'},
        },
    )


def _reference(kind: str, name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/{kind}/{name}"}


def _problem(description: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": description, "content": {PROBLEM: {"schema": schema}}}


@cache
def _examples() -> Mapping[str, Any]:
    """Return real calls with their answers, by the name of the verb."""
    text = files(__package__).joinpath("examples.json").read_text("utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found
