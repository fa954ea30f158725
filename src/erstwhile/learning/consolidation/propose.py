"""Ask a language model about statements that resemble each other, and check its answer.

What the model writes is only proposed, and only if `statements` proves that it loses no number,
name, date or negation and adds nothing. One call asks about one group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from erstwhile.adapters.llm.answers import parse
from erstwhile.core.kinds import Kind
from erstwhile.core.ports import Prompt
from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import GuardAction
from erstwhile.learning.consolidation.plan import REPEATED
from erstwhile.learning.consolidation.statements import adds, lost
from erstwhile.learning.extract import MAX_FACT, as_data, filled, list_of, object_with
from erstwhile.learning.guard.checks import examine, kept
from erstwhile.records.model import Observation

Member: TypeAlias = Fact | Observation
"""A statement that the model sees."""
_TEXT = {"type": "string"}
_IDS = list_of(_TEXT)
SCHEMA = object_with(
    {
        "merge": list_of(object_with({"ids": _IDS, "text": _TEXT})),
        "over": list_of(object_with({"id": _TEXT, "by": _TEXT})),
        "instruction": object_with({"ids": _IDS, "text": _TEXT}),
    }
)
_MAX_LENGTH = 2 * MAX_FACT
"""The characters of a statement that may be merged: the model must see all of it."""


@dataclass(frozen=True, slots=True)
class ModelSuggestion:
    """A checked suggestion of the model: a merged text, an ended fact, an instruction, a lesson."""

    act: str
    members: tuple[Member, ...]
    text: str = ""


def suggestions(
    group: Sequence[Member], ask: Callable[[Prompt], str]
) -> tuple[list[ModelSuggestion], list[str]]:
    """Return the checked suggestions about a group, and why the others are left out."""
    shown = {f"s{number}": each for number, each in enumerate(group, 1)}
    lines = [as_data(_line(id, each)) for id, each in shown.items()]
    rules, question = filled("consolidate.md", {"statements": "\n".join(lines)})
    answer = parse(ask(Prompt(system=rules, user=question, schema=SCHEMA)), SCHEMA)
    accepted, notes = list[ModelSuggestion](), list[str]()
    for each in _read(answer, shown):
        objection = _objection(each)
        if objection:
            notes.append(f"a suggestion of the model was left out: {objection}")
        else:
            accepted.append(each)
    return accepted, notes


def can_be_shown(member: Member) -> bool:
    """Return whether a statement is short enough to be shown whole."""
    return len(member.searched) <= _MAX_LENGTH


def _line(id: str, member: Member) -> Mapping[str, str]:
    if isinstance(member, Fact):
        since = f"{member.valid_from:%Y-%m-%d}"
        return {"id": id, "kind": member.kind, "since": since, "text": member.text}
    return {"id": id, "kind": "observation", "text": member.searched}


def _read(answer: Mapping[str, Any], shown: Mapping[str, Member]) -> Iterator[ModelSuggestion]:
    """Yield the suggestions of an answer; ids that were not shown are left out."""
    of_facts = any(isinstance(each, Fact) for each in shown.values())
    for item in answer["merge"]:
        members = tuple(shown[id] for id in dict.fromkeys(item["ids"]) if id in shown)
        yield ModelSuggestion("merge" if of_facts else "lesson", members, item["text"].strip())
    if not of_facts:
        return
    for item in answer["over"]:
        if item["id"] in shown and item["by"] in shown and item["id"] != item["by"]:
            yield ModelSuggestion("over", (shown[item["id"]], shown[item["by"]]))
    wish = answer["instruction"]
    members = tuple(shown[id] for id in dict.fromkeys(wish["ids"]) if id in shown)
    if members and wish["text"].strip():
        yield ModelSuggestion("instruction", members, wish["text"].strip())


def _objection(each: ModelSuggestion) -> str:
    """Return why a suggestion is not followed; an empty text if it is."""
    least = {"merge": 2, "over": 2}.get(each.act, REPEATED)
    if len(each.members) < least:
        return f"{len(each.members)} statements are too few"
    if each.act == "over":
        return ""
    originals = [member.searched for member in each.members]
    if (
        not each.text
        or kept(each.text, found := examine(each.text)) != each.text
        or any(verdict.action in (GuardAction.HOLD, GuardAction.REFUSE) for verdict in found)
    ):
        return "the guard objects to its text"
    if each.act == "merge":
        kinds = {(m.kind, m.key, m.expires_at) for m in each.members if isinstance(m, Fact)}
        if len(kinds) > 1 or (Kind.EVENT in next(iter(kinds)) and len(_days(each)) > 1):
            return "the statements differ in kind, key, end or day"
        wrong = lost(originals, each.text)
        return f"it loses, adds or moves {', '.join(wrong[:5])}" if wrong else ""
    invented = adds(originals, each.text)
    return f"it adds {', '.join(invented[:5])}" if invented else ""


def _days(each: ModelSuggestion) -> set[object]:
    return {member.valid_from.date() for member in each.members if isinstance(member, Fact)}
