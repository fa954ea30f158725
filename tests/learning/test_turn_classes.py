"""What learning does with whole classes of turns, in texts that no rule was written for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from bench.evaluation.turns import Fate, KnownFact, SampleTurn, play_turn

from erstwhile.core.kinds import Kind

pytestmark = pytest.mark.usefixtures("rules_alone")
CASES = json.loads((Path(__file__).parent / "data" / "turn_classes.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_turn_is_learned_from_as_it_is_labelled(case: Mapping[str, Any]) -> None:
    played = play_turn(_turn(case))
    assert played.judgements
    wrong = [each for each in played.judgements if not each.is_right]
    assert not wrong, played.changes


def _turn(case: Mapping[str, Any]) -> SampleTurn:
    said_at = datetime.fromisoformat(case.get("said_at", "2026-05-05"))
    return SampleTurn(
        id=case["id"],
        half="a",
        language="",
        kind="",
        said_at=said_at.replace(hour=12, tzinfo=UTC),
        before=(),
        known=tuple(_known(*each) for each in case.get("known", ())),
        user=case["user"],
        tools=(),
        assistant="OK.",
        answer={
            "add": [_statement(*each) for each in case.get("add", ())],
            "supersede": [
                {"ids": [f"@{id}"], **_statement(*rest)} for id, *rest in case.get("supersede", ())
            ],
            "end": [{"id": f"@{id}", "quote": quote} for id, quote in case.get("end", ())],
        },
    )


def _known(text: str, after: str, kind: str = "fact", key: str | None = None) -> KnownFact:
    return KnownFact(text, Kind(kind), key, text.split()[-1] if key else None, Fate(after))


def _statement(
    label: str, text: str, quote: str, kind: str = "fact", key: str = ""
) -> dict[str, str]:
    value = text.split()[-1] if key else ""
    return {
        "label": label, "text": text, "quote": quote, "kind": kind, "key": key, "value": value,
    }  # fmt: skip
