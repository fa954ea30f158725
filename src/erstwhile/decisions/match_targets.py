"""Compare the targets of two acts: is one of them the other one, in it, or around it?"""

from __future__ import annotations

import posixpath
import re

from erstwhile.decisions.shell_expansion import COMPUTED, GLOB, HOLE

_VERSION = re.compile(r"\[|[=<>~!]=|[<>@:]|\.(?:service|socket|timer|target)$")


def overlaps(given: str, denied: str, program: str = "") -> bool:
    """Return whether one target is, contains or lies in another one."""
    given, denied = (_SCHEME.sub("", each.casefold()) for each in (given, denied))
    given = given.replace("*", GLOB)  # a pattern of the program itself
    if "=" in denied and "=" in given:
        name, _, value = denied.partition("=")
        other, _, found = given.partition("=")
        return (name == other and overlaps(found, value, program)) or other != name == "if"
    if could_become(given, denied) or could_become(denied, given):
        return True
    if given.startswith(denied) and _VERSION.match(given, len(denied)):
        return True
    if program == "git" and _may_be_any_branch(given):
        return True
    return _paths_overlap(given, denied, program)


_SCHEME = re.compile(r"^(?:s3|gs|file|https?|ssh|git)://")
_OTHER_REFS = frozenset(("head", "@", "fetch_head", "orig_head", "@{u}", "@{upstream}"))
_COMMIT = re.compile(r"[0-9a-f]{7,40}")
_ABOVE = re.compile(rf"(?:\.\./?)+{GLOB}?")


def _may_be_any_branch(ref: str) -> bool:
    """Return whether a reference names a commit, or an address, instead of a branch."""
    return (
        ref in _OTHER_REFS
        or _COMMIT.fullmatch(ref) is not None
        or ref.endswith(("~0", "^0"))
        or ("@{" in ref and ref.endswith("}"))
        or "://" in ref
        or ":" in ref.partition("@")[2]
    )


def _paths_overlap(given: str, denied: str, program: str) -> bool:
    here = denied[:1] not in "/~" and "://" not in denied and not denied.startswith("..")
    if given in (".", "..", "/", "~", GLOB) or _ABOVE.fullmatch(given):
        home = given == "~" and denied.startswith(("~", "/home"))
        return here or home or given in ("/", GLOB) or bool(_ABOVE.fullmatch(given))
    parts = given.split("/")
    if any(could_become("/".join(parts[:size]), denied) for size in range(1, len(parts))):
        return True
    if denied.startswith(f"{given.rstrip('/')}/"):
        return program not in ("git",)
    elsewhere = given[:1] in "/~" or given.startswith("..") or bool(HOLE.match(given))
    elsewhere = elsewhere or "." in parts[0]  # an address
    if here and given.endswith(f"/{denied}") and (elsewhere or program == "git"):
        return True
    computed = bool(HOLE.search(given)) and could_become(posixpath.basename(given), denied)
    return here and elsewhere and computed


def could_become(computed: str, text: str) -> bool:
    """Return whether a word may become this text: its fixed parts are there, in their order."""
    first, *rest = HOLE.split(computed)
    if not rest:
        return computed == text
    last, at = rest.pop(), len(first)
    for part in rest:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return text.startswith(first) and text.endswith(last) and at + len(last) <= len(text)


def names_target(given: str, target: str) -> bool:
    """Return whether a word names a target, also as a part of a path or an address."""
    if not given or COMPUTED.search(given):
        return False
    return overlaps(given, target) or f"/{target}/" in f"/{given.translate(_SLASHES)}/"


_SLASHES = str.maketrans(dict.fromkeys(" \t\n'\",;:=@(){}[]", "/"))
