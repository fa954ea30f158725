"""Tests that the reference describes every name, method, setting, error, limit and command."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from enum import StrEnum
from typing import Any

import click
import pytest

import erstwhile
from erstwhile import ErstwhileError, Memory, Settings
from erstwhile.blocks import block
from erstwhile.cli.app import app
from erstwhile.cli.exit_codes import code_of
from erstwhile.context import model as context
from erstwhile.conversations import conversation
from erstwhile.core import metadata, page, text
from erstwhile.decisions import draft as decision_draft
from erstwhile.decisions import tool_input as decision_input
from erstwhile.engines.sqlite import group_commit
from erstwhile.facts import details, draft
from erstwhile.records import model as record_model
from erstwhile.tasks import checkpoint, task
from erstwhile.tasks import draft as task_draft
from erstwhile.tasks import rrule as rule
from erstwhile.usage import entry as usage
from tests.docs.pages import PROJECT, anchor
from tests.surface import collections_of

REFERENCE = PROJECT / "docs" / "reference"
OTHER_PAGES = ("cli", "errors", "limits", "settings")


def _collections() -> dict[str, type]:
    with erstwhile.open(":memory:", embedder="none") as memory:
        return {name: type(part) for name, part in collections_of(memory).items()}


SURFACE = {"memory": Memory, **_collections()}
METHODS = {
    f"{name}.{method}": function
    for name, collection in SURFACE.items()
    for method, function in inspect.getmembers(collection, inspect.isfunction)
    if not method.startswith("_")
}


def _reference(name: str) -> str:
    return (REFERENCE / name).read_text("utf-8")


def _python() -> str:
    """Return the text of all pages about Python."""
    pages = [page for page in sorted(REFERENCE.glob("*.md")) if page.stem not in OTHER_PAGES]
    return "\n".join(page.read_text("utf-8") for page in pages)


def _public() -> dict[str, Any]:
    """Return the objects that the package and its module of types offer, by name."""
    modules = (erstwhile, erstwhile.types)
    return {name: getattr(module, name) for module in modules for name in module.__all__}


def _signature(function: Callable[..., Any]) -> str:
    said = inspect.signature(function)
    bare = [
        each.replace(annotation=each.empty)
        for each in said.parameters.values()
        if each.name != "self"
    ]
    return str(said.replace(parameters=bare, return_annotation=inspect.Signature.empty))


def _commands(name: str, command: click.Command) -> dict[str, click.Command]:
    """Return a command and all commands below it, by the words that call them."""
    below = command.commands if isinstance(command, click.Group) else {}
    found = [_commands(f"{name} {word}", each) for word, each in below.items()]
    return {name: command} | {word: each for part in found for word, each in part.items()}


COMMANDS = _commands("erstwhile", app)


def _sections(reference: str) -> dict[str, str]:
    """Return the text under each heading, up to the next heading."""
    _, *parts = re.split(r"^#+ (.*)$", reference, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.parametrize("name", sorted(_public()))
def test_every_public_name_is_described(name: str) -> None:
    """Look for errors on their own page, and for other names on the pages about Python."""
    value = _public()[name]
    is_error = isinstance(value, type) and issubclass(value, ErstwhileError)
    assert re.search(rf"`{name}[`(]", _reference("errors.md") if is_error else _python())


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_described_with_its_exact_signature(name: str) -> None:
    assert f"### `{name}{_signature(METHODS[name])}`" in _python()


def test_opening_is_described_with_its_exact_signature() -> None:
    assert f"### `open{_signature(erstwhile.open)}`" in _python()


def test_every_field_of_every_record_is_described() -> None:
    """Look for the names of fields and properties in the section of the record."""
    sections = _sections(_python())
    records = _public().values()
    for record in (each for each in records if hasattr(each, "__dataclass_fields__")):
        if record in (erstwhile.Settings, erstwhile.Draft):
            continue
        names = {field.name for field in fields(record)}
        names |= {name for name, part in vars(record).items() if isinstance(part, property)}
        section = sections[f"`{record.__name__}`"]
        assert not [name for name in names if f"`{name}`" not in section], record


def _vocabularies() -> list[type[StrEnum]]:
    return [
        value
        for value in _public().values()
        if isinstance(value, type) and issubclass(value, StrEnum)
    ]


@pytest.mark.parametrize("vocabulary", _vocabularies())
def test_every_word_of_a_vocabulary_is_described(vocabulary: type[StrEnum]) -> None:
    words = ", ".join(f"`{word}`" for word in vocabulary)
    assert f"| `{vocabulary.__name__}` | {words} |" in _python()


@pytest.mark.parametrize("name", details.DETAILS)
def test_every_detail_of_a_new_fact_is_described(name: str) -> None:
    assert f"| `{name}` |" in _sections(_python())["Details of a new fact"]


@pytest.mark.parametrize("field", fields(Settings), ids=lambda field: field.name)
def test_every_setting_is_described(field: Any) -> None:
    """Look for the row with the variable and the default."""
    default = str(field.default) if field.default is None else repr(field.default)
    row = f"| `{field.name}` | `ERSTWHILE_{field.name.upper()}` | `{default}` |".replace("'", '"')
    assert row in _reference("settings.md")


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
    assert row in _reference("errors.md")


def test_the_limits_are_the_ones_in_the_code() -> None:
    reference = _reference("limits.md")
    records = (conversation, record_model, usage)
    work = (block, checkpoint, context, decision_draft, decision_input, rule, task, task_draft)
    for module in (draft, metadata, page, text, group_commit, *records, *work):
        limits = {name: value for name, value in vars(module).items() if name.startswith("MAX_")}
        assert not [name for name, value in limits.items() if f"{value:,}" not in reference]
    assert f"| settings | {len(fields(Settings))} |" in reference


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_described_with_its_options(name: str) -> None:
    """Look for the options in the section of the command, or in a section that it links to."""
    sections = _sections(_reference("cli.md"))
    own = sections["Global options" if name == "erstwhile" else name]
    linked = [body for title, body in sections.items() if f"(#{anchor(title)})" in own]
    params = COMMANDS[name].params
    options = [option for each in params for option in (*each.opts, *each.secondary_opts)]
    described = "\n".join([own, *linked])
    assert not [
        option
        for option in options
        if option.startswith("--") and not re.search(rf"`{option}[` ]", described)
    ]
