"""`erstwhile entities`, `erstwhile audit` and `erstwhile stats`."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tests.cli.conftest import Cli


@pytest.fixture
def shop(cli: Cli) -> str:
    """Return the id of a fact that links two entities."""
    fact = cli("remember", "The shop runs on Postgres", "--relation", "shop|runs on|Postgres").data
    cli("remember", "Ana owns the shop", "--entity", "Ana", "--entity", "shop")
    return str(fact["id"])


@pytest.mark.usefixtures("shop")
def test_entities_are_listed_in_pages(cli: Cli) -> None:
    assert cli("entities", "list").data == {
        "items": [
            {"name": "Ana", "aliases": [], "mentions": 1},
            {"name": "Postgres", "aliases": [], "mentions": 1},
            {"name": "shop", "aliases": [], "mentions": 2},
        ],
        "next": None,
    }
    first = cli("entities", "list", "--limit", "2").data
    rest = cli("entities", "list", "--limit", "2", "--cursor", first["next"]).items
    assert [entity["name"] for entity in rest] == ["shop"]
    assert cli("entities", "list", "--as-of", "2 days ago").items == []
    assert cli("entities", "list", "--known-at", "2 days ago").items == []


def test_an_entity_is_shown_with_its_facts_and_neighbours(shop: str, cli: Cli) -> None:
    card = cli("entities", "show", "SHOP").data
    assert card["entity"] == {"name": "shop", "aliases": [], "mentions": 2}
    assert [fact["text"] for fact in card["facts"]] == [
        "Ana owns the shop",
        "The shop runs on Postgres",
    ]
    assert card["facts"][0]["state"] == "live"
    links = [(each["relation"], each["name"], each["outgoing"]) for each in card["neighbours"]]
    assert links == [("runs on", "Postgres", True), ("co_occurs", "Ana", True)]
    assert card["neighbours"][0]["facts"] == [shop]
    assert len(cli("entities", "show", "shop", "--limit", "1").data["facts"]) == 1


@pytest.mark.usefixtures("shop")
def test_aliases_are_added_and_removed(cli: Cli) -> None:
    added = cli("entities", "add-alias", "Postgres", "pg", "PostgreSQL", "--reason", "short").data
    assert added == {"name": "Postgres", "added": ["pg", "PostgreSQL"]}
    assert cli("entities", "show", "PG").data["entity"]["aliases"] == ["PostgreSQL", "pg"]
    assert cli("entities", "remove-alias", "Postgres", "pg").data["removed"] == ["pg"]
    assert cli("entities", "show", "pg").code == 3
    ended = cli("entities", "add-alias", "Ana", "shop")
    assert (ended.code, ended.error["error"]) == (4, "conflict")


def test_an_unknown_entity_is_not_found(cli: Cli) -> None:
    ended = cli("entities", "show", "nobody")
    assert ended.code == 3
    assert "`erstwhile entities list`" in ended.error["remedy"]


def test_the_audit_trail_lists_every_change(shop: str, cli: Cli) -> None:
    cli("facts", "retire", shop, "--ending", "wrong", "--reason", "a mix-up")
    entries = cli("audit", "list", "--subject", shop[:18]).items
    told = [(entry["action"], entry["reason"], entry["actor"]) for entry in entries]
    assert told == [("retire", "a mix-up", "anyone"), ("remember", None, "anyone")]
    assert [entry["subject"] for entry in entries] == [shop, shop]
    assert len(cli("audit", "list", "--action", "remember").items) == 2
    assert cli("audit", "list", "--until", "2 days ago").items == []
    assert len(cli("audit", "list", "--since", "2 days ago").items) == 3
    first = cli("audit", "list", "--limit", "2").data
    rest = cli("audit", "list", "--limit", "2", "--cursor", first["next"]).data
    assert [len(first["items"]), len(rest["items"]), rest["next"]] == [2, 1, None]


@pytest.mark.usefixtures("shop")
def test_tampering_is_found_with_exit_code_4(cli: Cli, db: Path) -> None:
    found = cli("audit", "verify")
    assert found.data == {"entries": 2, "records": 2, "problems": [], "ok": True}
    other = apsw.Connection(str(db))
    other.execute("UPDATE facts SET text = 'The shop runs on Oracle' WHERE text LIKE '%Postgres%'")
    other.close()
    found = cli("audit", "verify")
    assert (found.code, found.err) == (4, "")
    assert '"ok": false' in found.out
    assert "changed without an entry" in found.out


@pytest.mark.usefixtures("shop")
def test_stats_count_visible_facts(cli: Cli) -> None:
    cli("--user", "ana", "remember", "A secret of Ana", "--kind", "event")
    stats = cli("stats").data
    assert (stats["live"], stats["kinds"]) == (2, {"fact": 2})
    assert stats["bytes"] > 0
    hers = cli("--user", "ana", "stats").data
    assert (hers["live"], hers["kinds"]) == (3, {"event": 1, "fact": 2})
    assert hers["bytes"] is None
