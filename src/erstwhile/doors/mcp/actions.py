"""Tools with several actions: which arguments each action needs and takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from erstwhile.core.errors import InvalidInputError
from erstwhile.doors.mcp.surface import Arguments, ToolAnswer

if TYPE_CHECKING:
    from erstwhile.memory import Memory


@dataclass(frozen=True, slots=True)
class ToolAction:
    """One action of a tool. `run` gets the memory and the arguments by name."""

    run: Callable[..., dict[str, Any]]
    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()


def one_of(actions: Mapping[str, ToolAction]) -> Callable[[Memory, Arguments], ToolAnswer]:
    """Return the function that runs a tool by its argument `action`."""

    def run(memory: Memory, given: Arguments) -> ToolAnswer:
        name = given["action"]
        chosen, rest = actions[name], {key: given[key] for key in given if key != "action"}
        if missing := [each for each in chosen.needs if each not in rest]:
            raise InvalidInputError(f"{name} needs {missing[0]}", remedy="give it, and call again")
        if other := sorted(set(rest) - {*chosen.needs, *chosen.takes}):
            allowed = ", ".join((*chosen.needs, *chosen.takes)) or "nothing else"
            raise InvalidInputError(f"{name} takes no {other[0]}", remedy=f"it takes {allowed}")
        return ToolAnswer(chosen.run(memory, **rest))

    return run
