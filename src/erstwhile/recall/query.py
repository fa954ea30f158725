"""Prepare a query: parse its text and embed it, before the store is searched.

No transaction is open while the model embeds a query.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from erstwhile.core.ports import Row
from erstwhile.core.text import checked_text, folded
from erstwhile.core.time import from_micros
from erstwhile.facts.fact import MAX_TEXT
from erstwhile.recall.anchor import Anchor
from erstwhile.recall.channels import TermCounts, TermStatistics
from erstwhile.recall.embedding import MAX_COMPARED, MAX_LENGTH, Embedding, UnembeddedVectors
from erstwhile.recall.filters import RecallOptions, RecordFilters, searched_groups
from erstwhile.recall.models import QueryVector, StoredModel, serving_model
from erstwhile.search.periods import named_period
from erstwhile.search.terms import MAX_TERMS, query_terms, terms
from erstwhile.search.topic import is_small_talk
from erstwhile.storage import passages
from erstwhile.storage.access import Access
from erstwhile.storage.view import View

if TYPE_CHECKING:
    from erstwhile.recall.vector_search import VectorSearch

_WORDS = re.compile(r"[^\s?!,;:()\[\]{}\"“”«»。？！，、；：]+")
_POSSESSIVE = re.compile(r"['’]s?$")
_SMALL_TALK = "a greeting is searched for by its words alone"
_MAX_NAME = 4
_MAX_WORDS = 64
OTHERS_WEIGHT = 0.6
"""The weight of messages that are not the user's own; those of the user have the weight 1.

Most questions are about what the user said, while the answers of the assistant are longer and have
more of every word.
"""


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """The terms of a query, the entities and the period that it names."""

    text: str
    terms: Sequence[str]
    names: Sequence[str]
    embedded: str
    """The text to embed: without what only names an entity or is in most texts."""
    period: tuple[datetime, datetime] | None


class QueryContext(NamedTuple):
    """A query with its vector, and the indexes to search."""

    text: str
    parsed: ParsedQuery | None
    """None without an embedder: then the query is parsed on the view that is searched."""
    vector: QueryVector | str
    """A text tells why there is no vector."""
    vectors: VectorSearch | None
    unembedded: UnembeddedVectors
    counts: TermCounts
    anchor: Anchor | None = None
    """The period by an event, if the query names one."""
    waiting: bool = False
    """Whether texts wait in the outbox."""


def prepare_query(
    access: Access,
    query: str,
    filters: RecordFilters,
    options: RecallOptions,
    embedding: Embedding,
    vectors: VectorSearch | None,
    counts: TermCounts,
) -> QueryContext:
    """Parse and embed a query, and embed the newest texts that have no vectors yet.

    `vectors` is None without an embedder.
    """
    text = checked_text(query, name="query", limit=MAX_TEXT)
    if vectors is None:
        return QueryContext(text, None, embedding.query(None, text), None, {}, counts)

    def read(view: View) -> tuple[ParsedQuery, StoredModel | None, str | None, list[Row] | None]:
        for statement in ("list_embedders", "last_in_outbox", "visible_partitions"):
            view.prefetch(statement, {})
        statistics = None
        if not view.is_past:  # past term frequencies are not kept
            searched = passages.partitions(view, searched_groups(filters, options))
            statistics = TermStatistics(view, counts, query_terms(text), searched)
        parsed = parse_query(view, text, statistics)
        serving, obstacle, new = serving_model(view), vectors.obstacle(view), None
        if view.rows("last_in_outbox", {}):
            new = view.rows("newest_in_outbox", {"longest": MAX_LENGTH, "limit": MAX_COMPARED})
        return parsed, serving, obstacle, new

    parsed, serving, obstacle, rows = access.ask(read, *filters.times)
    if obstacle is None and options.floor is None and is_small_talk(text):
        obstacle = _SMALL_TALK
    vector = obstacle or embedding.query(serving, parsed.embedded)
    unembedded = embedding.unembedded([] if isinstance(vector, str) else rows or [])
    waiting = rows is not None
    return QueryContext(text, parsed, vector, vectors, unembedded, counts, waiting=waiting)


def parse_query(view: View, text: str, statistics: TermStatistics | None = None) -> ParsedQuery:
    """Parse a query. Names of known entities are searched as words and are not embedded.

    A name would move the query vector towards every fact about that entity; without the name the
    vector shows the topic. The same holds for words that are common in the memory, such as the
    names of two people in all their messages. An alias adds the other names of its entity.
    """
    words = _WORDS.findall(text)
    runs = _word_runs(words[:_MAX_WORDS])
    names = json.dumps(list(runs), ensure_ascii=False)
    known = view.rows("named_entities", {"names": names}) if runs else []
    found = query_terms(text)
    aliases = [term for _, name in known for term in query_terms(name)]
    dropped = set().union(*(runs[name] for name, _ in known))
    if statistics is not None and (common := set(filter(statistics.is_common, found))):
        dropped |= {at for at, word in enumerate(words) if not common.isdisjoint(terms(word))}
    others = [word for place, word in enumerate(words) if place not in dropped]
    return ParsedQuery(
        text=text,
        terms=list(dict.fromkeys([*found, *aliases]))[:MAX_TERMS],
        names=sorted({name for _, name in known}),
        embedded=" ".join(others) if 0 < len(others) < len(words) else _as_statement(text),
        period=named_period(text, from_micros(view.as_of)),
    )


def _as_statement(text: str) -> str:
    """Remove a question mark at the end: it would move the vector towards other questions."""
    return text.rstrip(" ?？") or text


def others_weight(query: str) -> float:
    """Return the weight of messages that are not the user's; 1 if the query is about them."""
    return 1.0 if _about_the_assistant().search(query) else OTHERS_WEIGHT


def _word_runs(words: Sequence[str]) -> dict[str, set[int]]:
    """Return every run of up to four words, folded as names are, with the places of its words."""
    bare = [_POSSESSIVE.sub("", word).strip(".-'’") for word in words]
    runs: dict[str, set[int]] = {}
    for length in range(1, _MAX_NAME + 1):
        for start in range(len(bare) - length + 1):
            name = folded(" ".join(bare[start : start + length]))
            if name:
                runs.setdefault(name, set()).update(range(start, start + length))
    return runs


@cache
def _about_the_assistant() -> re.Pattern[str]:
    rules = tomllib.loads(Path(__file__).with_name("role_weight.toml").read_text("utf-8"))
    return re.compile("|".join(rules["about_the_assistant"]), re.IGNORECASE)
