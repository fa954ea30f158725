"""`erstwhile demo`."""

from __future__ import annotations

import tempfile
import tomllib
from pathlib import Path
from typing import Any

import pytest

from erstwhile.cli.commands.program import SCRIPT
from tests.cli.conftest import Cli
from tests.cli.shell import at_terminal

SCENES = tomllib.loads(SCRIPT.read_text("utf-8"))["scene"]


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder for temporary files, so that a leftover is noticed."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return place


@pytest.fixture
def steps(cli: Cli) -> list[Any]:
    """Return the steps of the tour in JSON."""
    return list(cli("--json", "demo").data["steps"])


def test_the_tour_is_short_and_shows_each_call(cli: Cli, db: Path, temporary: Path) -> None:
    before = db.read_bytes()
    ended = cli("demo")
    assert ended.code == 0
    assert len(ended.out.splitlines()) < 125
    assert "\x1b" not in ended.out
    for scene in SCENES:
        assert scene["say"] in ended.out
        assert scene["call"].splitlines()[0] in ended.out
    assert "The shop runs on MySQL 8\n" in ended.out, "an entry without a reason ends there"
    assert "    Deploys: Friday.\n" in ended.out
    assert "npm publish --token=[masked:" in ended.out
    assert "left out (budget): The shop runs on Postgres 17" in ended.out
    assert not list(temporary.iterdir())
    assert db.read_bytes() == before, "the memory of the settings is left alone"


def test_the_tour_shows_what_it_promises(steps: list[Any]) -> None:
    """Each line comes from the results of the calls, not from the script."""
    assert [step["say"] for step in steps] == [scene["say"] for scene in SCENES]
    first, repeat, second = (
        next(step["result"] for step in steps if step["code"].startswith(code))
        for code in ("mysql =", "shop.remember", "postgres =")
    )
    assert (repeat["id"], repeat["evidence"]) == (first["id"], 2)
    assert second["supersedes"] == [first["id"]]
    lists = [step["result"]["items"] for step in steps if "facts.list(" in step["code"]]
    texts = [[fact["text"] for fact in items] for items in lists]
    march, today, may, bob, team = texts
    assert (march, today, may) == (["The shop runs on MySQL 8"], [second["text"]], march)
    assert (bob, team) == (
        [],
        ["The team uses pnpm for the shop", "The team uses npm for the shop"],
    )
    told = next(step["result"] for step in steps if "history" in step["code"])
    assert told[-1]["reason"] == "we migrated"
    assert any(isinstance(step["result"], dict) and step["result"].get("trust") == "quarantined"
               for step in steps)  # fmt: skip
    advice = next(step["result"] for step in steps if "advise" in step["code"])
    assert advice["suggestion"] == "allow"
    checks = [step["result"]["ok"] for step in steps if "verify" in step["code"]]
    assert checks == [True, False]


def test_the_tour_learns_and_fills_a_prompt(steps: list[Any]) -> None:
    results = {step["code"].split("(")[0]: step["result"] for step in steps}
    [attempt] = results["shop.observe_turn"]["attempts"]
    assert [(attempt["method"], change["act"]) for change in attempt["changes"]] == [
        ("patterns", "supersede")
    ]
    [held] = results["shop.quarantine.list"]["items"]
    assert held["rule"] == "origin/tool"
    prompt = results["prompt = shop.context"]
    texts = [item["text"] for item in prompt["items"]]
    assert {"notes: Deploys: Friday.", "Deploys happen on Friday afternoon"} <= set(texts)
    assert not [text for text in texts if "curl" in text]
    assert results["prompt.report"] == prompt["report"]
    assert prompt["report"]["tokens"] <= prompt["report"]["budget"] == 160
    assert prompt["report"]["left_out"]


def test_the_tour_recalls_and_explains(steps: list[Any]) -> None:
    english, chinese = (
        step["result"]["hits"] for step in steps if step["code"].startswith("shop.recall(")
    )
    texts = [[hit["record"]["text"] for hit in hits] for hits in (english, chinese)]
    assert texts == [["Deploys happen on Friday afternoon"]] * 2
    assert english[0]["why"]["terms"]
    assert not chinese[0]["why"]["terms"]
    why_not = next(step["result"] for step in steps if "why_not" in step["code"])
    assert why_not["reason"] == "retired"


def test_the_file_can_be_kept(cli: Cli, tmp_path: Path) -> None:
    place = tmp_path / "tour.db"
    assert cli("--json", "demo", "--keep", str(place)).data["kept"] == str(place)
    scope = ("--db", str(place), "--user", "ana", "--project", "shop")
    assert len(cli(*scope, "facts", "list").items) == 5
    refused = cli("demo", "--keep", str(place))
    assert (refused.code, refused.error["error"]) == (4, "refused")


@pytest.mark.parametrize("columns", [80, 100])
def test_the_tour_fits_a_terminal(columns: int, tmp_path: Path) -> None:
    ended = at_terminal("demo", "--keep", str(tmp_path / "tour.db"), columns=columns)
    lines = ended.words.splitlines()
    assert ended.code == 0
    assert len(lines) < 140
    assert max(map(len, lines)) <= columns
    assert "erstwhile --db" in " ".join(lines[-3:])
    assert "\x1b[" in ended.out
