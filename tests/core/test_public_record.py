"""How public records look and leave Python: one line, tables, and JSON for pydantic."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from dataclasses import is_dataclass

import pytest
from pydantic import BaseModel, TypeAdapter

import erstwhile
from erstwhile.core.public_record import PublicRecord
from erstwhile.memory import Memory
from erstwhile.rpc.verb_help import full_signature
from erstwhile.rpc.verbs import LOCAL_VERBS, class_of, verbs
from erstwhile.types import Fact, Hit, Page, RecallHits, Scope
from tests.loaded_modules import loaded

ATTACK = '<script>alert("x")</script>\n\x1b[2J\u202eevil'
RECORDS = [
    kind for name in erstwhile.types.__all__ if is_dataclass(kind := getattr(erstwhile.types, name))
]


@pytest.fixture
def memory() -> Iterator[Memory]:
    with erstwhile.open(":memory:", embedder="none") as opened:
        yield opened


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_every_public_record_has_to_dict_and_one_line(kind: type) -> None:
    assert issubclass(kind, PublicRecord)
    assert not kind.__dataclass_params__.repr  # type: ignore[attr-defined]


def test_a_shell_shows_one_line_for_a_fact(memory: Memory) -> None:
    fact = memory.remember("Ana prefers pnpm over npm", kind="preference")
    line = f'<Fact {fact.short_id} live preference "Ana prefers pnpm over npm">'
    assert repr(fact) == str(fact) == line
    assert repr(memory.facts.list()) == f"<Page of 1: {line}>"
    assert repr(Scope(user="ana", project="shop")) == "<Scope user=ana project=shop>"
    assert repr(memory.stats()).startswith("<Stats live=1 quarantined=0 ")


def test_a_value_is_shown_with_its_key(memory: Memory) -> None:
    """ "Porto" alone tells nobody what it is."""
    fact = memory.facts.set("city", "Porto")
    assert repr(fact) == f'<Fact {fact.short_id} live profile key="city" "Porto">'
    assert f'facts {fact.short_id} key="city" "Porto"' in repr(memory.recall("city"))
    assert "<th>key</th><th>text</th>" in memory.facts.list()._repr_html_()


def test_results_without_texts_say_what_they_are(memory: Memory) -> None:
    """A turn was shown as `<Observed>`, and a scope without its name."""
    ana = memory.scoped(user="ana")
    ana.facts.set("city", "Porto")
    assert repr(ana.scopes()) == "[<ScopeCount user=ana facts=1>]"
    assert repr(ana.observe_turn("Good morning", "Hello")) == '<Observed "Good morning" "Hello">'
    assert "messages=1 known=0" in repr(ana.observe([{"role": "user", "content": "Hello"}]))
    assert repr(memory.facts.list()) == "<Page of 0>"


def test_a_table_has_readable_headings_and_no_empty_column(memory: Memory) -> None:
    memory.remember("The user lives in Rome")
    memory.remember("The user lives in Paris")
    hits, conflicts = memory.recall("Rome")._repr_html_(), memory.conflicts.list()._repr_html_()
    assert "<th>relevance</th><th>kind</th><th>id</th><th>text</th></tr>" in hits
    assert "<th>id</th><th>older</th><th>newer</th></tr>" in conflicts
    assert memory.tasks.list()._repr_html_() == "<table><caption>Page of 0</caption></table>"


def test_a_long_text_is_cut_and_hostile_characters_do_no_harm(memory: Memory) -> None:
    fact = memory.remember(ATTACK + " and more" * 100)
    assert len(repr(fact)) < 200
    assert repr(fact).isprintable()


def test_a_secret_is_in_no_line_and_no_table() -> None:
    """Callers make records, too. A cut must not hide half of a secret from the mask."""
    key = "AKIA" + "Q7WZX3MNBVC2LKJH"
    page = Page((Scope(user="a" * 60 + " " + key),))
    assert key[:8] not in repr(page) + repr(page[0]) + page._repr_html_()


def test_tables_in_notebooks_escape_what_is_remembered(memory: Memory) -> None:
    memory.remember(ATTACK)
    shown = (memory.facts.list(), memory.recall("alert"), memory.context("alert"))
    for html in (each._repr_html_() for each in shown):
        assert html.startswith("<table>")
        assert "&lt;script&gt;" in html
        assert "\x1b" not in html
        assert "\u202e" not in html
        assert "<script" not in html


def test_pydantic_writes_records_as_to_dict_does(memory: Memory) -> None:
    fact = memory.remember("Ana likes tea", metadata={"n": 1})
    hit = memory.recall("tea")[0]
    assert TypeAdapter(Fact).dump_python(fact) == fact.to_dict()
    assert json.loads(TypeAdapter(list[Fact]).dump_json([fact])) == [fact.to_dict()]
    assert TypeAdapter(Hit).dump_python(hit) == hit.to_dict()
    page = memory.facts.list()
    assert TypeAdapter(Page[Fact]).dump_python(page, mode="json") == page.to_dict()
    for mode in ("serialization", "validation"):
        assert TypeAdapter(Fact).json_schema(mode=mode)["title"] == "Fact"
        assert "next" in TypeAdapter(Page[Fact]).json_schema(mode=mode)["properties"]


class Answer(BaseModel):
    """A model of a program that has records in it."""

    fact: Fact
    found: RecallHits | None = None


def test_a_model_with_records_has_a_schema(memory: Memory) -> None:
    answer = Answer(fact=memory.remember("Ana likes tea"), found=memory.recall("tea"))
    assert answer.model_dump(mode="json")["fact"]["state"] == "live"
    assert set(Answer.model_json_schema()["properties"]) == {"fact", "found"}


@pytest.mark.parametrize("name", [*verbs(), *LOCAL_VERBS])
def test_help_shows_every_argument_with_its_meaning(name: str) -> None:
    collection, _, verb = name.rpartition(".")
    function = getattr(class_of(collection), verb)
    text, known = inspect.getdoc(function) or "", inspect.signature(function).parameters
    assert not [each for each in known.values() if each.kind is each.VAR_KEYWORD]
    assert not [each for each in known if each != "self" and f"\n    {each}: " not in text]


def test_help_of_remember_names_its_details(memory: Memory) -> None:
    known = inspect.signature(memory.remember).parameters
    assert {"text", "kind", "tags", "metadata", "key", "valid_from"} <= set(known)
    assert "\n    tags: " in (inspect.getdoc(memory.remember) or "")
    assert "\n    tags: " in (inspect.getdoc(erstwhile.AsyncMemory.remember) or "")
    assert full_signature.__module__ not in loaded("import erstwhile; erstwhile.open(':memory:')")
