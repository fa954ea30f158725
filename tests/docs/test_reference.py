"""Tests that the reference describes every name, verb, setting, error, limit and command.

Most of it is made from the code: `scripts/docs_site` makes the pages of verbs, types and commands.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from enum import StrEnum
from typing import Any

import click
import pytest
from scripts.docs_site.__main__ import reference
from scripts.docs_site.functions import methods
from scripts.docs_site.records import PUBLIC, names_of

import erstwhile
from erstwhile import ErstwhileError, Memory, Settings
from erstwhile.cli.app import app
from erstwhile.cli.exit_codes import code_of
from erstwhile.rpc.verbs import LOCAL_PARAMETERS, LOCAL_VERBS, verbs
from erstwhile.servers.http.openapi import openapi_document
from tests.docs.pages import PROJECT
from tests.surface import collections_of

REFERENCE = PROJECT / "docs" / "reference"
GENERATED = reference()
with erstwhile.open(":memory:", embedder="none") as _memory:
    COLLECTIONS = {name: methods(type(each)) for name, each in collections_of(_memory).items()}
VERBS = {
    f"{name}.{method}": function
    for name, found in {"memory": methods(Memory), **COLLECTIONS}.items()
    for method, function in found.items()
}


def _page(name: str) -> str:
    return (REFERENCE / name).read_text("utf-8")


def _sections(reference: str) -> dict[str, str]:
    """Return the text under each heading, up to the next heading."""
    _, *parts = re.split(r"^#+ (.*)$", reference, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_every_public_name_is_described() -> None:
    types, functions = _sections(GENERATED["records"]), _sections(GENERATED["functions"])
    for name, value in PUBLIC.items():
        if isinstance(value, type) and issubclass(value, ErstwhileError):
            assert f"| `{name}` |" in _page("errors.md"), name
        elif isinstance(value, type):
            assert types[name].strip(), name
        elif inspect.isfunction(value):
            assert functions[f"erstwhile.{name}"].strip(), name


@pytest.mark.parametrize(("name", "function"), VERBS.items(), ids=list(VERBS))
def test_every_verb_is_described_with_its_arguments(
    name: str, function: Callable[..., Any]
) -> None:
    section = _sections(GENERATED[name.partition(".")[0]])[name]
    prose = re.sub(r"```.*?```|^\|.*|^HTTP.*", "", section, flags=re.DOTALL | re.MULTILINE)
    assert prose.strip(), f"{name} has no docstring"
    for argument in inspect.signature(function).parameters:
        row = rf"^\| `{argument}` \| `.+` \| \S.* \|$"
        assert argument == "self" or re.search(row, section, re.MULTILINE), argument


def test_every_field_of_every_record_is_described() -> None:
    """Look for its row, with a meaning."""
    sections = _sections(GENERATED["records"])
    for name, kind in PUBLIC.items():
        if not hasattr(kind, "__dataclass_fields__") or issubclass(kind, ErstwhileError):
            continue
        rows = re.findall(r"^\| `(\w+)` \| `.+` \| \S.* \|$", sections[name], re.MULTILINE)
        assert set(names_of(kind)) - set(rows) == set(), name


def test_every_word_of_a_vocabulary_is_described() -> None:
    sections = _sections(GENERATED["records"])
    for name, each in PUBLIC.items():
        if isinstance(each, type) and issubclass(each, StrEnum):
            assert ", ".join(f"`{word}`" for word in each) in sections[name]


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
    """Look for the value of every constant MAX_… that is not internal to an algorithm."""
    page = _page("limits.md")
    internal = re.compile(
        "MAX_(BEFORE|CHARACTERS|COMPARED|FACT|LENGTH|NEW|PIECES|TERMS|VALUE|WITH_CONTEXT)"
    )
    for file in (PROJECT / "src").rglob("*.py"):
        source = file.read_text("utf-8")
        for name, value in re.findall(r"^(MAX_\w+)\b[^=\n]*= ([\d_]+)$", source, re.MULTILINE):
            assert internal.fullmatch(name) or f"{int(value):,}" in page, (file.name, name)
    assert f"| settings | {len(fields(Settings))} |" in page


def test_every_command_and_option_is_described() -> None:
    page = GENERATED["commands"]
    for name, command in _commands(app):
        assert f"`{name}" in page or f"## {name}\n" in page, name
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                assert re.search(rf"`{option.opts[0]}[ `].*\| \S", page), (name, option.name)


def _commands(group: click.Group, above: str = "") -> Iterator[tuple[str, click.Command]]:
    for word, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from _commands(command, f"{above}{word} ")
        else:
            yield above + word, command


def test_the_table_of_verbs_is_complete() -> None:
    page = GENERATED["verbs"]
    for name, own in COLLECTIONS.items():
        [row] = re.findall(rf"^\| `{name}` \| (.*) \|$", page, re.MULTILINE)
        assert re.findall(r"`(\w+)`", row) == list(own), name


def test_the_http_reference_has_every_verb() -> None:
    pages = "\n".join(GENERATED.values())
    for verb in verbs().values():
        request = f"HTTP: `{verb.method} /v1{verb.path}`; the token needs the right `{verb.right}`."
        assert request in pages, verb.name
    page = _page("http.md")
    assert all(f"`{name}`" in page for name in (*LOCAL_VERBS, *LOCAL_PARAMETERS))


def test_the_openapi_document_has_every_verb_and_no_broken_reference() -> None:
    document = openapi_document()
    operations = [each for path in document["paths"].values() for each in path.values()]
    assert {each["operationId"] for each in operations} >= set(verbs())
    for each in _references(document):
        _, _, kind, name = each.split("/")
        assert name in document["components"][kind], each


def _references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(found := value.get("$ref"), str):
            yield found
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _references(each)
