"""Compare where two acts are done: surely in another database, namespace or environment?"""

from __future__ import annotations

import posixpath

from erstwhile.decisions.match_targets import names_target
from erstwhile.decisions.program_table import listed
from erstwhile.decisions.shell_acts import ShellAct
from erstwhile.decisions.shell_expansion import COMPUTED


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
