"""Write the examples of the OpenAPI document: a real call of each verb, and what it answered.

With --check, only test if the file has an example for each verb.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import erstwhile
from erstwhile import Decision, DecisionRequest, Memory
from erstwhile.core.public_record import to_json
from erstwhile.facts.conflict import note_conflict
from erstwhile.rpc.codec import encode_argument
from erstwhile.rpc.verbs import verbs
from erstwhile.testing.clock import FakeClock
from erstwhile.testing.scripted_llm import ScriptedLlm

TARGET = Path(__file__).resolve().parents[1] / "src/erstwhile/servers/http/examples.json"
SETTINGS = erstwhile.Settings(tokenizer="estimate")
OF_STORE = {"reembed", "maintain", "audit.repair_time"}
"""Verbs about all scopes."""
Calls: TypeAlias = Generator[tuple[str, dict[str, Any]], Any, None]
"""Calls of verbs with arguments; each yields the result of the call."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only fail if one is missing")
    if parser.parse_args().check:
        return int(set(json.loads(TARGET.read_text("utf-8"))) != set(verbs()))
    made = examples()
    lines = [f"{json.dumps(name)}: {json.dumps(made[name], ensure_ascii=False)}" for name in made]
    TARGET.write_text("\n".join(("{", ",\n".join(lines), "}", "")), "utf-8")
    return 0


def examples() -> dict[str, Any]:
    """Return the arguments besides those in the path, the path, and the answer, for each verb."""
    found: dict[str, Any] = {}
    for calls in (facts, memory_itself, learning, given_up, blocks, snapshots, decisions,
                  conversations, tasks, checkpoints, records, people):  # fmt: skip
        llm = ScriptedLlm(*["no answer"] * 10) if calls is given_up else None
        with erstwhile.open(":memory:", settings=SETTINGS, clock=FakeClock(), llm=llm) as store:
            memory = store.scoped(user="ana")
            run, result = calls(memory), None
            try:
                while True:
                    name, arguments = run.send(result)
                    result = verbs()[name].call(_owner(store, memory, name), arguments)
                    found[name] = _example(name, arguments, result)
            except StopIteration:
                continue
    if missing := verbs().keys() - found.keys():
        raise SystemExit(f"add a call of {', '.join(sorted(missing))}")
    return {name: found[name] for name in verbs()}


def _owner(store: Memory, memory: Memory, name: str) -> Memory:
    if name in OF_STORE:
        return store.everything()
    return store if name.startswith("identities.") else memory


def _example(name: str, arguments: dict[str, Any], result: Any) -> dict[str, Any]:
    verb = verbs()[name]
    given = {each: encode_argument(value) for each, value in arguments.items()}
    path = {each: value for each, value in given.items() if each in verb.in_path}
    rest = {each: value for each, value in given.items() if each not in verb.in_path}
    return {"path": path, "arguments": rest, "answer": to_json(result)}


def facts(memory: Memory) -> Calls:
    tea = memory.remember("I like green tea", tags=["drinks"], entities=["tea"])
    yield "remember_many", {"items": ["Ana speaks Portuguese", {"text": "Ana cycles to work"}]}
    yield "facts.set", {"key": "city", "value": "Lisbon"}
    yield "facts.value", {"key": "city"}
    yield "facts.list", {"limit": 2}
    yield "facts.count", {"tag": "drinks"}
    yield "facts.find", {"text": "green tea"}
    yield "facts.get", {"id": tea.id}
    yield "facts.pin", {"id": tea.id}
    yield "facts.unpin", {"id": tea.id}
    yield "facts.update", {"id": tea.id, "kind": "preference", "tags": ["drinks", "tea"]}
    yield "facts.confirm", {"id": tea.id, "reason": "Ana said it again"}
    yield "facts.retire", {"id": tea.id, "ending": "wrong", "reason": "it was coffee"}
    yield "facts.undo", {"id": tea.id}
    yield "facts.replace_text", {"text": "cycles to work", "new_text": "Ana walks to work"}
    new = yield "facts.replace", {"id": tea.id, "new_text": "I like black tea"}
    yield "facts.history", {"id": new.id}
    yield "facts.move", {"id": new.id, "to": "shared"}
    yield "facts.forget", {"text": "walks to work", "reason": "Ana asked for it"}
    speaks = memory.facts.find("Portuguese")
    yield "facts.delete", {"id": speaks.id, "reason": "Ana asked for it"}
    yield "facts.restore", {"id": speaks.id}
    gone = yield "facts.delete_all", {"reason": "Ana asked for it"}
    yield "facts.restore_all", {"since": gone.at}
    yield "facts.purge_retired", {"older_than": "90 days", "preview": True}
    yield "facts.purge", {"older_than": "30 days"}
    yield "facts.erase", {"ids": [speaks.id]}
    yield "entities.list", {"limit": 2}
    memory.remember("Tea comes from Assam", relations=[("tea", "comes from", "Assam")])
    yield "entities.add_alias", {"name": "tea", "aliases": ["chai"]}
    yield "entities.get", {"name": "tea", "limit": 2}
    yield "entities.remove_alias", {"name": "tea", "aliases": ["chai"]}


def memory_itself(_memory: Memory) -> Calls:
    peanuts = yield "remember", {"text": "I am allergic to peanuts", "kind": "profile"}
    yield "recall", {"query": "what am I allergic to?", "limit": 3}
    yield "why_not", {"query": "tea", "id": peanuts.id}
    yield "context", {"query": "dinner", "tokens": 500}
    yield "feedback", {"ids": [peanuts.id], "verdict": "useful"}
    yield "stats", {}
    yield "scopes", {}
    yield "users", {}
    yield "tags", {}
    yield "ping", {}
    yield "flush", {"timeout": 10.0}
    yield "reembed", {}
    yield "audit.list", {"limit": 2}
    yield "audit.verify", {}
    yield "audit.repair_time", {"preview": True}
    yield "maintain", {"preview": True}
    yield "clear", {"collection": "lessons", "preview": True}
    yield "erase_scope", {"user": "ana", "session": "s1", "preview": True}
    yield "erase_user", {"user": "ana", "preview": True}


def learning(memory: Memory) -> Calls:
    yield "observe", {"messages": [{"role": "user", "content": "I play chess"}], "wait": True}
    yield "observe_turn", {"user": "I moved to Porto", "assistant": "Noted.", "wait": True}
    yield "learn", {}
    yield "learning.attempts", {"limit": 1}
    said = ["The user has a cat.", "The user has a cat called Tom"]
    memory.remember_many([{"text": text, "origin": "learned"} for text in said])
    merged = yield "consolidate", {}
    yield "consolidations.undo", {"id": merged.id, "reason": "Ana has two cats"}
    yield "learning.pending", {}
    yield "learning.status", {}
    held = memory.remember("The office is in Porto", origin="web")
    other = memory.remember("The office is in Faro", origin="web")
    yield "quarantine.list", {"limit": 1}
    yield "quarantine.approve", {"id": held.id, "reason": "I checked it"}
    yield "quarantine.reject", {"id": other.id, "reason": "it is wrong"}
    yield "quarantine.undo", {"id": other.id, "reason": "a slip"}
    older, newer = memory.remember("Ana has two cats"), memory.remember("Ana has three cats")
    memory._access.change(lambda unit: note_conflict(unit, newer, [older], "the numbers differ"))  # noqa: SLF001
    [found] = yield "conflicts.list", {"limit": 1}
    yield "conflicts.get", {"id": found.id}
    yield "conflicts.settle", {"id": found.id, "keep": newer.id, "reason": "a third one came"}
    yield "conflicts.undo", {"id": found.id, "reason": "a slip"}


def given_up(memory: Memory) -> Calls:
    made = memory.observe_turn("I restore old radios.", "Nice.", wait=True).attempts
    yield "learning.retry", {"id": made[-1].id}


def blocks(_memory: Memory) -> Calls:
    yield "blocks.add", {"name": "notes", "content": "Ask before booking.", "limit_tokens": 100}
    notes = {"name": "notes"}
    yield "blocks.update", {**notes, "content": "Book aisle seats.", "expected_version": 1}
    yield "blocks.append", {**notes, "text": "Ask for a vegan meal."}
    yield "blocks.insert", {**notes, "line": 1, "text": "No night flights."}
    yield "blocks.replace_text", {**notes, "old": "aisle", "new": "window"}
    yield "blocks.describe", {**notes, "description": "What matters for a journey."}
    yield "blocks.set_limit", {**notes, "limit_tokens": 200}
    yield "blocks.set_read_only", {**notes, "read_only": False}
    yield "blocks.get", notes
    yield "blocks.list", {"limit": 1}
    yield "blocks.diff", {**notes, "from_version": 1, "to_version": 2}
    yield "blocks.history", {**notes, "limit": 1}
    yield "blocks.overflow", notes
    yield "blocks.prune", {**notes, "keep": 3}
    yield "blocks.delete", notes
    yield "blocks.restore", notes
    yield "blocks.rename", {**notes, "new_name": "travel/notes"}
    yield "blocks.rename_folder", {"folder": "travel", "new_folder": "journeys"}
    yield "blocks.delete_folder", {"folder": "journeys"}
    yield "blocks.purge", {"older_than": "30 days"}
    yield "blocks.erase", {"names": ["journeys/notes"]}


def snapshots(memory: Memory) -> Calls:
    memory.facts.set("city", "Lisbon")
    yield "snapshots.create", {"name": "before", "description": "Before the move."}
    memory.facts.set("city", "Porto")
    yield "snapshots.list", {"limit": 1}
    yield "snapshots.get", {"name": "before"}
    yield "snapshots.diff", {"name": "before"}
    yield "snapshots.restore", {"name": "before", "reason": "the move was cancelled"}
    yield "snapshots.delete", {"name": "before"}
    yield "snapshots.purge", {"older_than": "30 days"}
    yield "snapshots.erase", {"names": ["before"]}


def decisions(_memory: Memory) -> Calls:
    asked = DecisionRequest(goal="ship", tool="bash", input={"command": "git push"})
    decided = Decision(
        goal="ship", tool="bash", input={"command": "git push"}, choice="allow", key="push"
    )
    push = yield "decisions.record", {"decision": decided}
    yield "decisions.advise", {"request": asked}
    yield "decisions.recall", {"request": asked, "limit": 3}
    yield "decisions.list", {"limit": 1}
    yield "decisions.count", {"tool": "bash"}
    yield "decisions.export", {"tool": "bash"}
    yield "decisions.get", {"id": push.id}
    yield "decisions.set_outcome", {"id": push.id, "text": "It was deployed.", "good": True}
    later = replace(decided, choice="deny", key="no-push")
    new = yield "decisions.supersede", {"id": push.id, "by": later, "reason": "a freeze began"}
    yield "decisions.trust", {"id": new.id}
    yield "decisions.delete", {"id": new.id}
    yield "decisions.restore", {"id": new.id}
    yield "decisions.purge", {"older_than": "30 days"}
    yield "decisions.erase", {"ids": [new.id]}


def conversations(_memory: Memory) -> Calls:
    talk = yield "conversations.start", {"channel": "telegram"}
    own = {"conversation": talk.id}
    yield "conversations.current", {"channel": "telegram"}
    hello = yield "conversations.add", {"role": "user", "content": "Hello", **own}
    said = [{"role": "assistant", "content": "Hi!"}, {"role": "user", "content": "I like tea."}]
    yield "conversations.add_many", {"messages": said, **own}
    yield "conversations.add_exchange", {"user": "Which tea?", "assistant": "Green.", **own}
    yield "conversations.list", {"limit": 1}
    yield "conversations.stats", {}
    yield "conversations.search", {"query": "tea", "limit": 1}
    yield "conversations.get", {"id": talk.id}
    yield "conversations.message", {"id": hello.id}
    yield "conversations.messages", {"id": talk.id, "limit": 1}
    yield "conversations.branch", {"message": hello.id}
    yield "conversations.undo", {"id": talk.id, "count": 1}
    yield "conversations.compact", {"id": talk.id, "summary": "They greeted each other."}
    yield "conversations.transcript", {"id": talk.id, "limit": 2}
    yield "conversations.expand", {"id": talk.id}
    yield "conversations.close", {"id": talk.id, "summary": "About tea."}
    yield "conversations.summaries", {"limit": 1}
    yield "conversations.reopen", {"id": talk.id}
    yield "conversations.delete", {"id": talk.id}
    yield "conversations.restore", {"id": talk.id}
    yield "conversations.purge", {"older_than": "30 days"}
    yield "conversations.erase", {"ids": [talk.id]}
    yield "sessions.set", {"session_id": "thread_1", "channel": "codex"}
    yield "sessions.get", {"channel": "codex"}
    yield "sessions.list", {"limit": 1}
    yield "sessions.clear", {"channel": "codex"}
    yield "sessions.erase", {"channel": "codex"}


def tasks(memory: Memory) -> Calls:
    made = yield "tasks.add", {"description": "Water the plants", "due": "in 3 days"}
    id = made.task.id
    yield "tasks.update", {"id": id, "due": "in 2 days", "reason": "it is hot"}
    yield "tasks.list", {"limit": 1}
    yield "tasks.get", {"id": id}
    yield "tasks.defer", {"id": id, "until": "in 4 days"}
    claim = yield "tasks.claim", {"id": id, "worker": "gardener"}
    held = {"id": id, "token": claim.token}
    yield "tasks.heartbeat", {**held, "lease": "10 minutes"}
    yield "tasks.release", held
    claim = memory.tasks.claim(id, "gardener")
    yield "tasks.fail", {"id": id, "token": claim.token, "error": "no water"}
    memory.tasks.add("Feed the cat", due="in 1 second")
    memory._access.clock.advance(seconds=2)  # type: ignore[attr-defined]  # noqa: SLF001
    claimed = yield "tasks.claim_due", {"worker": "keeper", "limit": 1}
    [fed] = claimed
    yield "tasks.complete", {"id": fed.task.id, "token": fed.token, "result": "Done."}
    yield "tasks.runs", {"id": fed.task.id, "limit": 1}
    walk = memory.tasks.add("Walk the dog", due="in 1 day").task.id
    yield "tasks.cancel", {"id": walk, "reason": "it rains"}
    yield "tasks.delete", {"id": walk}
    yield "tasks.restore", {"id": walk}
    yield "tasks.purge", {"older_than": "30 days"}
    yield "tasks.erase", {"ids": [walk]}


def checkpoints(memory: Memory) -> Calls:
    run, build = {"run": "release"}, {"run": "release", "phase": "build"}
    yield "checkpoints.plan", {**run, "phases": ["build", "test", "ship"]}
    yield "checkpoints.start", build
    yield "checkpoints.save", {**build, "output": "half of it"}
    yield "checkpoints.complete", {**build, "output": "app.tar"}
    yield "checkpoints.record", {**run, "phase": "lint", "output": "no findings"}
    memory.checkpoints.start("release", "test")
    yield "checkpoints.fail", {**run, "phase": "test", "error": "two tests failed"}
    yield "checkpoints.get", build
    yield "checkpoints.list", run
    yield "checkpoints.resume", run
    yield "checkpoints.runs", {"limit": 1}
    yield "checkpoints.delete", run
    yield "checkpoints.restore", run
    yield "checkpoints.purge", {"older_than": "30 days"}
    yield "checkpoints.erase", run


def records(_memory: Memory) -> Calls:
    added = {
        "outcomes": {"domain": "deploy", "score": 1, "note": "It went well."},
        "lessons": {"domain": "travel", "rule": "Check the visa first."},
        "observations": {"type": "decision", "title": "Use SQLite", "why": "One file is enough."},
        "limitations": {"title": "No calendar", "plan": "Add a tool."},
    }
    for name, given in added.items():
        made = yield f"{name}.add", given
        yield f"{name}.list", {"limit": 1}
        yield f"{name}.get", {"id": made.id}
        if name == "outcomes":
            yield "outcomes.tally", {"domain": "deploy"}
        if name == "observations":
            yield "observations.search", {"query": "database", "limit": 1}
        if name == "limitations":
            yield "limitations.resolve", {"id": made.id, "resolution": "A tool was added."}
        yield from _hidden(name, made.id)
    used = yield "usage.record", {"model": "gpt-5", "input": 1200, "output": 300, "cost": "0.01"}
    yield "usage.list", {"limit": 1}
    yield "usage.get", {"id": used.id}
    yield "usage.summary", {"by": "model"}
    yield "usage.price", {"model": "gpt-5"}
    yield from _hidden("usage", used.id)


def _hidden(collection: str, id: str) -> Calls:
    yield f"{collection}.delete", {"id": id}
    yield f"{collection}.restore", {"id": id}
    yield f"{collection}.purge", {"older_than": "30 days"}
    yield f"{collection}.erase", {"ids": [id]}


def people(memory: Memory) -> Calls:
    memory.facts.set("city", "Lisbon")
    yield "profile.text", {}
    yield "profile.values", {}
    yield "profile.set_language", {"code": "pt"}
    yield "profile.language", {}
    yield "profile.detect_language", {"text": "Onde fica a biblioteca?"}
    yield "profile.notice_language", {"text": "Onde fica a biblioteca?"}
    yield "onboarding.next", {}
    yield "onboarding.reached", {}
    yield "identities.link", {"alias": "telegram:42", "person": "ana"}
    yield "identities.list", {"limit": 1}
    yield "identities.resolve", {"name": "telegram:42"}
    yield "identities.aliases", {"person": "ana"}
    yield "identities.erase", {"aliases": ["telegram:42"]}
    yield "identities.link", {"alias": "telegram:42", "person": "ana"}
    yield "identities.unlink", {"alias": "telegram:42"}


if __name__ == "__main__":
    sys.exit(main())
