"""Compare the verbs, the places and the targets of two acts that do more than to tell something.

An act that names the denied target is asked about unless its verb is known and a milder one. An
act that names nothing is asked about if it does the same in the same place, and one that names
something else is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from itertools import product

from erstwhile.decisions.act_kinds import calls_address, known_programs, runs_task
from erstwhile.decisions.match_statements import split_word
from erstwhile.decisions.match_targets import names_target, overlaps
from erstwhile.decisions.match_verbs import (
    REACHING,
    SURE,
    is_elsewhere,
    is_other_kind,
    is_same_verb,
)
from erstwhile.decisions.program_table import listed
from erstwhile.decisions.shell_acts import ShellAct
from erstwhile.decisions.shell_expansion import COMPUTED, MANY, ONE

_CHANGING = frozenset(("change", "stop"))
"""What may undo a thing that is named."""
_UNDONE = frozenset(("install", "create", "grant", "publish", "send", "connect"))
"""What is undone, and not done, by deleting its target."""
_AROUND = frozenset((".", "..", "/", "~"))
_FILE = re.compile(r"(?:file://)?[\w./~-]*\.[a-z]\w*")


class Reach:
    """Whether an act may reach what was denied."""

    def __init__(self, denied: ShellAct, asked: ShellAct) -> None:
        self._denied, self._asked = denied, asked
        self._this, self._that = asked.profile, denied.profile
        self._same_program = asked.program == denied.program
        self._here = self._same_program or not self._this.places.isdisjoint(self._that.places)

    @property
    def is_possible(self) -> bool:
        if self._here and self._asked.program in listed("whole_acts"):
            return True
        if is_elsewhere(self._denied, self._asked) or self._is_bare:
            return False
        if self._names_all_operands:
            return True
        if self._is_milder:
            return False
        if self._reads_targets:
            return True
        if self._names_targets:
            return self._is_grave or self._here or bool(self._sure) or not self._this.understood
        if self._names_nothing_else and (self._is_grave or not self._this.understood):
            return not is_other_kind(self._denied, self._asked)
        return self._may_compute_targets if self._is_grave else self._is_unknown

    @property
    def _is_bare(self) -> bool:
        """Whether it is the same call, cut short: `npm run`, without the name of a script."""
        words, denied = self._asked.words, self._denied.words
        bare = self._asked.size == 1 + len(words) and not self._asked.texts
        return bare and self._same_program and words == denied[: len(words)] != denied

    @cached_property
    def _same_verb(self) -> bool:
        return is_same_verb(self._denied, self._asked)

    @property
    def _is_grave(self) -> bool:
        """Whether its verb may do what was denied."""
        deletes = "delete" in self._this.verbs and self._that.verbs.isdisjoint(_UNDONE)
        return self._same_verb or deletes

    @property
    def _is_milder(self) -> bool:
        """Whether it is known what it does, and that this is less than what was denied."""
        names = {self._asked.program, *split_word(self._asked.program)}
        known = self._same_program or not names.isdisjoint(known_programs())
        changes = bool(self._sure) and not self._this.verbs.isdisjoint(_CHANGING)
        graver = self._is_grave or changes or self._this.is_graver(self._that)
        return self._this.understood and known and not graver

    @property
    def _sure(self) -> set[str]:
        """The denied targets that are the name of one thing."""
        return {each for each in self._that.targets if SURE.search(each)}

    @cached_property
    def _targets(self) -> Iterable[str]:
        denied, statements = self._denied, listed("with_statements")
        with_database = denied.statements and self._asked.program not in statements
        if self._same_call and not denied.statements and (shared := self._shared_values):
            return shared | self._sure
        found = self._sure or self._that.targets | (denied.named if with_database else frozenset())
        if not found and (not self._same_program or denied.program in listed("with_kinds")):
            where = {value for name, value in denied.values if name in listed("where_options")}
            return where or {value for _, value in denied.values if SURE.search(value)}
        return found

    @property
    def _same_call(self) -> bool:
        return self._same_program and self._asked.words == self._denied.words != []

    @property
    def _shared_values(self) -> set[str]:
        """What both acts give a long option that does not say where, or in which format."""
        said = listed("where_options") | {"method"}
        return {
            value
            for (name, value), (other, given) in product(self._denied.values, self._asked.values)
            if name == other and len(name) > 1 and name not in said
            if value not in listed("formats") and names_target(given, value)
        }

    @cached_property
    def _given(self) -> set[str]:
        """The words of the act that may name a target."""
        asked = self._asked
        if asked.program in listed("with_statements"):
            return {*self._this.targets, *([MANY] if asked.computed else ())}
        given = {asked.program, asked.path} if self._same_verb else set[str]()
        given |= {*asked.words, *asked.named, *asked.texts, *asked.written, *asked.read}
        given |= {value for _, value in asked.values}
        given -= {"", *(each for each in given if each.startswith("if="))}  # dd only reads it
        return given - (set() if self._that.changed else _AROUND)

    @property
    def _reads_targets(self) -> bool:
        """Whether it does the same to what its standard input, or a file, names."""
        asked, files = self._asked, listed("naming_files")
        given = self._denied.option_names & files
        values = {value for name, value in asked.values if name in files}
        read = {each for each in values | asked.named if each == "-" or _FILE.fullmatch(each)}
        named = asked.named <= {"-"} and bool(self._denied.named or self._denied.values)
        return self._same_call and named and ("-" in read or bool(read and not given))

    @cached_property
    def _computed(self) -> set[str]:
        return {each for each in self._given if COMPUTED.search(each)}

    @property
    def _names_targets(self) -> bool:
        """Whether it names a denied target; one that copies must name what and whereto."""
        copying = {self._denied.program, self._asked.program} <= listed("copying")
        literal = self._given - self._computed
        return (all if copying else any)(self._touches(each, literal) for each in self._targets)

    def _touches(self, target: str, given: Iterable[str]) -> bool:
        """Return whether words name a target, what is in it, or what is around it."""
        program = self._asked.program
        return any(overlaps(each, target, program) or names_target(each, target) for each in given)

    @property
    def _names_all_operands(self) -> bool:
        """Whether it names all that the denied act does, if that is more than one thing."""
        undoes = self._this.verbs == {"create"} and self._that.verbs & {"delete", "merge", "stop"}
        if undoes or self._asked.statements or runs_task(self._asked):
            return False
        named = {*self._denied.named, *(value for _, value in self._denied.values)}
        named -= listed("remotes") | listed("no_targets") | {"", MANY, ONE}
        literal = self._given - self._computed
        return len(named) > 1 and all(
            any(names_target(one, each) for one in literal) for each in named
        )

    @property
    def _names_nothing_else(self) -> bool:
        """Whether all that it names is named by the denied act of the same program, too."""
        known, named = (
            {each for each in (*act.named, *(value for _, value in act.values)) if " " not in each}
            for act in (self._denied, self._asked)
        )
        return self._same_program and bool(named) and named <= known and not self._asked.statements

    @property
    def _is_unknown(self) -> bool:
        """Whether it is unknown what it does, and to what."""
        new = self._this.verbs == {"create"} and "delete" in self._that.verbs
        anywhere = not self._that.targets
        whole = self._here and self._this.whole and anywhere
        task = runs_task(self._asked) or not self._asked.words
        unknown = self._same_program and anywhere and not (new or task)
        return (self._asked.computed or whole or unknown) and not self._this.understood

    @property
    def _may_compute_targets(self) -> bool:
        """Whether it does what was denied, to what is computed or not named."""
        this, that, computed = self._this, self._that, self._computed
        if calls_address(self._asked) and computed and self._here and this.verbs & that.verbs:
            return True
        if any(self._touches(each, computed) for each in self._targets):
            same_kind = not is_other_kind(self._denied, self._asked)
            return (self._here and same_kind) or not this.places
        if self._is_smaller:
            return False
        if that.targets:
            whole = this.whole and not self._asked.computed
            return self._here and whole and (bool(that.verbs & REACHING) or not that.verbs)
        return self._here or (self._same_verb and this.whole and not this.places)

    @property
    def _is_smaller(self) -> bool:
        """Whether it names one thing in a database of which everything was denied."""
        if self._asked.words == self._denied.words != []:
            return False
        named = any(map(SURE.search, self._this.targets)) or self._asked.statements
        one = bool(named and self._this.targets) and not self._asked.computed
        return one and "database" in self._that.places and not self._that.targets
