"""Compare what two acts do: their verbs, their options, and where they are done."""

from __future__ import annotations

import posixpath
import re

from erstwhile.decisions.act_kinds import runs_task
from erstwhile.decisions.match_statements import split_word
from erstwhile.decisions.match_targets import could_become, names_target
from erstwhile.decisions.program_table import listed, pairs, quiet_options
from erstwhile.decisions.shell_acts import ShellAct
from erstwhile.decisions.shell_expansion import COMPUTED, HOLE, MANY, ONE

_TASK = re.compile(r"[a-z]+(?:[:_-][a-z]+)*")
_RUNNING = frozenset(("run", "exec", "artisan"))


def is_other_kind(denied: ShellAct, asked: ShellAct) -> bool:
    """Return whether a program does the same to another kind of thing: `delete pod`."""
    one, other = asked.words, denied.words
    same = asked.program == denied.program and len(one) > 1 and one[0] == other[0]
    return same and one != other and not any(map(COMPUTED.search, one))


def is_same_verb(denied: ShellAct, asked: ShellAct) -> bool:
    """Return whether an act may do the same as a denied one, to whatever."""
    same_program = asked.program == denied.program
    if asked.profile.verbs & denied.profile.verbs:
        return True
    task, given = _task_words(denied), _task_words(asked)
    same_task = all(any(f"{one}:".startswith(f"{each}:") for one in given) for each in task)
    if task and (same_task or runs_task(denied)):
        return same_task
    if not same_program or denied.statements:
        return False
    if not denied.words or (MANY in asked.words) or (MANY in asked.targets and not asked.words):
        return True
    named = (each for each in asked.named if not (asked.words and COMPUTED.search(each)))
    said = [*asked.words, *sorted(named), *asked.options, *asked.texts]
    rest = (each for each in said if " " not in each)
    return all(any(_may_mean(each, verb) for each in rest) for verb in denied.words)


def _task_words(act: ShellAct) -> set[str]:
    """Return the words that name a task, without those of files and of running it."""
    said = {*act.words, *(act.named if runs_task(act) else ())}
    return {each for each in said if _TASK.fullmatch(each)} - {*_RUNNING, act.program}


def _may_mean(asked: str, verb: str) -> bool:
    """Return whether a word may be a subcommand: as a short form of it, or computed."""
    if HOLE.search(asked) or HOLE.search(verb):
        return could_become(asked, verb) or could_become(verb, asked)
    one, other = sorted((asked, verb), key=len)
    short = len(one) > 1 and other.startswith(one) and other[len(one) :].isalpha()
    return short or asked == verb or verb.casefold() in split_word(asked)


SURE = re.compile(r"[@/#:._-]|[a-zA-Z]\d|\d[a-zA-Z]")
"""What makes a target the name of one thing."""
REACHING = frozenset(("delete", "stop", "publish"))
"""What is done to all if no target is named."""


def has_options(denied: ShellAct, asked: ShellAct) -> bool:
    """Return whether the options of a denied act may be there, under whatever name."""
    if asked.words != denied.words or asked.profile.verbs - denied.profile.verbs:
        return True
    quiet, wanted = quiet_options(denied.program), _wanted(denied)
    given = asked.option_names
    missing = [each for each in wanted if not any(_same_option(one, each) for one in given)]
    known = denied.option_names | quiet | listed("mild")
    computed = sum(word in (ONE, MANY) for word in (*asked.words, *asked.named))
    computed += len(asked.variables)
    return len(missing) <= len(given - known) + computed


def _wanted(denied: ShellAct) -> set[str]:
    """Return the options without which an act is another one than the denied one."""
    found = denied.options - denied.general - quiet_options(denied.program) - listed("assent")
    if REACHING & denied.without_options.profile.verbs or any(map(SURE.search, denied.named)):
        found &= listed("switching_options")
    found = {each for each in found if len(each) > 1 or each in listed("switching_options")}
    return found - (set() if denied.program == "git" else {"f"})


def _same_option(asked: str, option: str) -> bool:
    full = {name for name, short in pairs("same").items() if short == option}
    one = (asked, option) if len(asked) == 1 else (option, asked)
    return (
        HOLE.search(asked) is not None
        or (len(asked) > 1 and option.startswith(asked))
        or asked.startswith(f"{option}-")
        or any(name.startswith(asked) or asked.startswith(f"{name}-") for name in full)
        or (len(one[0]) == 1 and one[1].casefold().startswith(one[0].casefold()))
    )


def is_elsewhere(denied: ShellAct, asked: ShellAct) -> bool:
    """Return whether an act is surely done in another place than the denied one."""
    if asked.call == denied.call and _has_other_place(denied, asked):
        return True
    this, that = asked.profile, denied.profile
    if asked.statements and this.whole and that.whole and this.targets and that.targets:
        return this.targets.isdisjoint(that.targets) and not asked.computed
    there, here = _databases(denied), _databases(asked)
    words = here.union(asked.statements, *asked.values)
    computed = any(COMPUTED.search(each) for each in words)
    return (
        bool(there and here)
        and not computed
        and not any(names_target(one, other) for one in words for other in there)
    )


def _has_other_place(denied: ShellAct, asked: ShellAct) -> bool:
    """Return whether an option says that an act is done in another place."""
    return any(
        given and not any(_may_be_place(each, value) for each in given)
        for name, value in denied.values
        if name in listed("where_options")
        for given in [[each for other, each in asked.values if other == name]]
    )


def _may_be_place(asked: str, denied: str) -> bool:
    computed = COMPUTED.search(asked) is not None
    return computed or asked in listed("no_targets") or names_target(asked, denied)


def _databases(act: ShellAct) -> frozenset[str]:
    """Return the databases that a call names, beside its statements."""
    if act.program not in listed("with_statements"):
        return frozenset()
    named = {*act.named, *(value for name, value in act.values if name in ("d", "dbname", "D"))}
    return frozenset(
        posixpath.basename(each.partition("?")[0]) if "://" in each else each
        for each in named.difference(act.statements)
    )
