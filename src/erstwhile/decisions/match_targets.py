"""Compare the targets of two acts: is one of them the other one, in it, or around it?"""

from __future__ import annotations

import posixpath
import re

from erstwhile.decisions.shell_expansion import COMPUTED, GLOB, HOLE

_RELEASE = re.compile(r"@v?\d[\w.+-]*$|[=~]=")
_TAGGED = re.compile(r"(?<=\w)@(?:v?\d[\w.+-]*|latest|next|beta|canary|main|master|head)$")
_NAMED = re.compile(r"(?!if=)[a-z]+=(?=.)")
_DAEMONS = frozenset(("d", "ql", "server", "-server", "-daemon", "ctl"))
"""How the name of a service differs from that of its program."""
_VERSION = re.compile(
    r"\[|[=<>~!]=|[<>@:?#]|\.(?:service|socket|timer|target|exe)$"
    rf"|[-_](?:v?\d|{GLOB})[\w.+~-]*\.(?:rpm|deb|whl|gem|tgz|tar\.gz|apk|crate)$"
)


def overlaps(given: str, denied: str, program: str = "") -> bool:
    """Return whether one target is, contains or lies in another one."""
    given, denied = (
        _SCHEME.sub("", _COPIED.sub(r"\1:/", each.casefold().replace("_", "-")))
        for each in (given, denied)
    )
    given, denied = (each[1:] if each[:1] == "#" else each for each in (given, denied))
    if not (_PERSON.fullmatch(given) and _PERSON.fullmatch(denied)):
        given, denied = _USER.sub("", given), _USER.sub("", denied)
    given, denied = (_HOME.sub("~", each) for each in (given, denied))
    given, denied = _TAGGED.sub("", given), _TAGGED.sub("", denied)
    given = _SLOT.sub(GLOB, given)  # a pattern of the program itself
    if "=" in denied and "=" in given:
        name, _, value = denied.partition("=")
        other, _, found = given.partition("=")
        return (name == other and overlaps(found, value, program)) or other != name == "if"
    if "=" not in given and (named := _NAMED.match(denied)):
        denied = denied[named.end() :]
    longer, shorter = (given, denied) if len(given) > len(denied) else (denied, given)
    folder = denied[len(given) :] if given and denied.startswith(given) else ""
    reasons = (
        could_become(given, denied) or could_become(denied, given),
        given.startswith(denied) and _VERSION.match(given, len(denied)),
        given and denied.startswith(given) and _RELEASE.match(denied, len(given)),
        len(shorter) > 2 and longer.startswith(shorter) and longer[len(shorter) :] in _DAEMONS,
        folder.startswith((":/", ":~")) or (folder[:1] == ":" and "/" in given),
        program == "git" and _OTHER_REF.fullmatch(given),
    )
    return any(reasons) or _paths_overlap(given, denied, program)


_SLOT = re.compile(r"\*|(?<=\w)\[[^\]=,]{1,9}\]|(?<=/)\{\w+\}|(?<=/):\w+")
_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://")
_HOME = re.compile(r"^/(?:root|home/[\w.-]+|users/[\w.-]+)(?=/|$)")
_COPIED = re.compile(r"^(?:scp|sftp|ssh|rsync)://([^/:]+)/+")
_USER = re.compile(r"^[\w.-]+@(?=[\w.-]+[/:]|[a-z][\w-]*\.)")
_PERSON = re.compile(r"[\w.+-]+@[\w.-]+")
_OTHER_REF = re.compile(r"head|fetch-head|orig-head|[0-9a-f]{7,40}|.*[@^~:].*", re.DOTALL)
"""What may be any branch: a commit, an address, or a place in the history."""
_ABOVE = re.compile(rf"(?:\.\./?)+{GLOB}?")


def _paths_overlap(given: str, denied: str, program: str) -> bool:
    relative = "/" in given and not given.startswith(("/", "~", "./", "../"))
    at_home = given[:2] == "~/" and denied.endswith(given[1:])
    of_home = denied[:2] == "~/" and given[:1] == "/" and given.endswith(denied[1:])
    if at_home or of_home or (relative and denied.endswith(f"/{given}")):
        return True
    here = denied[:1] not in "/~" and ":" not in denied and not denied.startswith("..")
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
    given = _ROOT.sub("/", given)
    if not given or COMPUTED.search(given):
        return False
    if _PERSON.fullmatch(given) and _PERSON.fullmatch(target):
        return overlaps(given, target)
    path = f"/{_SIGNS.sub('/', given)}/"
    plain = _USER.sub("", target)
    if overlaps(given, target) or f"/{plain}/" in path or f"/{_RELEASE.split(plain)[0]}/" in path:
        return True
    parts, each = iter(given.split("/")), plain.split("/")
    if len(each) > 1 and given.endswith(f"/{each[-1]}") and all(one in parts for one in each):
        return True  # `secret/data/a/b` for `secret/a/b`
    stem = posixpath.splitext(posixpath.basename(target))[0]
    ends = len(target) > _SHORT and given.endswith((f"-{target}", f".{target}", f"/{target}"))
    if ends or (len(stem) > _SHORT and given == stem):
        return True
    pieces = _SIGNS.split(given)
    return 1 < len(pieces) <= _MAX_PIECES and any(
        overlaps(each, target) for each in pieces if len(each.strip("./~")) > 1
    )


_ROOT = re.compile(f"^{COMPUTED.pattern}/(?=.)")
_SIGNS = re.compile(r"[\s'\",;:=@(){}\[\]?&]")
_MAX_PIECES = 40
_SHORT = 7
