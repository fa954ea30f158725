"""The reference of the HTTP API lists every verb as the table has it."""

from __future__ import annotations

from collections.abc import Iterator

from erstwhile.doors.http.openapi import openapi_document
from erstwhile.wire.verbs import LOCAL_PARAMETERS, LOCAL_VERBS, verbs
from tests.docs.pages import PROJECT

PAGE = PROJECT / "docs" / "reference" / "http.md"


def rows() -> Iterator[str]:
    """Yield the rows as the page should have them."""
    for verb in verbs().values():
        yield f"| `{verb.name}` | `{verb.method} /v1{verb.path}` | {verb.right} |"


def test_the_page_has_every_verb() -> None:
    text = PAGE.read_text("utf-8")
    written = [line for line in text.splitlines() if line.startswith("| `") and "/v1" in line]
    assert written == list(rows())


def test_the_page_says_what_does_not_travel() -> None:
    text = PAGE.read_text("utf-8")
    assert all(f"`{name}`" in text for name in (*LOCAL_VERBS, *LOCAL_PARAMETERS))


def test_the_document_has_every_verb_and_refers_to_nothing_missing() -> None:
    document = openapi_document()
    operations = [each for path in document["paths"].values() for each in path.values()]
    assert {each["operationId"] for each in operations} >= set(verbs())
    components = document["components"]
    for reference in _references(document):
        _, _, kind, name = reference.split("/")
        assert name in components[kind], reference


def _references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(found := value.get("$ref"), str):
            yield found
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _references(each)
