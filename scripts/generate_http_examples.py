"""Write the examples of the OpenAPI document: real calls, and what they answered.

With --check, only test if the file has an example for each verb that it should have.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import erstwhile
from erstwhile import Decision, DecisionRequest, Memory
from erstwhile.core.public_record import to_json
from erstwhile.rpc.codec import encode_argument
from erstwhile.rpc.verbs import verbs
from erstwhile.testing.clock import FakeClock

TARGET = Path(__file__).resolve().parents[1] / "src/erstwhile/servers/http/examples.json"
SETTINGS = erstwhile.Settings(tokenizer="estimate", embedder="none")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only fail if one is missing")
    if parser.parse_args().check:
        known = json.loads(TARGET.read_text("utf-8"))
        return int(set(known) != {name for name, _ in calls("", "")})
    with erstwhile.open(":memory:", settings=SETTINGS, clock=FakeClock()) as memory:
        made = examples(memory.scoped(user="ana"))
    TARGET.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return 0


def examples(memory: Memory) -> dict[str, Any]:
    """Return each call with its arguments besides those in the path, and its answer."""
    tea = memory.remember("I like green tea", tags=["drinks"])
    talk = memory.conversations.start()
    found: dict[str, Any] = {}
    for name, arguments in calls(tea.id, talk.id):
        verb = verbs()[name]
        answer = to_json(verb.call(memory, arguments))
        given = {each: encode_argument(value) for each, value in arguments.items()}
        rest = {each: value for each, value in given.items() if each not in verb.in_path}
        found[name] = {"arguments": rest, "answer": answer}
    return found


def calls(fact: str, conversation: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the calls that are shown, in an order in which each works."""
    asked = DecisionRequest(goal="ship", tool="bash", input={"command": "git push"})
    decided = Decision(
        goal="ship", tool="bash", input={"command": "git push"}, choice="allow", key="push"
    )
    return [
        ("remember", {"text": "I am allergic to peanuts", "kind": "profile"}),
        ("facts.set", {"key": "city", "value": "Lisbon"}),
        ("facts.list", {"limit": 2}),
        ("facts.get", {"id": fact}),
        ("facts.retire", {"id": fact, "ending": "wrong", "reason": "it was coffee"}),
        ("recall", {"query": "what am I allergic to?", "limit": 3}),
        ("context", {"query": "dinner", "tokens": 500}),
        ("observe", {"messages": [{"role": "user", "content": "I play chess"}], "wait": True}),
        ("observe_turn", {"user": "I moved to Porto", "assistant": "Noted.", "wait": True}),
        ("conversations.add", {"role": "user", "content": "Hello", "conversation": conversation}),
        ("blocks.add", {"name": "notes", "content": "Ask before booking."}),
        ("blocks.update", {"name": "notes", "content": "Book aisle seats.", "expected_version": 1}),
        ("blocks.get", {"name": "notes"}),
        ("decisions.record", {"decision": decided}),
        ("decisions.advise", {"request": asked}),
        ("tasks.add", {"description": "Water the plants", "due": "in 3 days"}),
        ("lessons.add", {"domain": "travel", "rule": "Check the visa first."}),
        ("audit.list", {"limit": 2}),
        ("stats", {}),
    ]


if __name__ == "__main__":
    sys.exit(main())
