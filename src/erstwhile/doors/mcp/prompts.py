"""The prompts that a user can choose in a client. Their texts are in the folder `prompts`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from erstwhile.doors.mcp.own_files import read_json, read_text
from erstwhile.doors.mcp.surface import WrittenPrompt
from erstwhile.doors.mcp.views import fact_view

if TYPE_CHECKING:
    from erstwhile.memory import Memory

_NEWEST = 50
_EMPTY = "(nothing yet)"
_Parts: TypeAlias = "Callable[[Memory, Mapping[str, str]], Mapping[str, str]]"


def memory_prompts() -> list[WrittenPrompt]:
    """Return the prompts about a memory."""
    return [
        WrittenPrompt(definition=each, write=_writer(each["name"]))
        for each in read_json("prompts.json")
    ]


def _writer(name: str) -> Callable[[Memory, Mapping[str, str]], str]:
    def write(memory: Memory, given: Mapping[str, str]) -> str:
        return read_text(f"prompts/{name}.md").format(**_PARTS[name](memory, given))

    return write


def _about_me(memory: Memory, given: Mapping[str, str]) -> Mapping[str, str]:
    subject = given.get("subject", "").strip()
    about = f" about {subject}" if subject else ""
    return {"about": about, "memory": memory.context(subject).text or _EMPTY}


def _review_learned(memory: Memory, _given: Mapping[str, str]) -> Mapping[str, str]:
    newest = [fact_view(fact) for fact in memory.facts.list(limit=_NEWEST)]
    lines = [json.dumps(fact, ensure_ascii=False) for fact in newest]
    return {"memory": "\n".join(lines) or _EMPTY}


_PARTS: dict[str, _Parts] = {
    "about_me": _about_me,
    "review_learned": _review_learned,
    "end_of_session": lambda _memory, _given: {},
}
"""What is filled into the text of each prompt."""
