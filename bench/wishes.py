"""Measure how many standing wishes are recognised, on labelled messages and on BEAM.

python -m bench.wishes [--data FOLDER] [--wrong]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import process_time
from typing import Any

from bench.sets.wishes import LabelledMessage, read_messages, recognised, wish_score
from erstwhile.context.wishes import Stated, standing
from erstwhile.search.wishes import wishes

MESSAGES = Path(__file__).parents[1] / "tests" / "search" / "data" / "wishes.toml"
DATA = Path(__file__).parents[2] / "shared" / "data"
_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
_ASKED = ("instruction_following", "preference_following")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--wrong", action="store_true", help="list errors in the half for tuning")
    chosen = parser.parse_args()
    messages = read_messages(MESSAGES)
    print("\n".join(_labelled(messages)))
    if chosen.wrong:
        print("\n".join(_wrong(messages)))
    file = chosen.data / "beam" / "beam-100k-1to8.json"
    if not file.exists():
        raise SystemExit(f"{file} is missing: no figures for BEAM")
    conversations = json.loads(file.read_text("utf-8"))
    print("\n".join([*_beam(conversations), _cost(conversations)]))


def _labelled(messages: Sequence[LabelledMessage]) -> Iterator[str]:
    for language in ("all", *dict.fromkeys(each.language for each in messages)):
        for split in ("held", "tune", "fresh"):
            part = [e for e in messages if e.split == split and language in ("all", e.language)]
            score = wish_score(part)
            yield (
                f"{language} {split}: {len(part)} messages, {score.wanted} wishes, "
                f"precision {score.precision:.3f}, recall {score.recall:.3f}"
            )


def _wrong(messages: Sequence[LabelledMessage]) -> Iterator[str]:
    for each in messages:
        found = recognised(each.text)
        if each.split == "tune" and found != ("wish" if each.is_wish else each.label):
            yield f"{each.language} {each.label}, taken for {found}: {each.text!r}"


def _beam(conversations: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield for each conversation the wishes, those in the prefix, and the questions they serve."""
    for each in conversations:
        stated = list(_stated(each["messages"]))
        kept = standing(stated)
        asked = [question for question in each["questions"] if question["category"] in _ASKED]
        yield (
            f"BEAM {each['id']}: {len(stated)} found, {len(kept)} in the prefix, "
            f"{sum(len(wish.text) for wish in kept)} characters; of {len(asked)} questions "
            f"{_served(asked, stated)} found, {_served(asked, kept)} in the prefix"
        )


def _cost(conversations: Sequence[Mapping[str, Any]]) -> str:
    """Return the CPU time for a message of a user, once all rules are loaded."""
    texts = [
        message["content"]
        for each in conversations
        for message in each["messages"]
        if message["role"] == "user"
    ]
    begin = process_time()
    for text in texts:
        wishes(text)
    return f"{(process_time() - begin) / len(texts) * 1000:.2f} ms CPU for a message of a user"


def _stated(messages: Sequence[Mapping[str, Any]]) -> Iterator[Stated]:
    for each in messages:
        for wish in wishes(each["content"]) if each["role"] == "user" else ():
            said_at = _BEGIN + timedelta(minutes=each["id"])
            yield Stated(
                text=wish.text, said_at=said_at, id=str(each["id"]), strength=wish.strength
            )


def _served(asked: Sequence[Mapping[str, Any]], wished: Sequence[Stated]) -> int:
    """Count the questions of which a message with evidence states one of the wishes."""
    ids = {each.id for each in wished}
    return sum(not ids.isdisjoint(map(str, question["evidence"])) for question in asked)


if __name__ == "__main__":
    main()
