"""Spell the operands of programs in one way: what differs only in spelling is the same act."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from erstwhile.decisions.program_facts import listed, other_kinds

FORCE = "--force"
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]{1,20}://")
_BRANCH = "refs/heads/"


def spelled_out(program: str, words: Sequence[str], operand: str) -> list[str]:
    """Return what an operand says: `+HEAD:main` of a push is `--force main`.

    `words` is the subcommand as far as it is read.
    """
    if program in listed("with_kinds") and len(words) == 1:
        kind, *name = operand.split("/", 1)
        return [other_kinds().get(kind, kind), *name]
    if (program, *words) == ("git", "push"):
        branch = operand.lstrip("+").rpartition(":")[2] or operand
        force = [FORCE] if operand.startswith("+") else []
        is_branch = not _ADDRESS.match(operand) and "@" not in operand
        return [*force, branch.removeprefix(_BRANCH)] if is_branch else [operand]
    return [operand]


def plain_target(target: str) -> str:
    """Return a target without the differences in spelling that change nothing."""
    if _ADDRESS.match(target):
        return target.rstrip("/")
    if "/" in target:
        return posixpath.normpath(target).replace("//", "/")
    if " " in target:  # a statement such as SQL
        return " ".join(target.split()).casefold().rstrip("; ")
    return target
