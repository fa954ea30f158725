"""What a script of the shell does, as far as it is read."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from erstwhile.decisions.program_table import listed, normalised_target
from erstwhile.decisions.shell_acts import ShellAct
from erstwhile.decisions.shell_parser import Command


@dataclass(frozen=True, slots=True)
class Script:
    """The acts of a script, and what else it may do."""

    acts: tuple[ShellAct, ...] = ()
    opaque: bool = False
    """Whether a part of it may run any words."""
    calls: tuple[Sequence[str], ...] = ()
    """The words of each call: a program of which we know nothing may run the rest of them."""
    possible: tuple[ShellAct, ...] = ()
    """Acts that it may do, such as those after `cd`, with their targets in that folder."""
    codes: tuple[str, ...] = ()
    """Code in other languages."""
    unsafe: frozenset[str] = frozenset()
    """Programs whose settings are changed, so that any call of them may do anything."""

    @property
    def text(self) -> str:
        """All words in it, without their quotes."""
        acts = (*self.acts, *self.possible)
        named = (word for act in acts for word in (act.program, *act.words, *act.named))
        return " ".join((*named, *(word for call in self.calls for word in call), *self.codes))


OPAQUE = Script(opaque=True)


def merge(parts: Iterable[Script]) -> Script:
    found = list(parts)
    return Script(
        acts=tuple(act for part in found for act in part.acts),
        opaque=any(part.opaque for part in found),
        calls=tuple(call for part in found for call in part.calls),
        possible=tuple(act for part in found for act in part.possible),
        codes=tuple(code for part in found for code in part.codes),
        unsafe=frozenset(name for part in found for name in part.unsafe),
    )


def for_all(run: Script) -> Script:
    """Return what a command does if it is run for each file in a folder."""
    deep = (replace(act, options=act.options | {"r", "R"}) for act in run.acts)
    return replace(run, possible=(*run.possible, *deep))


def acts_after_cd(commands: Sequence[Command], parts: Sequence[Script]) -> Iterator[ShellAct]:
    folder = ""
    for command, part in zip(commands, parts, strict=True):
        if command.words[:1] and command.words[0] in listed("moving"):
            places = [word for word in command.words[1:] if word[:1] != "-"]
            folder = posixpath.join(folder, *places[:1])
        elif folder:
            for act in (*part.acts, *part.possible):
                targets = {normalised_target(posixpath.join(folder, each)) for each in act.named}
                yield replace(act, targets=targets, unsure=set(), otherwise=None)
