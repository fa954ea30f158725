"""The reference of the HTTP API, for everybody: its OpenAPI document, and a page that renders it.

The document is made from the table of verbs and Python types. Neither needs a token, and neither
knows anything about a memory. The page loads nothing from elsewhere. The files are read once and
served from memory.
"""

from __future__ import annotations

import gzip
import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from functools import cache
from importlib.resources import files
from typing import Any, get_args, get_origin

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from erstwhile import __version__
from erstwhile.core.public_record import optional_in, to_json
from erstwhile.core.verb_help import declared_doc
from erstwhile.operations.results import Imported
from erstwhile.rpc.codec import LISTS, NOT_JSON, UNIONS, derived_of, fields_of, json_bytes
from erstwhile.rpc.verbs import (
    VERSION,
    Verb,
    VerbParameter,
    bounds_of,
    describe_field,
    describe_parameter,
    field_bounds,
    max_items,
    verbs,
)
from erstwhile.servers.options import JSON

_KEY = "Idempotency-Key"
_PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
    "Vary": "Accept-Encoding",
}
_SCALARS: Mapping[Any, Mapping[str, Any]] = {
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
    """Return the OpenAPI document: `openapi.json` with the verbs and their types."""
    document, schemas = _read_json("openapi.json"), _Schemas()
    components = document["components"]
    headers = [name for name in components["parameters"] if name != "If-Match"]
    paths: dict[str, Any] = {}
    for verb in verbs().values():
        operation = _operation(verb, schemas)
        operation["parameters"] += [
            _reference("parameters", name) for name in headers if name != _KEY or not verb.reads
        ]
        if "version" in verb.marks:
            operation["parameters"].append(_reference("parameters", "If-Match"))
        operation["responses"] |= {
            code: _reference("responses", code) for code in components["responses"]
        }
        paths.setdefault(f"/{VERSION}{verb.path}", {})[verb.method.lower()] = operation
    schemas.of(Imported, given=False)  # of an import, which is no verb
    components["schemas"] |= schemas.named
    document["info"]["version"] = __version__
    return {**document, "paths": {**paths, **document["paths"]}}


class _Schemas:
    """JSON schemas of types. Each record is a named component."""

    def __init__(self) -> None:
        self.named: dict[str, Any] = {}

    def of(self, hint: Any, *, given: bool) -> dict[str, Any]:
        """Return the schema of a type; `given` for an argument, which may lack defaults."""
        origin, parts = get_origin(hint) or hint, get_args(hint)
        if hint in (int, float) and not given:  # the bounds are those of what is stored
            return {"type": _SCALARS[hint]["type"]}
        if hint in _SCALARS:
            return dict(_SCALARS[hint])
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
        sent = [each for each in hints if (get_origin(each) or each) not in NOT_JSON]
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
            known = known if given else {**known, **derived_of(kind)}
            self.named[name] = {
                "type": "object",
                "description": (inspect.getdoc(kind) or "").partition("\n\n")[0],
                "properties": {
                    each: self._field(kind, each, part, given) for each, part in known.items()
                },
                "required": sorted(needed if given else known.keys() - optional_in(kind)),
                "additionalProperties": not given,
            }
        return {"$ref": f"#/components/schemas/{name}"}

    def _field(self, kind: type, name: str, hint: Any, given: bool) -> dict[str, Any]:
        schema = _bounded(self.of(hint, given=given), field_bounds(name))
        return {"description": describe_field(kind, name), **schema}


def _bounded(schema: dict[str, Any], bounds: tuple[float, float] | None) -> dict[str, Any]:
    """Return the schema of a number, or of a choice with numbers, with bounds."""
    if "anyOf" in schema:
        return {**schema, "anyOf": [_bounded(each, bounds) for each in schema["anyOf"]]}
    if bounds is None or schema.get("type") not in ("integer", "number"):
        return schema
    return {**schema, "minimum": bounds[0], "maximum": bounds[1]}


def _operation(verb: Verb, schemas: _Schemas) -> dict[str, Any]:
    summary, _, rest = declared_doc(verb.function).partition("\n\n")
    content: dict[str, Any] = {"schema": schemas.of(verb.result, given=False)}
    example = _read_json("examples.json").get(verb.name, {})
    if example:
        content["example"] = example["answer"]
    operation: dict[str, Any] = {
        "operationId": verb.name,
        "summary": " ".join(summary.split()),
        "description": " ".join(rest.split()),
        "tags": [verb.collection or "memory"],
        "x-right": verb.right,
        "parameters": list(_parameters(verb, schemas, example)),
        "responses": {"200": {"description": "The result.", "content": {JSON: content}}},
    }
    if verb.has_body:
        given = {name: each for name, each in verb.parameters.items() if name not in verb.in_path}
        required = [name for name, each in given.items() if each.required]
        properties = {name: _described(verb, each, schemas) for name, each in given.items()}
        schema = {"type": "object", "properties": properties, "required": required,
                  "additionalProperties": False}  # fmt: skip
        body = {"schema": schema, **({"example": example["arguments"]} if example else {})}
        operation["requestBody"] = {"required": bool(required), "content": {JSON: body}}
    return operation


def _parameter_schema(verb: Verb, parameter: VerbParameter, schemas: _Schemas) -> dict[str, Any]:
    bounds = bounds_of(verb.name, parameter.name)
    schema = _bounded(schemas.of(parameter.hint, given=True), bounds)
    if schema.get("type") == "array":
        schema = {**schema, "maxItems": max_items(verb.name, parameter.name)}
    if parameter.default is not None:
        return {**schema, "default": to_json(parameter.default)}
    return schema


def _described(verb: Verb, parameter: VerbParameter, schemas: _Schemas) -> dict[str, Any]:
    description = describe_parameter(verb.name, parameter.name)
    return {"description": description, **_parameter_schema(verb, parameter, schemas)}


def _parameters(
    verb: Verb, schemas: _Schemas, example: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    shown = {**example.get("path", {}), **example.get("arguments", {})}
    for name, each in verb.parameters.items():
        schema = _parameter_schema(verb, each, schemas)
        usual = {"name": name, "description": describe_parameter(verb.name, name)}
        if name in shown:
            usual["example"] = shown[name]
        if name in verb.in_path:
            yield {**usual, "in": "path", "required": True, "schema": schema}
        elif not verb.has_body:
            schema = _without_null(schema)
            yield {**usual, "in": "query", "required": each.required, "schema": schema}


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without null: a query parameter is left out instead."""
    left = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    return left[0] if len(left) == 1 else {**schema, **({"anyOf": left} if left else {})}


def _reference(kind: str, name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/{kind}/{name}"}


def docs_routes() -> list[Route]:
    """Return the routes of the document and of the page."""
    return [
        _route(f"/{VERSION}/openapi.json", JSON, lambda: json_bytes(to_json(openapi_document()))),
        _route("/docs", "text/html", lambda: _read("docs_page/page.html")),
        _route("/docs/page.css", "text/css", lambda: _read("docs_page/page.css")),
        _route("/docs/page.js", "text/javascript", lambda: _read("docs_page/page.js")),
    ]


def _route(path: str, media_type: str, read: Callable[[], bytes]) -> Route:
    @cache
    def contents() -> tuple[bytes, bytes]:
        content = read()
        return content, gzip.compress(content)

    async def respond(request: Request) -> Response:
        plain, packed = await run_sync(contents)
        is_packed = "gzip" in request.headers.get("accept-encoding", "")
        headers = {**_PAGE_HEADERS, **({"Content-Encoding": "gzip"} if is_packed else {})}
        return Response(packed if is_packed else plain, media_type=media_type, headers=headers)

    return Route(path, respond)


def _read(name: str) -> bytes:
    """Return the content of a file beside this module."""
    return files(__package__).joinpath(name).read_bytes()


@cache
def _read_json(name: str) -> Any:
    return json.loads(_read(name))
