"""What a script of the shell does, as far as it is read."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from erstwhile.decisions.act_kinds import calls_address
from erstwhile.decisions.program_table import listed, normalised_target, pairs
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
    def requests(self) -> bool:
        """Whether it calls an address."""
        return any(calls_address(act) for act in self.acts)

    @property
    def text(self) -> str:
        """All words in it, without their quotes."""
        acts = (*self.acts, *self.possible)
        named = (word for act in acts for word in (act.program, *act.words, *act.named))
        own = (pairs("own_files").get(act.call, "") for act in acts)
        called = (word for call in self.calls for word in call)
        return " ".join((*named, *own, *called, *self.codes))


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


def guess(found: Script) -> Script:
    """Return a script that was read in a text which may be none."""
    acts = (replace(act, guessed=True) for act in (*found.acts, *found.possible))
    return replace(found, acts=(), possible=tuple(acts), opaque=False)


def acts_after_cd(commands: Sequence[Command], parts: Sequence[Script]) -> Iterator[ShellAct]:
    folder = ""
    for command, part in zip(commands, parts, strict=True):
        if command.words[:1] and command.words[0] in listed("moving"):
            places = [word for word in command.words[1:] if word[:1] != "-"]
            folder = posixpath.join(folder, *(places[:1] or ["~"]))
        elif folder:
            for act in (*part.acts, *part.possible):
                targets = {normalised_target(posixpath.join(folder, each)) for each in act.named}
                order = [normalised_target(posixpath.join(folder, each)) for each in act.order]
                yield replace(act, targets=targets, order=order, unsure=set(), otherwise=None)
