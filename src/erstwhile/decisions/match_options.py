"""Compare the options of two acts: may the asked one have those that were denied?"""

from __future__ import annotations

from erstwhile.decisions.program_table import listed, pairs, quiet_options
from erstwhile.decisions.shell_acts import ShellAct
from erstwhile.decisions.shell_expansion import HOLE, MANY, ONE

REACHING = frozenset(("delete", "stop", "publish"))
"""What is done to all if no target is named."""


def has_options(denied: ShellAct, asked: ShellAct) -> bool:
    """Return whether the options of a denied act may be there, under whatever name."""
    if asked.words != denied.words or asked.profile.verbs - denied.profile.verbs:
        return True
    quiet, wanted = quiet_options(denied.program), _wanted(denied)
    given = asked.options | {name for name, _ in asked.values}
    missing = [each for each in wanted if not any(_same_option(one, each) for one in given)]
    known = denied.options | {name for name, _ in denied.values} | quiet | listed("mild")
    computed = sum(word in (ONE, MANY) for word in (*asked.words, *asked.named))
    computed += len(asked.variables)
    return len(missing) <= len(given - known) + computed


def _wanted(denied: ShellAct) -> set[str]:
    """Return the options without which an act is another one than the denied one."""
    found = denied.options - denied.general - quiet_options(denied.program) - listed("assent")
    if REACHING & denied.without_options.profile.verbs:
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
