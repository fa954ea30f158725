"""The OpenAPI document against the server: each operation, with generated requests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from jsonschema import Draft202012Validator
from schemathesis import checks

import erstwhile
from erstwhile.rpc.codec import json_bytes
from erstwhile.servers.http import streams
from erstwhile.servers.http.openapi import openapi_document
from erstwhile.servers.options import LINES
from tests.servers.http_server import http_servers

EXAMPLES = 5
"""The number of requests for each operation."""
_READ_BY_UVICORN = {
    "transfer-encoding", "content-length", "connection", "upgrade", "expect", "host",
}  # fmt: skip
"""Headers whose bad values uvicorn refuses before the application sees the request."""
schema = schemathesis.openapi.from_file(json_bytes(openapi_document()).decode())
schema.config.phases.coverage.enabled = False  # 19,000 requests, which take two minutes


@schemathesis.serializer(LINES)
def lines(_context: object, value: object) -> bytes:
    """Return the body of an import: text that is hardly an export."""
    return str(value).encode("utf-8", "replace")


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[str, dict[str, str]]]:
    """Serve an empty memory, and return its address and the headers of a request."""
    chosen = erstwhile.Settings(tokenizer="estimate", embedder="none")
    longest, streams._LONGEST = streams._LONGEST, 0.05  # a stream that is read to its end
    with erstwhile.open(":memory:", settings=chosen) as memory, http_servers() as servers:
        yield servers.address, {"Authorization": f"Bearer {servers.token(memory)}"}
    streams._LONGEST = longest


@schema.parametrize()
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
def test_an_operation_answers_as_the_document_says(
    case: schemathesis.Case[Any], served: tuple[str, dict[str, str]]
) -> None:
    """No failure of the server, and no status, type or field that the document does not have."""
    address, headers = served
    for name in _READ_BY_UVICORN & {each.lower() for each in case.headers}:
        del case.headers[name]
    case.call_and_validate(
        base_url=address,
        headers=headers,
        checks=[
            checks.not_a_server_error,
            checks.status_code_conformance,
            checks.content_type_conformance,
            checks.response_schema_conformance,
        ],
    )


def test_the_document_has_every_operation() -> None:
    """The streams, too: they are no verbs."""
    paths = openapi_document()["paths"]
    assert {"/v1/events", "/v1/export", "/v1/import", "/v1/facts"} <= set(paths)
    operations = [each["operationId"] for path in paths.values() for each in path.values()]
    assert len(operations) == len(set(operations))


def test_the_examples_fit_their_schemas() -> None:
    """An example is a call that was made once: a field that was added since is missing in it."""
    document = openapi_document()
    contents = [
        content
        for path in document["paths"].values()
        for operation in path.values()
        for part in (operation.get("requestBody", {}), operation["responses"]["200"])
        for content in part.get("content", {}).values()
        if "example" in content
    ]
    for content in contents:
        schema = {**content["schema"], "components": document["components"]}
        Draft202012Validator(schema).validate(content["example"])
    assert len(contents) > 20
