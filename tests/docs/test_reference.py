"""Tests that the reference describes every name, verb, setting, error, limit and command."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields
from enum import StrEnum
from typing import Any

import pytest

import erstwhile
from erstwhile import ErstwhileError, Memory, Settings
from erstwhile.cli.exit_codes import code_of
from erstwhile.core.verb_help import declared_signature
from erstwhile.facts import draft
from erstwhile.rpc.verbs import LOCAL_PARAMETERS, LOCAL_VERBS, verbs
from erstwhile.servers.http.openapi import openapi_document
from tests.docs.pages import PROJECT
from tests.surface import collections_of

REFERENCE = PROJECT / "docs" / "reference"
PYTHON = "\n".join(
    page.read_text("utf-8")
    for page in sorted(REFERENCE.glob("*.md"))
    if page.stem not in ("cli", "errors", "limits", "settings")
)
COMMON = ("add", "get", "list", "count", "delete", "restore", "erase", "purge")
"""Verbs with the same meaning in every collection. They have a column each in verbs.md."""


def _methods(kind: type) -> dict[str, Callable[..., Any]]:
    found = inspect.getmembers(kind, inspect.isfunction)
    return {name: method for name, method in found if not name.startswith("_")}


with erstwhile.open(":memory:", embedder="none") as _memory:
    COLLECTIONS = {name: _methods(type(each)) for name, each in collections_of(_memory).items()}
METHODS = {
    f"{name}.{method}": function
    for name, methods in {"memory": _methods(Memory), **COLLECTIONS}.items()
    for method, function in methods.items()
}
PUBLIC: dict[str, Any] = {
    name: getattr(module, name)
    for module in (erstwhile, erstwhile.types)
    for name in module.__all__
}


def _page(name: str) -> str:
    return (REFERENCE / name).read_text("utf-8")


def _signature(function: Callable[..., Any]) -> str:
    signature = declared_signature(function)
    own = [each for each in signature.parameters.values() if each.name != "self"]
    bare = [each.replace(annotation=each.empty) for each in own]
    return str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))


def _sections(reference: str) -> dict[str, str]:
    """Return the text under each heading, up to the next heading."""
    _, *parts = re.split(r"^#+ (.*)$", reference, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_every_public_name_is_described() -> None:
    """Look for errors on their own page, and for other names on the pages about Python."""
    for name, value in PUBLIC.items():
        is_error = isinstance(value, type) and issubclass(value, ErstwhileError)
        assert re.search(rf"`{name}[`(]", _page("errors.md") if is_error else PYTHON), name


@pytest.mark.parametrize(
    ("name", "function"), {**METHODS, "open": erstwhile.open}.items(), ids=[*METHODS, "open"]
)
def test_every_method_is_described_with_its_exact_signature(
    name: str, function: Callable[..., Any]
) -> None:
    assert f"### `{name}{_signature(function)}`" in PYTHON


def test_every_field_of_every_record_is_described() -> None:
    """Look for the names of fields and properties in the section of the record."""
    sections = _sections(PYTHON)
    for record in (each for each in PUBLIC.values() if hasattr(each, "__dataclass_fields__")):
        if record in (erstwhile.Settings, erstwhile.Draft):
            continue
        names = {field.name for field in fields(record)}
        names |= {name for name, part in vars(record).items() if isinstance(part, property)}
        section = sections[f"`{record.__name__}`"]
        assert not [name for name in names if f"`{name}`" not in section], record


def test_every_word_of_a_vocabulary_is_described() -> None:
    for each in PUBLIC.values():
        if isinstance(each, type) and issubclass(each, StrEnum):
            words = ", ".join(f"`{word}`" for word in each)
            assert f"| `{each.__name__}` | {words} |" in PYTHON


def test_every_detail_of_a_new_fact_is_described() -> None:
    section = _sections(PYTHON)["Details of a new fact"]
    assert not [name for name in draft.DETAILS if f"| `{name}` |" not in section]


@pytest.mark.parametrize("field", fields(Settings), ids=lambda field: field.name)
def test_every_setting_is_described(field: Any) -> None:
    """Look for the row with the variable and the default."""
    default = str(field.default) if field.default is None else repr(field.default)
    row = f"| `{field.name}` | `ERSTWHILE_{field.name.upper()}` | `{default}` |".replace("'", '"')
    assert row in _page("settings.md")


def _errors(kind: type[ErstwhileError] = ErstwhileError) -> Iterator[type[ErstwhileError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _errors(below)


@pytest.mark.parametrize("error", list(_errors()))
def test_every_error_is_described_with_its_code_and_exit_code(error: type[ErstwhileError]) -> None:
    failure = error.__new__(error)  # its own constructor may need more arguments
    ErstwhileError.__init__(failure, "it failed")

    def fail() -> None:
        raise failure

    row = f"| `{error.__name__}` | `{error.code}` | {code_of(fail, as_json=True)} |"
    assert row in _page("errors.md")


def test_the_limits_are_the_ones_in_the_code() -> None:
    """Look for the value of every constant MAX_…; MAX_TERMS is internal to the search index."""
    page = _page("limits.md")
    for file in (PROJECT / "src").rglob("*.py"):
        source = file.read_text("utf-8")
        for name, value in re.findall(r"^(MAX_\w+)\b[^=\n]*= ([\d_]+)$", source, re.MULTILINE):
            assert name == "MAX_TERMS" or f"{int(value):,}" in page, (file.name, name)
    assert f"| settings | {len(fields(Settings))} |" in page


def test_the_page_of_the_command_line_is_generated() -> None:
    command = [sys.executable, "scripts/generate_cli_reference.py", "--check"]
    subprocess.run(command, cwd=PROJECT, check=True, timeout=300)


def verb_table() -> str:
    """Return the table of verbs.md."""
    head = f"| collection | {' | '.join(COMMON)} | other verbs |"
    lines = [head, "|---" * (len(COMMON) + 2) + "|"]
    for name, methods in COLLECTIONS.items():
        marks = ["✓" if verb in methods else "" for verb in COMMON]
        others = ", ".join(f"`{verb}`" for verb in methods if verb not in COMMON)
        lines.append(" | ".join([f"| `{name}`", *marks, f"{others} |"]))
    return "\n".join(lines)


def test_the_table_of_verbs_is_complete() -> None:
    """Print the right one with: python -m tests.docs.test_reference"""
    assert verb_table() in _page("verbs.md")


def test_the_http_reference_has_every_verb() -> None:
    page = _page("http.md")
    written = [line for line in page.splitlines() if line.startswith("| `") and "/v1" in line]
    assert written == [
        f"| `{verb.name}` | `{verb.method} /v1{verb.path}` | {verb.right} |"
        for verb in verbs().values()
    ]
    assert all(f"`{name}`" in page for name in (*LOCAL_VERBS, *LOCAL_PARAMETERS))


def test_the_openapi_document_has_every_verb_and_no_broken_reference() -> None:
    document = openapi_document()
    operations = [each for path in document["paths"].values() for each in path.values()]
    assert {each["operationId"] for each in operations} >= set(verbs())
    for reference in _references(document):
        _, _, kind, name = reference.split("/")
        assert name in document["components"][kind], reference


def _references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(found := value.get("$ref"), str):
            yield found
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _references(each)


if __name__ == "__main__":
    print(verb_table())
