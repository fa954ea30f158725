"""Full text over records: their terms in one index, each marked with the record's kind and scope.

So every kind has terms of its own in every scope, and searching and counting them costs what it
would cost in a file of its own. A collection takes part like this:

- In the unit that writes a record, `put(unit, kind, id, scope, text)`; to hide or erase it,
  `remove(unit, id)`. Both may be repeated. `kind` is a letter of one's own, see `TextKind`.
- A statement of the engine (`match_…`, see sql/sqlite/search.sql) takes the best `:limit` from the
  index (`{{holding_any}}`), narrows them as the caller wants, and gives the id and terms of each.
- `search(view, words, TextQuery(…))` returns ids, best first. It asks for more until enough are
  left after the filters, so a limit of k gives k records whenever so many match.
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
"""So many candidates are compared at the least."""
_FEW = 2_500
"""Up to so many records all terms choose the candidates."""
_MORE = 8
"""By how much more is asked for when too few were left."""
_MOST_TERMS = 64
"""Of a long question the rarest terms."""


class TextKind(StrEnum):
    """The letter that marks the terms of a kind of records."""

    MESSAGE = "m"
    OBSERVATION = "b"


class TextQuery(NamedTuple):
    """What is looked for, and by which statement."""

    kind: TextKind
    statement: str
    query: str
    limit: int
    narrowed: Mapping[str, Any]


class TextMatch(NamedTuple):
    """A record that matches, and how well."""

    id: str
    score: float


def put(unit: Unit, kind: TextKind, id: str, scope: int, text: str) -> None:
    """Index a record, or index it anew."""
    remove(unit, id)
    terms = " ".join(unit.terms(text))
    row = {"kind": kind.value, "record": id, "scope": scope, "terms": terms}
    [(seq,)] = unit.rows("add_record_text", row)
    unit.send("add_terms", {"seq": seq, "terms": indexed(terms, kind, scope)}, "records")


def remove(unit: Unit, id: str) -> None:
    """Leave nothing of a record to find."""
    for (seq,) in unit.rows("find_record_text", {"record": id}):
        unit.send("remove_terms", {"seq": seq}, "records")
        unit.send("remove_record_text", {"seq": seq})


def indexed(terms: str, kind: str, scope: int) -> str:
    """All terms of a record as the full-text index has them."""
    return " ".join([_marked(kind, scope, term) for term in terms.split()])


def search(view: View, words: Words, wanted: TextQuery) -> list[TextMatch]:
    """The records that hold words of a question, best first; no question is an error."""
    terms = words.query_terms(wanted.query)
    scopes: dict[int, int] = dict(view.rows("visible_scopes", {})) if terms else {}
    marked = {_marked(wanted.kind, scope, term): term for scope in scopes for term in terms}
    holding = _holding(view, marked)
    # Of how many records there are, the number of all changes is a good enough guess.
    total = max([sum(scopes.values()), *holding.values()], default=0)
    rows = _candidates(view, wanted, marked, holding, total)
    scores = words.scores(holding, total, [row[1].split() for row in rows])
    found = [TextMatch(row[0], score) for row, score in zip(rows, scores, strict=True)]
    newest_first = sorted(found, key=lambda each: each.id, reverse=True)
    return sorted(newest_first, key=lambda each: -each.score)[: wanted.limit]


def _candidates(
    view: View, wanted: TextQuery, marked: Mapping[str, str], holding: Mapping[str, int], total: int
) -> list[Row]:
    """What holds the rarer terms, if that is enough, or else what holds any."""
    chosen = _rarer(holding, max(total // 20, _FEW))
    rows = _matching(view, wanted, marked, chosen)
    if len(rows) < wanted.limit and len(chosen) < len(holding):
        rows = _matching(view, wanted, marked, holding)
    return rows


def _rarer(holding: Mapping[str, int], budget: int) -> dict[str, int]:
    """The rarest terms, as long as together they stand in no more records than that."""
    chosen: dict[str, int] = {}
    for term in sorted(holding, key=holding.__getitem__):
        budget -= holding[term]
        if chosen and budget < 0:
            break
        chosen[term] = holding[term]
    return chosen


def _matching(
    view: View, wanted: TextQuery, marked: Mapping[str, str], chosen: Mapping[str, int]
) -> list[Row]:
    """Ask for the best, and for more of them until enough are left after the narrowing."""
    terms = _listed([each for each, term in marked.items() if term in chosen])
    most, count = sum(chosen.values()), max(_FEWEST, 10 * wanted.limit)
    while most:
        rows = view.rows(wanted.statement, {**wanted.narrowed, "terms": terms, "limit": count})
        if len(rows) >= wanted.limit or count >= most:
            return rows
        count *= _MORE
    return []


def _holding(view: View, marked: Mapping[str, str]) -> dict[str, int]:
    """In how many visible records of the kind each term stands, of the rarest ones."""
    holding: dict[str, int] = {}
    terms = {"terms": _listed(list(marked))}
    for each, count in view.rows("count_holding", terms, "records") if marked else ():
        holding[marked[each]] = holding.get(marked[each], 0) + count
    return dict(sorted(holding.items(), key=lambda held: held[1])[:_MOST_TERMS])


def _marked(kind: str, scope: int, term: str) -> str:
    return f"{kind}{scope}ː{term}"


def _listed(terms: Sequence[str]) -> str:
    return json.dumps(terms, ensure_ascii=False)
