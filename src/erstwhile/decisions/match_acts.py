"""Compare two acts: may one of them turn out to do what was denied?

It is a reason to ask, never to deny. Three things are compared: what is done (the verb), to what
(the target), and where (the program, or a kind of place such as databases). An act is surely
something else if it only tells or builds something, if its verb is known and a milder or another
one, if it lacks an option that was denied, or if it names other targets.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from erstwhile.decisions.act_kinds import (
    CODE,
    SYSTEM_FILES,
    calls_address,
    known_programs,
    runs_task,
)
from erstwhile.decisions.match_statements import split_word
from erstwhile.decisions.match_targets import could_become, names_target, overlaps
from erstwhile.decisions.program_table import (
    canonical,
    listed,
    pairs,
    patterns,
    quiet_options,
)
from erstwhile.decisions.shell_acts import ShellAct, parse_act
from erstwhile.decisions.shell_effects import Script
from erstwhile.decisions.shell_expansion import COMPUTED, HOLE, MANY, ONE

_GLUE = re.compile(r"[=:,!@|;)]")
"""What may stand beside the name of a program in a word: --command=npm."""
_REACHING = frozenset(("delete", "stop", "publish"))
"""What is done to all if no target is named."""
_CHANGING = frozenset(("change", "stop"))
"""What may undo a thing that is named."""
_UNDONE = frozenset(("install", "create", "grant", "publish", "send", "connect"))
"""What is undone, and not done, by deleting its target."""
_AROUND = frozenset((".", "..", "/", "~"))
_MAX_TAILS = 20
"""How many tails are read; a longer list is taken for a denied act."""
_TASK = re.compile(r"[a-z]+(?:[:_-][a-z]+)*")
_SURE = re.compile(r"[@/#:._-]|[a-zA-Z]\d|\d[a-zA-Z]")
"""What makes a target the name of one thing."""


def might_match(asked: Script, denied: Script) -> bool:
    """Return whether an act of a denied script may be in the asked one."""
    if asked.opaque:
        return True
    if denied.opaque:
        return False  # what runs no unknown words itself can only prepare such a call
    acts = [act for act in denied.acts if not act.profile.harmless] or denied.acts
    if all(act.program in listed("runners") for act in acts):
        acts = [act for act in denied.possible if act.guessed] or acts
    return any(_might_do(act, asked) for act in acts)


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
    if asked.call != denied.call and asked.program == denied.program and denied.size > 2:
        modes = {each for each in denied.options if "-" in each} - listed("mild")
        if modes & asked.options:
            return True
    is_known = this.understood or asked.program in known_programs()
    if this.harmless or (asked.guessed and not is_known):
        return False
    if asked.program == CODE:
        return True
    if asked.program == denied.program and not _has_options(denied, asked):
        return False
    return _may_reach(denied, asked)


def _changes_same_file(denied: ShellAct, asked: ShellAct) -> bool:
    """Return whether an act changes a file of a denied one, or one that rules the same place."""
    this, that = asked.profile, denied.profile
    if "config" in denied.words and any(denied.program in each for each in this.changed):
        return True  # `git config` writes `.gitconfig`
    if this.places & that.places and any(each.startswith(SYSTEM_FILES) for each in this.changed):
        return True
    files = {each for reading in denied.readings for each in reading.profile.changed}
    if asked.program == CODE and any(map(patterns("writing_code").search, asked.texts)):
        names = (posixpath.basename(each) for each in files)
        return any(name in text for name in names if name for text in asked.texts)
    files |= {each for each in denied.named if each.startswith("/dev/")}
    names = {posixpath.basename(each) for each in files if each.startswith("/") and "." in each}
    if not names.isdisjoint(this.changed):
        return True
    if "delete" in that.verbs:
        return not files.isdisjoint(this.changed)
    return any(overlaps(one, other) for one in this.changed for other in files)


def _may_reach(denied: ShellAct, asked: ShellAct) -> bool:
    """Compare the verbs, the places and the targets of two acts that do more than to tell."""
    this, that = asked.profile, denied.profile
    same_program = asked.program == denied.program
    here = same_program or not this.places.isdisjoint(that.places)
    if here and asked.program in listed("whole_acts"):
        return True
    if _is_elsewhere(denied, asked):
        return False
    if same_program and denied.words and asked.size == 1 and not asked.texts:
        return False  # the program without any words
    same_verb = _is_same_verb(denied, asked, same_program=same_program)
    grave = same_verb or ("delete" in this.verbs and that.verbs.isdisjoint(_UNDONE))
    sure = {each for each in that.targets if _SURE.search(each)}
    changes = bool(sure) and not this.verbs.isdisjoint(_CHANGING)
    literal, computed = _given(denied, asked, same_verb=same_verb)
    targets = sure or _all_targets(denied, asked)
    creates = this.verbs == {"create"} and "delete" in that.verbs
    if _names_all_operands(denied, literal) and not (
        creates or asked.statements or runs_task(asked)
    ):
        return True
    names = {asked.program, *split_word(asked.program)}
    known = same_program or not names.isdisjoint(known_programs())
    if this.understood and known and not (grave or changes or this.is_graver(that)):
        return False
    copies = denied.program in listed("copying") and asked.program in listed("copying")
    if (all if copies else any)(_is_touched(each, literal, asked.program) for each in targets):
        return grave or here or bool(sure) or not this.understood
    if same_program and (grave or not this.understood) and _names_nothing_else(denied, asked):
        return not _is_other_kind(denied, asked)
    if not grave:
        unknown = asked.computed or (here and this.whole and not that.targets)
        other = that.targets or creates or runs_task(asked)
        unknown = unknown or (same_program and not other and bool(asked.words))
        return unknown and not this.understood
    if calls_address(asked) and computed and here and not this.verbs.isdisjoint(that.verbs):
        return True
    if any(_is_touched(each, computed, asked.program) for each in targets):
        return (here and not _is_other_kind(denied, asked)) or not this.places
    named = any(map(_SURE.search, this.targets)) or (asked.statements and this.targets)
    if "database" in that.places and not that.targets and named and not asked.computed:
        return False  # a smaller act
    if that.targets:
        whole = this.whole and not asked.computed
        return here and whole and (not that.verbs.isdisjoint(_REACHING) or not that.verbs)
    return here or (same_verb and this.whole and not this.places)


def _is_elsewhere(denied: ShellAct, asked: ShellAct) -> bool:
    """Return whether statements are run on another database, or another file is changed."""
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
    given = {name: value for name, value in asked.values if not COMPUTED.search(value)}
    return any(
        name in listed("where_options")
        and given.get(name, value) not in listed("no_targets")
        and not names_target(given.get(name, value), value)
        for name, value in denied.values
    )


def _databases(act: ShellAct) -> frozenset[str]:
    """Return the databases that a call names, beside its statements."""
    if act.program not in listed("with_statements"):
        return frozenset()
    named = {*act.named, *(value for name, value in act.values if name in ("d", "dbname", "D"))}
    return frozenset(
        posixpath.basename(each.partition("?")[0]) if "://" in each else each
        for each in named.difference(act.statements)
    )


def _names_nothing_else(denied: ShellAct, asked: ShellAct) -> bool:
    """Return whether all that an act names is named by the denied one, too."""
    known, named = (
        {each for each in (*act.named, *(value for _, value in act.values)) if " " not in each}
        for act in (denied, asked)
    )
    return bool(named) and named <= known and not asked.statements


def _names_all_operands(denied: ShellAct, given: Iterable[str]) -> bool:
    """Return whether an act names all that a denied one does, if that is more than one thing."""
    named = {*denied.named, *(value for _, value in denied.values)}
    named -= listed("remotes") | listed("no_targets") | {"", MANY, ONE}
    return len(named) > 1 and all(any(names_target(one, each) for one in given) for each in named)


def _all_targets(denied: ShellAct, asked: ShellAct) -> frozenset[str]:
    with_database = denied.statements and asked.program not in listed("with_statements")
    found = denied.profile.targets | (denied.named if with_database else frozenset())
    if not found and (asked.program != denied.program or denied.program in listed("with_kinds")):
        where = (value for name, value in denied.values if name in listed("where_options"))
        return frozenset(where)
    return found


def _is_other_kind(denied: ShellAct, asked: ShellAct) -> bool:
    """Return whether a program does the same to another kind of thing: `delete pod`."""
    one, other = asked.words, denied.words
    same = asked.program == denied.program and len(one) > 1 and one[0] == other[0]
    return same and one != other and not any(map(COMPUTED.search, one))


def _is_same_verb(denied: ShellAct, asked: ShellAct, *, same_program: bool) -> bool:
    if asked.profile.verbs & denied.profile.verbs:
        return True
    task, given = _task_words(denied), _task_words(asked)
    same_task = all(any(f"{one}:".startswith(f"{each}:") for one in given) for each in task)
    if task and (same_task or runs_task(denied)):
        return same_task
    said = denied.profile.targets or denied.profile.verbs
    if same_program and said and asked.words == denied.words != []:
        return True
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
    return {each for each in said if _TASK.fullmatch(each)} - {
        "run",
        "exec",
        "artisan",
        act.program,
    }


def _may_mean(asked: str, verb: str) -> bool:
    """Return whether a word may be a subcommand: as a short form of it, or computed."""
    if HOLE.search(asked) or HOLE.search(verb):
        return could_become(asked, verb) or could_become(verb, asked)
    one, other = sorted((asked, verb), key=len)
    short = len(one) > 1 and other.startswith(one) and other[len(one) :].isalpha()
    return short or asked == verb or verb in split_word(asked)


def _has_options(denied: ShellAct, asked: ShellAct) -> bool:
    """Return whether the options of a denied act may be there, under whatever name."""
    if asked.words != denied.words or asked.profile.verbs - denied.profile.verbs:
        return True
    quiet = quiet_options(denied.program)
    wanted = denied.options - denied.general - quiet - listed("assent")
    own = _REACHING & denied.without_options.profile.verbs
    wanted = {
        each
        for each in wanted
        if each in listed("switching_options") or (len(each) > 1 and not own)
    }
    wanted -= listed("choosing_options") - {"f"} if asked.named else set()
    wanted -= listed("statement_options") if denied.statements else set()
    wanted -= set() if denied.program == "git" else {"f"}
    given = asked.options | {name for name, _ in asked.values}
    missing = [each for each in wanted if not any(_same_option(one, each) for one in given)]
    known = denied.options | {name for name, _ in denied.values} | quiet | listed("mild")
    computed = sum(word in (ONE, MANY) for word in (*asked.words, *asked.named))
    computed += len(asked.variables)
    return len(missing) <= len(given - known) + computed


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


def _may_tell(denied: ShellAct, asked: ShellAct) -> bool:
    """Return whether an act may tell what a denied one tells, such as the text of a file."""
    targets = denied.profile.targets
    if not targets:
        same = denied.program == asked.program
        return same and denied.words == asked.words
    if asked.guessed or {asked.program, asked.call} & listed("unreading"):
        return False
    if asked.program in listed("texts") and any("://" in each for each in targets):
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


def _given(
    denied: ShellAct, asked: ShellAct, *, same_verb: bool
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of an act that may name a target: those known, and those computed."""
    given = {asked.program, asked.path} if same_verb else set[str]()
    given |= {*asked.words, *asked.named, *asked.texts, *asked.written, *asked.read}
    given |= {value for _, value in asked.values}
    if asked.program in listed("with_statements"):
        given = {*asked.profile.targets, *([MANY] if asked.computed else ())}
    given -= {"", *(each for each in given if each.startswith("if="))}  # dd only reads it
    given -= set() if denied.profile.changed else _AROUND
    computed = frozenset(each for each in given if COMPUTED.search(each))
    return frozenset(given - computed), computed


def _is_touched(target: str, given: Iterable[str], program: str) -> bool:
    """Return whether words name a target, what is in it, or what is around it."""
    return any(overlaps(each, target, program) or names_target(each, target) for each in given)
