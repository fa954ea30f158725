"""Compare two acts: may one of them turn out to do what was denied?

It is a reason to ask, never to deny. Three things are compared: what is done (the verb), to what
(the target), and where (the program, or a kind of place such as databases). An act is surely
something else if it only tells or builds something, if its verb is known and a milder or another
one, if it lacks an option that was denied, or if it names other targets.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from erstwhile.decisions.act_kinds import CODE, SYSTEM_FILES, known_programs
from erstwhile.decisions.match_reach import Reach
from erstwhile.decisions.match_targets import could_become, names_target, overlaps
from erstwhile.decisions.match_verbs import has_options
from erstwhile.decisions.program_table import canonical, listed, pairs, patterns
from erstwhile.decisions.shell_acts import ShellAct, parse_act
from erstwhile.decisions.shell_effects import Script
from erstwhile.decisions.shell_expansion import HOLE

_GLUE = re.compile(r"[=:,!@|;)]")
"""What may stand beside the name of a program in a word: --command=npm."""
_MAX_TAILS = 20
"""How many tails are read; a longer list is taken for a denied act."""


def might_match(asked: Script, denied: Script) -> bool:
    """Return whether an act of a denied script may be in the asked one."""
    if asked.opaque:
        return True
    if denied.opaque:
        return False  # what runs no unknown words itself can only prepare such a call
    acts = [act for act in denied.acts if not act.profile.harmless] or denied.acts
    if all(act.program in listed("runners") for act in acts):
        acts = [act for act in denied.possible if act.guessed] or acts
    return any(_might_do(one, asked) for act in acts for one in _likely_readings(act))


def _likely_readings(act: ShellAct) -> Iterator[ShellAct]:
    """Yield an act, and once more if its long options take values."""
    yield act
    flags = listed("switching_options") | listed("assent") | listed("mild") | listed("quiet")
    if act.otherwise and all(
        len(each) > 1 and each not in flags for each, _ in act.otherwise.values - act.values
    ):
        yield act.otherwise


def _might_do(denied: ShellAct, asked: Script) -> bool:
    if denied.program in asked.unsafe:
        return True
    tails = [tail for call in asked.calls for tail in _tails(denied, call)]
    codes = (ShellAct(CODE, texts=[code]) for code in asked.codes)
    acts = (*asked.acts, *asked.possible, *tails, *codes)
    readings = (reading for act in acts for reading in act.readings)
    return len(tails) > _MAX_TAILS or any(
        denied.is_in(each) or _might_be(denied, each) for each in readings
    )


def _tails(denied: ShellAct, call: Sequence[str]) -> Iterator[ShellAct]:
    """Yield the last words of a call as acts of the denied program, which another one may run."""
    for at, word in enumerate(call[1:], start=1):
        names = [] if word.startswith(SYSTEM_FILES) else _GLUE.split(word)
        names += [word[2:]] if word[:1] == "-" != word[1:2] else []
        named = any(denied.program == canonical(each) for each in names)
        if named and (call[at + 1 :] or denied.size == 1):
            yield parse_act(denied.program, call[at + 1 :], ())


def _might_be(denied: ShellAct, asked: ShellAct) -> bool:
    """Return whether an act may do what was denied."""
    this, that = asked.profile, denied.profile
    if asked.trial and asked.sure_trial and not denied.trial:
        return False
    if _changes_same_file(denied, asked):
        return True
    if that.harmless and not that.changed:
        return _may_tell(denied, asked)
    if _has_same_mode(denied, asked):
        return True
    is_known = this.understood or asked.program in known_programs()
    if this.harmless or (asked.guessed and not is_known):
        return False
    if asked.program == CODE:
        return True
    if asked.program == denied.program and not has_options(denied, asked):
        return False
    return Reach(denied, asked).is_possible


def _has_same_mode(denied: ShellAct, asked: ShellAct) -> bool:
    """Return whether another subcommand has an option of the denied one, as `--full-refresh`."""
    modes = {each for each in denied.options & asked.options if "-" in each} - listed("mild")
    other = asked.program == denied.program and asked.call != denied.call
    return other and denied.size > 2 and bool(modes)


def _changes_same_file(denied: ShellAct, asked: ShellAct) -> bool:
    """Return whether an act changes a file of a denied one, or one that rules the same place."""
    this, that = asked.profile, denied.profile
    if "config" in denied.words and any(denied.program in each for each in this.changed):
        return True  # `git config` writes `.gitconfig`
    if this.places & that.places and any(each.startswith(SYSTEM_FILES) for each in this.changed):
        return True
    files = {each for reading in denied.readings for each in reading.profile.changed}
    own = tuple(pairs("own_files").get(each.call, "\0") for each in (denied, asked))
    if any(each.endswith(own) for each in files | this.changed):
        return True
    if asked.program == CODE and any(map(patterns("writing_code").search, asked.texts)):
        return any(posixpath.basename(each) in text for each in files for text in asked.texts)
    files |= {each for each in denied.named if each.startswith("/dev/")}
    names = {posixpath.basename(each) for each in files if each.startswith("/") and "." in each}
    if "delete" in that.verbs:
        return not this.changed.isdisjoint(files | names)
    changes = any(overlaps(one, other) for one in this.changed for other in files)
    return changes or not this.changed.isdisjoint(names)


def _may_tell(denied: ShellAct, asked: ShellAct) -> bool:
    """Return whether an act may tell what a denied one tells, such as the text of a file."""
    targets = denied.profile.targets
    tellers = listed("variables_tellers")
    of_variables = denied.program in tellers
    known = tellers if of_variables else {denied.program}
    same = asked.program in known and denied.words == asked.words
    if not targets:
        return same
    all_told = same and not (asked.unsure or asked.greedy or asked.named or asked.variables)
    if all_told and denied.option_names <= asked.option_names:
        return asked.program not in listed("showing")
    if targets <= asked.expanded and asked.program not in ("test", "["):
        return True
    if asked.guessed or {asked.program, asked.call} & listed("unreading"):
        return False
    if asked.program in listed("texts") and (
        of_variables or any("://" in each for each in targets)
    ):
        return False
    given = {
        *asked.words,
        *asked.named,
        *asked.read,
        *asked.texts,
        *(value for _, value in asked.values),
    }
    given -= asked.profile.changed if asked.program in listed("copying") else set()
    given = {each for each in given if HOLE.sub("", each).strip("./~")}
    return all(
        any(could_become(each, target) or names_target(each, target) for each in given)
        for target in targets
    )
