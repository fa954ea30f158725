"""Compare what two acts do: do they have the same verb, and do it to the same kind of thing?"""

from __future__ import annotations

import re

from erstwhile.decisions.act_kinds import runs_task
from erstwhile.decisions.match_statements import split_word
from erstwhile.decisions.match_targets import could_become
from erstwhile.decisions.shell_acts import ShellAct
from erstwhile.decisions.shell_expansion import COMPUTED, HOLE, MANY

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
    return short or asked == verb or verb in split_word(asked)
