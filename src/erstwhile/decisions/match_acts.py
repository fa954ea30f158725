"""Compare two acts of the shell: may one of them turn out to be the other?

It is a reason to ask, never to deny. So an option counts under any name that it may have, a target
also for what is in it and around it, and a hole for whatever fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from erstwhile.decisions.match_ends import ends_otherwise, overwrites
from erstwhile.decisions.match_targets import could_become, overlaps
from erstwhile.decisions.program_table import (
    canonical,
    families,
    grouped,
    listed,
    pairs,
    patterns,
    quiet_options,
)
from erstwhile.decisions.shell_acts import ShellAct, parse_act
from erstwhile.decisions.shell_effects import Script
from erstwhile.decisions.shell_expansion import COMPUTED, HOLE, MANY, ONE

_TOKEN = re.compile(r"[\w-]{2,}")
_GLUE = re.compile(r"[=:,!@|;]")
"""What may stand before the name of a program in a word: --command=npm."""
_AFTER = re.compile(r"[,;|)]")
_MOST_TAILS = 20
"""How many tails or inner texts are read; a longer list is taken for a denied act."""


def might_match(asked: Script, denied: Script) -> bool:
    """Return whether an act of a denied script may be in the asked one."""
    if asked.opaque:
        return True
    acts = [act for act in denied.acts if not _is_preparing(act)] or denied.acts
    return any(_might_do(reading, asked) for act in acts for reading in _denied_readings(act))


def _denied_readings(act: ShellAct) -> Iterator[ShellAct]:
    """Yield a denied act, and its other reading if an option has a statement or code after it."""
    yield act
    if act.otherwise and any(_STATEMENT.search(value) for _, value in act.otherwise.values):
        yield act.otherwise


def _is_preparing(act: ShellAct) -> bool:
    return not {act.program, act.call}.isdisjoint(listed("preparing"))


def _might_do(denied: ShellAct, asked: Script) -> bool:
    if similar_program(denied.program) in asked.unsafe:
        return True
    acts = [*(each for act in asked.acts for each in act.readings), *asked.possible]
    if any(denied.is_in(act) or _might_be(denied, act) for act in acts):
        return True
    if any(overwrites(denied, act) or ends_otherwise(denied, act) for act in acts):
        return True
    if any(_names_act(code, denied) for code in asked.codes):
        return True
    return any(_is_tail(denied, call) for call in asked.calls)


@cache
def similar_program(program: str) -> str:
    """Return one name for all programs that do about the same."""
    name = program.casefold()
    return families("similar_programs").get(name, name)


_LONGEST_ALIAS = _SHORTEST_NAME = 3
_DIGITS = re.compile(r"\d")


def _is_same_program(asked: str, denied: str) -> bool:
    """Return whether a program is another one, a similar one, or a short alias: `tf`."""
    if similar_program(asked) == similar_program(denied):
        return True
    plain = sorted((_DIGITS.sub("", asked), _DIGITS.sub("", denied)), key=len)
    if len(plain[0]) >= _SHORTEST_NAME and plain[0] in plain[1]:  # pnpm, ip6tables, mongosh
        return True
    rest = iter(denied)
    short = len(asked) <= _LONGEST_ALIAS < len(denied) and asked[:1] == denied[:1]
    return short and asked not in _known_programs() and all(letter in rest for letter in asked)


@cache
def _known_programs() -> frozenset[str]:
    known = families("similar_programs").keys() | grouped("interpreters").keys()
    return frozenset(known | listed("no_subcommand") | listed("shells") | listed("texts"))


def _names_act(code: str, denied: ShellAct) -> bool:
    """Return whether code in another language names what was denied."""
    said = set(_TOKEN.findall(code.casefold()))
    targets = {word for each in denied.named for word in _TOKEN.findall(each.casefold())}
    words = {denied.program, *denied.words, *targets}
    texts = {word for _, value in denied.values for word in _TOKEN.findall(value)}
    removes = denied.program in listed("removing") and patterns("removing_code").search(code)
    shared = said & (words | texts)
    return len(shared) >= min(2, len(words)) or bool(removes and targets & said)


def _is_tail(denied: ShellAct, call: Sequence[str]) -> bool:
    """Return whether the last words of a call are a denied act."""
    similar = similar_program(denied.program)
    names = [{similar_program(canonical(each)) for each in _GLUE.split(word)} for word in call]
    glued = [similar_program(canonical(word[2:])) if word[:1] == "-" else "" for word in call]
    places = [at for at in range(1, len(call)) if similar in names[at] or similar == glued[at]]
    if len(places) > _MOST_TAILS:
        return True
    tails = [call[at + 1 :] for at in places]
    cleaned = [[_AFTER.split(word)[0] for word in tail] for tail in tails]
    return any(
        denied.is_in(reading) or _might_be(denied, reading)
        for tail in (*tails, *cleaned)
        for reading in parse_act(denied.program, tail, ()).readings
    )


def _might_be(denied: ShellAct, asked: ShellAct) -> bool:
    """Return whether an act may do what was denied."""
    if not _is_same_program(asked.program, denied.program):
        return False
    if asked.trial and asked.sure_trial and not denied.trial:
        return False
    if asked.program != denied.program and denied.program in listed("removing"):
        given = {each for each in {*asked.words, *asked.named} if not COMPUTED.search(each)}
        return all(any(overlaps(each, target) for each in given) for target in denied.named)
    if asked.program in listed("whole_acts"):
        return True
    if not _verbs_fit(denied, asked):
        return False
    if MANY in {*asked.words, *asked.named}:
        return True
    needed = denied.options - _optional(denied)
    missing = [option for option in needed if not _has_option(asked, option)]
    if len(missing) > _free_words(asked):
        return False
    if not all(_has_value(asked, name, value) for name, value in denied.values):
        return False
    if not denied.written <= asked.written and not denied.named:
        return False
    named = () if _has_statement(denied) else denied.named
    required = [each for each in named if not _is_mode(denied, each)]
    if denied.call == "git push":
        required = [each for each in required if each not in listed("remotes")]
    if _chooses_targets(asked):
        return True
    return all(_is_touched(target, asked) for target in required)


def _verbs_fit(denied: ShellAct, asked: ShellAct) -> bool:
    """Return whether the subcommand is the denied one, under any of its names."""
    rest = [*sorted(asked.named), *asked.options, *(value for _, value in asked.values)]
    said = [*asked.words, *(word for word in rest if not HOLE.search(word))]
    texts = [*asked.texts, *(each for each in (*said, *rest) if _HAS_WORDS.search(each))]
    said += [word for text in texts for word in _TOKEN.findall(text)]
    if not asked.words and MANY in asked.texts:
        return True
    chosen = denied.words[:1] if _chooses_targets(asked) else denied.words
    if _is_subsequence(chosen, said):
        return True
    return (
        bool(asked.words)
        and asked.words[-1] == denied.words[-1]
        and (_is_subsequence(asked.words, denied.words))
    )


def _free_words(asked: ShellAct) -> int:
    """Return how many options the computed words of a call may be, beside its targets."""
    holes = sum(word in (ONE, MANY) for word in (*asked.words, *asked.named))
    return holes if asked.call == "git push" else max(holes - 1, 0)


def _is_subsequence(wanted: Sequence[str], said: Sequence[str]) -> bool:
    rest = iter(said)
    return all(any(_same_verb(each, verb) for each in rest) for verb in wanted)


def _same_verb(asked: str, verb: str) -> bool:
    known, asked, verb = families("same_verbs"), asked.casefold(), verb.casefold()
    if "," in asked:
        return any(_same_verb(each, verb) for each in asked.split(","))
    if HOLE.search(asked) or HOLE.search(verb):
        return could_become(asked, verb) or could_become(verb, asked)
    short = len(asked) > 1 and verb.startswith(asked)
    kind = pairs("same_kinds").get(asked.partition(".")[0], asked)
    return verb in (asked, kind) or short or known.get(asked, asked) == known.get(verb, verb)


def _optional(denied: ShellAct) -> set[str]:
    """Return the options of a denied act without which it is still the same."""
    force = set() if denied.program == "git" else {"f"}
    return force | quiet_options(denied.program) | set(listed("assent"))


def _has_option(asked: ShellAct, option: str) -> bool:
    """Return whether an act has an option under any of its names."""
    given = asked.options | {name for name, _ in asked.values}
    return (
        any(_same_option(each, option) for each in given)
        or any(COMPUTED.search(each) for each in given)
        or any(name in given for name in _implying(asked.call, option))
    )


def _implying(call: str, option: str) -> Iterator[str]:
    for line in listed("implied"):
        where, _, rest = line.partition(": ")
        implied, *others = rest.split(" ")
        if where == call and implied == option:
            yield from (pairs("same").get(name, name) for name in others)


def _same_option(asked: str, option: str) -> bool:
    if asked == option or asked.startswith(f"{option}-"):
        return True
    longer = {short for name, short in pairs("same").items() if name.startswith(asked)}
    full = {name for name, short in pairs("same").items() if short == option}
    return (
        (len(asked) > 1 and (option.startswith(asked) or option in longer))
        or (len(option) == 1 and asked.casefold()[:1] == option.casefold() and len(asked) != 1)
        or (len(option) == 1 and asked.casefold() == option.casefold())
        or any(asked.startswith(f"{name}-") for name in full)
    )


def _has_value(asked: ShellAct, name: str, value: str) -> bool:
    """Return whether an act has a value of an option, or may have it from elsewhere."""
    same = [given for each, given in asked.values if _same_option(each, name)]
    if name in listed("places") and not same:
        return True
    others = [*(given for _, given in asked.values), *asked.named]
    return any(_fits(each, value) for each in (*(same or others), *asked.texts))


def _fits(given: str, value: str) -> bool:
    is_statement = _STATEMENT.search(value) is not None
    return could_become(given, value) or (is_statement and _same_statement(given, value))


_STATEMENT, _HAS_WORDS = re.compile(r"[\s()]"), re.compile(r"[\s():]")


def _same_statement(given: str, denied: str) -> bool:
    """Return whether a statement such as SQL does what another one does, and perhaps more."""
    if patterns("computed_statement").search(given.casefold()):
        return True
    words, wanted = statement_words(given), statement_words(denied)
    needed = wanted - listed("statement_fillers")
    whole = "delete" in words & needed and not words.isdisjoint(("schema", "database", "owned"))
    return whole or needed <= words or (MANY in given and bool(needed & words))


def statement_words(text: str) -> set[str]:
    """Return the words of a statement such as SQL, and one word for those that do the same."""
    known = families("same_verbs")
    return {known.get(word, word) for word in re.findall(r"\w+", text.casefold())}


def _has_statement(denied: ShellAct) -> bool:
    return any(_STATEMENT.search(value) for _, value in denied.values)


_MODE = re.compile(r"[0-7]{3,4}|[ugoa]*[+=-][rwxXst]+")


def _is_mode(denied: ShellAct, target: str) -> bool:
    return denied.program == "chmod" and bool(_MODE.fullmatch(target))


def _chooses_targets(asked: ShellAct) -> bool:
    """Return whether a program is told to choose its targets itself."""
    given = asked.options | {name for name, _ in asked.values}
    if asked.call in listed("own_targets") and len(asked.named) < 2:
        return True
    lines = (line.partition(": ")[::2] for line in listed("choosing"))
    chosen = {name for call, names in lines if call == asked.call for name in names.split(" ")}
    return any(pairs("same").get(name, name) in given for name in chosen)


def _is_touched(target: str, asked: ShellAct) -> bool:
    given = {*asked.words, *asked.named, *(value for _, value in asked.values), *asked.texts}
    return any(overlaps(each, target, asked.program) for each in given)
