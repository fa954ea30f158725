"""Looking at a statement: is each of its tables held to the space itself?

In a distributed database a statement goes to one server only if every table in it is compared with
`:space`. A comparison with another table is not enough: inside a subquery nobody follows it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pglast.parser import parse_sql_json

from erstwhile.engines.postgres.connection import numbered

Node = dict[str, Any]
_QUERIES = ("SelectStmt", "InsertStmt", "UpdateStmt", "DeleteStmt")


def not_held(text: str) -> list[str]:
    """Return the tables, by the names they have in the statement, that are not held to `:space`.

    SQLite's joins in a given order are read as ordinary joins.
    """
    asked, names = numbered(text.replace("CROSS JOIN", "JOIN") if "json_each" in text else text)
    given = names.index("space") + 1 if "space" in names else 0
    [statement] = json.loads(parse_sql_json(asked))["stmts"]
    derived = {str(each["ctename"]) for each in _all(statement, "CommonTableExpr")}
    return [
        name
        for kind in _QUERIES
        for query in _all(statement, kind)
        for name in _free_tables(kind, query, given, derived)
    ]


def _free_tables(kind: str, query: Node, given: int, derived: set[str]) -> Iterator[str]:
    if kind == "InsertStmt":
        if not _stores_space(query, given):
            yield str(query["relation"]["relname"])
        return
    sources = [*query.get("fromClause", []), *query.get("usingClause", [])]
    if "relation" in query:
        sources.append({"RangeVar": query["relation"]})
    tables = [
        (table, [*_conjuncts(query.get("whereClause")), *joined])
        for source in sources
        for table, joined in _tables(source)
        if table["relname"] not in derived
    ]
    for table, conditions in tables:
        name = str(table.get("alias", {}).get("aliasname", table["relname"]))
        alone = len(tables) == 1
        if not any(_holds(each, name, alone, given) for each in conditions):
            yield name


def _tables(source: Node, joined: tuple[Node, ...] = ()) -> Iterator[tuple[Node, tuple[Node, ...]]]:
    """Yield the tables of a FROM, each with the conditions of the join that it is the right of."""
    if "RangeVar" in source:
        yield source["RangeVar"], joined
    if "JoinExpr" in source:
        join = source["JoinExpr"]
        inner = join["jointype"] == "JOIN_INNER"
        conditions = tuple(_conjuncts(join.get("quals")))
        yield from _tables(join["larg"], (*joined, *conditions) if inner else joined)
        yield from _tables(join["rarg"], (*joined, *conditions) if inner else conditions)


def _conjuncts(condition: Node | None) -> Iterator[Node]:
    """Yield what must all be true."""
    both = (condition or {}).get("BoolExpr", {})
    if both.get("boolop") == "AND_EXPR":
        for part in both["args"]:
            yield from _conjuncts(part)
    elif condition:
        yield condition


def _holds(condition: Node, name: str, alone: bool, given: int) -> bool:
    """Return whether a condition is `name.space = :space`, or without the name if there is one."""
    compared = condition.get("A_Expr", {})
    fields = [
        each["String"]["sval"]
        for each in compared.get("lexpr", {}).get("ColumnRef", {}).get("fields", [])
        if "String" in each
    ]
    return (
        [each["String"]["sval"] for each in compared.get("name", [])] == ["="]
        and (fields == [name, "space"] or (alone and fields == ["space"]))
        and compared["rexpr"].get("ParamRef", {}).get("number") == given
    )


def _stores_space(insert: Node, given: int) -> bool:
    """Return whether the stored space is the given one, or the one of a row that was read."""
    place = [each["ResTarget"]["name"] for each in insert["cols"]].index("space")
    source = insert["selectStmt"]["SelectStmt"]
    rows = [each["List"]["items"] for each in source.get("valuesLists", [])]
    stored = [row[place] for row in rows] or [source["targetList"][place]["ResTarget"]["val"]]
    return all(
        each.get("ParamRef", {}).get("number") == given
        or (not rows and each.get("ColumnRef", {})["fields"][-1] == {"String": {"sval": "space"}})
        for each in stored
    )


def _all(node: Any, kind: str) -> Iterator[Node]:
    """Yield every node of a kind, at any depth."""
    inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    if isinstance(node, dict) and kind in node:
        yield node[kind]
    for each in inner:
        yield from _all(each, kind)
