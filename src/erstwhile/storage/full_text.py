"""Full-text search over records: one index, each term marked with the kind and scope of its record.

So a search or a count is as fast as in a separate index for each kind and scope. How a
collection uses it:

- In the unit that writes a record, `put(unit, kind, id, scope, text)`; to hide or erase it,
  `remove(unit, id)`. Both are idempotent. `kind` is a letter of its own, see `TextKind`.
- A statement of the engine (`match_…`, see sql/sqlite/search.sql) takes the best `:limit` from the
  index (`{{holding_any}}`), applies the filters, and returns the id and terms of each.
- `search(view, words, TextQuery(…))` returns ids, best first. It raises the limit until enough
records pass the filters, so a limit of k returns k records if at
least k match.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from erstwhile.core.ports import Row, Words
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

_FEWEST = 500
"""The least number of candidates that are compared."""
_FEW = 2_500
"""Up to this number of records, all terms select candidates."""
_MORE = 8
"""The factor by which the limit grows when too few records pass the filters."""
_MOST_TERMS = 64
"""The maximum number of terms of a query; of a long query, the rarest terms are used."""


class TextKind(StrEnum):
    """The letter that marks the terms of a kind of records."""

    MESSAGE = "m"
    OBSERVATION = "b"


class TextQuery(NamedTuple):
    """A full-text query: the text, the filters and the statement to run."""

    kind: TextKind
    statement: str
    text: str
    limit: int
    filters: Mapping[str, Any]


class TextMatch(NamedTuple):
    """The id of a matching record, and its score."""

    id: str
    score: float


def put(unit: Unit, kind: TextKind, id: str, scope: int, text: str) -> None:
    """Index a record, or index it again."""
    remove(unit, id)
    terms = " ".join(unit.terms(text))
    row = {"kind": kind.value, "record": id, "scope": scope, "terms": terms}
    [(seq,)] = unit.rows("add_record_text", row)
    unit.send("add_terms", {"seq": seq, "terms": indexed(terms, kind, scope)}, "records")


def remove(unit: Unit, id: str) -> None:
    """Remove a record from the index."""
    for (seq,) in unit.rows("find_record_text", {"record": id}):
        unit.send("remove_terms", {"seq": seq}, "records")
        unit.send("remove_record_text", {"seq": seq})


def indexed(terms: str, kind: str, scope: int) -> str:
    """Return all terms of a record in the form of the index."""
    return " ".join([_marked(kind, scope, term) for term in terms.split()])


def search(view: View, words: Words, query: TextQuery) -> list[TextMatch]:
    """Return the records that contain words of a query, best first. No query raises an error."""
    terms = words.query_terms(query.text)
    scopes: dict[int, int] = dict(view.rows("visible_scopes", {})) if terms else {}
    marked = {_marked(query.kind, scope, term): term for scope in scopes for term in terms}
    holding = _holding(view, marked)
    # The number of changes is a good enough estimate of the number of records.
    total = max([sum(scopes.values()), *holding.values()], default=0)
    rows = _candidates(view, query, marked, holding, total)
    scores = words.scores(holding, total, [row[1].split() for row in rows])
    found = [TextMatch(row[0], score) for row, score in zip(rows, scores, strict=True)]
    newest_first = sorted(found, key=lambda each: each.id, reverse=True)
    return sorted(newest_first, key=lambda each: -each.score)[: query.limit]


def _candidates(
    view: View, query: TextQuery, marked: Mapping[str, str], holding: Mapping[str, int], total: int
) -> list[Row]:
    """Return the records with the rarer terms, or with any term if those are too few."""
    chosen = _rarer(holding, max(total // 20, _FEW))
    rows = _matching(view, query, marked, chosen)
    if len(rows) < query.limit and len(chosen) < len(holding):
        rows = _matching(view, query, marked, holding)
    return rows


def _rarer(holding: Mapping[str, int], budget: int) -> dict[str, int]:
    """Return the rarest terms that together occur in at most `budget` records."""
    chosen: dict[str, int] = {}
    for term in sorted(holding, key=holding.__getitem__):
        budget -= holding[term]
        if chosen and budget < 0:
            break
        chosen[term] = holding[term]
    return chosen


def _matching(
    view: View, query: TextQuery, marked: Mapping[str, str], chosen: Mapping[str, int]
) -> list[Row]:
    """Select the best records, with a growing limit until enough pass the filters."""
    terms = _listed([each for each, term in marked.items() if term in chosen])
    most, count = sum(chosen.values()), max(_FEWEST, 10 * query.limit)
    while most:
        rows = view.rows(query.statement, {**query.filters, "terms": terms, "limit": count})
        if len(rows) >= query.limit or count >= most:
            return rows
        count *= _MORE
    return []


def _holding(view: View, marked: Mapping[str, str]) -> dict[str, int]:
    """Return the number of visible records that contain each term, for the rarest terms."""
    holding: dict[str, int] = {}
    terms = {"terms": _listed(list(marked))}
    for each, count in view.rows("count_holding", terms, "records") if marked else ():
        holding[marked[each]] = holding.get(marked[each], 0) + count
    return dict(sorted(holding.items(), key=lambda held: held[1])[:_MOST_TERMS])


def _marked(kind: str, scope: int, term: str) -> str:
    return f"{kind}{scope}ː{term}"


def _listed(terms: Sequence[str]) -> str:
    return json.dumps(terms, ensure_ascii=False)
