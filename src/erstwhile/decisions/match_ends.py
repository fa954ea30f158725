"""Find acts of other programs with the same end: they delete, stop or publish the same."""

from __future__ import annotations

import posixpath
import re

from erstwhile.decisions.match_targets import names_target, overlaps
from erstwhile.decisions.program_table import families, listed
from erstwhile.decisions.shell_acts import ShellAct
from erstwhile.decisions.shell_effects import Script

_NO_DEVICES = frozenset(("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/stdin"))


def overwrites(denied: ShellAct, asked: ShellAct) -> bool:
    """Return whether an act writes to a device or a file that a denied act names."""
    targets = {each.partition("=")[2] or each for each in denied.named}
    devices = {each for each in targets if each.startswith("/dev/") and each not in _NO_DEVICES}
    if devices & {each.partition("=")[2] or each for each in asked.named | asked.written}:
        return not {asked.program, asked.call} & listed("texts")
    return denied.program in listed("removing") and bool(targets & asked.written)


def changes_file(asked: Script, file: str) -> bool:
    """Return whether a script may change a file."""
    for act in (*asked.acts, *asked.possible):
        in_place = any(option[:1] == "i" for option in (*act.options, *(n for n, _ in act.values)))
        changed = act.named | set(act.words) if act.program in listed("changing") else set()
        changed |= act.named if in_place and act.program in listed("changing_in_place") else set()
        changed |= act.written
        if any(overlaps(each.removeprefix("of="), file) for each in changed - {"."}):
            return True
    return any(posixpath.basename(file) in code for code in asked.codes)


def ends_otherwise(denied: ShellAct, asked: ShellAct) -> bool:
    """Return whether an act deletes, stops or publishes the same, by whatever program."""
    if {asked.program, asked.call} & (listed("texts") | listed("silent") | {"find"}):
        return False
    if (asked.trial and asked.sure_trial) or not _endings(denied) & _endings(asked):
        return False
    targets = denied.named - listed("remotes")
    if not targets:
        alone = not asked.named and asked.otherwise is None and asked.program != denied.program
        return alone and asked.words == denied.words != []
    given = [asked.program, asked.path, *asked.words, *asked.named, *asked.texts]
    given += [value for _, value in asked.values]
    if asked.program in listed("with_kinds"):
        given = [each for each in given if each.startswith("/")]
    return all(any(names_target(each, target) for each in given) for target in targets)


_ENDINGS = frozenset(("delete", "stop", "publish"))


def _endings(act: ShellAct) -> set[str]:
    """Return what an act does that cannot be undone: it deletes, stops or publishes."""
    known = families("same_verbs")
    said = [act.program, *act.words, *(each for each in act.options if len(each) > 3)]
    said += [*act.named, *(value for _, value in act.values)]
    words = {word for each in said for word in re.findall(r"[a-z]+", each.casefold())}
    return {known.get(word, "") for word in words} & _ENDINGS
