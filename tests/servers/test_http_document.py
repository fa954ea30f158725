"""The OpenAPI document against the server: each operation, with generated requests."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args
from urllib.parse import quote, urlencode

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from jsonschema import Draft202012Validator
from schemathesis import checks

import erstwhile
from erstwhile.memory import Memory
from erstwhile.rpc.codec import json_bytes
from erstwhile.rpc.verbs import bounds_of, verbs
from erstwhile.servers.http import openapi, streams
from erstwhile.servers.http.openapi import openapi_document
from erstwhile.servers.options import LINES
from tests.servers.http_server import http_servers, send

EXAMPLES_FILE = Path(openapi.__file__).with_name("examples.json")
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
    longest, streams._MAX_SECONDS = streams._MAX_SECONDS, 0.05  # a stream that is read to its end
    with erstwhile.open(":memory:", settings=chosen) as memory, http_servers() as servers:
        yield servers.address, {"Authorization": f"Bearer {servers.token(memory)}"}
    streams._MAX_SECONDS = longest


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


def operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in openapi_document()["paths"].values():
        for operation in path.values():
            yield operation["operationId"], operation


def test_every_operation_has_an_example_that_fits_its_schema() -> None:
    """An example is a call that was made once: a field that was added since is missing in it."""
    components = openapi_document()["components"]
    for name, operation in operations():
        parts = [operation["responses"]["200"]]
        if "requestBody" in operation:
            parts.append(operation["requestBody"])
        for content in (each for part in parts for each in part["content"].values()):
            assert "example" in content, name
            schema = {**content["schema"], "components": components}
            Draft202012Validator(schema).validate(content["example"])
        for each in operation.get("parameters", ()):
            if each.get("in") == "path":
                assert each["example"], name


def test_every_parameter_and_every_field_is_described() -> None:
    components = openapi_document()["components"]
    described = {
        f"{name} {field}": part
        for name, schema in components["schemas"].items()
        for field, part in schema["properties"].items()
    }
    for name, operation in operations():
        assert operation["summary"], name
        described |= {
            f"{name} {p['name']}": p for p in operation.get("parameters", ()) if "name" in p
        }
        for content in operation.get("requestBody", {}).get("content", {}).values():
            fields = content["schema"].get("properties", {})
            described |= {f"{name} {field}": part for field, part in fields.items()}
    assert [name for name, part in described.items() if not part.get("description")] == []


def test_the_bounds_of_the_document_are_those_of_the_server(
    served: tuple[str, dict[str, str]],
) -> None:
    """Every number of a verb has a bound, and the next number beyond it is refused."""
    address, headers = served
    examples = json.loads(EXAMPLES_FILE.read_text("utf-8"))
    port = int(address.rpartition(":")[2])
    for verb in verbs().values():
        for name, parameter in verb.parameters.items():
            if not {int, float} & {parameter.hint, *get_args(parameter.hint)}:
                continue
            bounds = bounds_of(verb.name, name)
            assert bounds, (verb.name, name)
            path = verb.path.format(**{n: quote(v) for n, v in examples[verb.name]["path"].items()})
            for value in (bounds[0] - 1, bounds[1] + 1):
                given = {**examples[verb.name]["arguments"], name: value}
                query = "" if verb.has_body else "?" + urlencode(given, doseq=True)
                answer = send(port, verb.method, f"/v1{path}{query}", headers,
                              given if verb.has_body else None)  # fmt: skip
                assert answer.status == 422, (verb.name, name, value, answer.text)
    [confidence] = [
        part for part in openapi_document()["components"]["schemas"]["Fact"]["properties"].items()
        if part[0] == "confidence"
    ]  # fmt: skip
    assert (confidence[1]["minimum"], confidence[1]["maximum"]) == (0, 1)


def test_no_get_changes_anything() -> None:
    """Also a read of a store that many read: such a request may be repeated and cached."""
    chosen = erstwhile.Settings(tokenizer="estimate", embedder="none")
    with erstwhile.open(":memory:", settings=chosen) as memory:
        ana = memory.scoped(user="ana")
        for name in ("remember", "blocks.add", "tasks.add", "facts.set"):
            verb = verbs()[name]
            verb.call(ana, json.loads(EXAMPLES_FILE.read_text("utf-8"))[name]["arguments"])
        changes: list[str] = []
        for verb in (each for each in verbs().values() if each.method == "GET"):
            view = Memory(
                ana._access.accompanied(lambda _, name=verb.name: changes.append(name)),  # type: ignore[misc]
                ana._services,
            )
            example = json.loads(EXAMPLES_FILE.read_text("utf-8"))[verb.name]
            with suppress(erstwhile.ErstwhileError):
                verb.call(view, {**example["path"], **example["arguments"]})
        assert changes == []


def test_the_reference_needs_no_token_and_loads_nothing_from_elsewhere(
    served: tuple[str, dict[str, str]],
) -> None:
    port = int(served[0].rpartition(":")[2])
    document = send(port, "GET", "/v1/openapi.json", {"Accept-Encoding": "gzip"})
    assert json.loads(gzip.decompress(document.body)) == openapi_document()
    page = send(port, "GET", "/docs")
    policy = page.headers["content-security-policy"]
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'; script-src 'self'" in policy
    assert "unsafe" not in policy
    texts = [page.text]
    for name in re.findall(r'(?:src|href)="(docs/[^"]+)"', page.text):
        texts.append(send(port, "GET", f"/{name}").text)
    assert len(texts) == 3
    assert not re.search(r"https?://|innerHTML|<style|<script>|\son\w+=", "".join(texts))
