"""Commands that call a verb of the table and show its result.

Arguments and options come from the parameters and type hints of the verb.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import nullcontext
from dataclasses import fields
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from pkgutil import resolve_name
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call, confirm, working
from erstwhile.cli.command_data import CommandData, parameter_words
from erstwhile.cli.exit_codes import REFUSED
from erstwhile.cli.groups import help_with_examples, run_function
from erstwhile.cli.safe_text import safe_line
from erstwhile.core.errors import NotFoundError
from erstwhile.core.results import Erasure, Hits, Page, Receipt
from erstwhile.core.time import moment_asked
from erstwhile.core.verb_help import declared_doc
from erstwhile.rpc.verbs import Verb, VerbParameter, describe_parameter, verbs

if TYPE_CHECKING:
    from erstwhile.memory import Memory


_ERASING = "Rewriting the file, so that no byte is left…"
_DELETED_BEFORE = "Destroy for good everything deleted longer ago than {older_than}?"


def verb_command(data: CommandData) -> click.Command:
    verb = verbs()[data.verb_name]
    parameters = command_parameters(verb, data)
    if verb.result in (Erasure, Receipt):
        parameters.append(
            click.Option(["--yes"], is_flag=True, help="Do not ask for confirmation.")
        )

    @click.pass_obj
    def callback(call: Call, /, **given: Any) -> int | None:
        call.creates = data.creates
        return VerbCall(call, data, verb, options.given(given)).run()

    docstring = declared_doc(verb.function)
    return click.Command(
        data.name,
        params=parameters,
        callback=callback,
        help=help_with_examples(data.help or docstring.partition("\n\n")[0], data.examples),
        context_settings={"ignore_unknown_options": data.negative},
    )


class VerbCall:
    """One call of a verb from the command line."""

    def __init__(self, call: Call, data: CommandData, verb: Verb, given: dict[str, Any]) -> None:
        self._call = call
        self._data = data
        self._verb = verb
        self._given = given

    def run(self) -> int | None:
        """Call the verb, show its result, and return the exit code."""
        name = self._data.stdin
        if name and self._given.get(name) == "-":
            text = options.read_text(Path("-"))
            self._given[name] = text.removesuffix("\n") if self._data.strip else text
        if self._data.run:
            code: int | None = run_function(self._data, self._call, self._given)
            return code
        if self._verb.result in (Erasure, Receipt):
            self._erase() if self._verb.result is Erasure else self._destroy()
            return 0
        with working(self._data.working) if self._data.working else nullcontext():
            result = self._result_or_notice()
        self._show(result)
        return REFUSED if getattr(result, "ok", True) is False else 0

    def _call_verb(self, **more: Any) -> Any:
        if self._data.protects:
            protect = resolve_name("erstwhile.cli.people:protect_decisions")
            protect(self._call, self._data.name, self._given)
        return self._verb.call(self._call.memory, self._given | more)

    def _result_or_notice(self) -> Any:
        """Return the result. If nothing is found, show first how much other scopes have."""
        try:
            return self._call_verb()
        except NotFoundError:
            if self._verb.reads and (elsewhere := self._call.elsewhere(self._countable_result)):
                self._call.out.notice(elsewhere)
            raise

    def _countable_result(self, memory: Memory) -> Sized | int:
        """Return what a memory answers, as something that can be counted."""
        found = self._verb.call(memory, self._given)
        countable = isinstance(found, int | Sequence | Mapping) and not isinstance(found, str)
        return found if countable else [found] if found else []

    def _show(self, result: Any) -> None:
        data, out = self._data, self._call.out
        moment = moment_asked(self._given)
        if result is None and data.missing:
            if elsewhere := self._call.elsewhere(self._countable_result):
                out.notice(elsewhere)
            message, remedy = data.missing
            raise NotFoundError(message.format(**self._given), remedy=remedy)
        elsewhere = self._elsewhere(result)
        value = _as_page(result)
        if data.fields:
            hint = getattr(result, "hint", None)
            known = {**self._given, "result": result, "result.hint": hint}
            value = {name: known[source] for name, source in data.fields.items()}
        if data.done:
            count = len(result) if isinstance(result, Sequence) else result
            values = {**self._given, "result": result, "count": count}
            out.done(data.done.format(**values), value)
        elif result is None and data.none:
            out.done(data.none, None)
        elif isinstance(value, Page | Hits):
            out.page(value, data.empty, moment)
        else:
            out.record(value, moment)
        if elsewhere:
            out.notice(elsewhere)

    def _elsewhere(self, result: Any) -> str:
        """Return how much other scopes have, if a question found nothing in that of the call."""
        if not self._verb.reads or result is None or result:
            return ""
        return self._call.elsewhere(self._countable_result)

    def _destroy(self) -> None:
        """Ask the question of the command, and then destroy records."""
        confirm(self._question, yes=self._given.pop("yes"))
        with working(_ERASING):
            receipt = self._call_verb()
        self._call.out.done(receipt_line(receipt), receipt)

    def _question(self) -> str:
        if ids := self._given.get("ids"):
            lines = [f"  {self._describe(id)}" for id in ids]
            return "\n".join(("These records:", *lines, "Destroy them for good, without any undo?"))
        values = {name: each.default for name, each in self._verb.parameters.items()} | self._given
        lists = {name: ", ".join(each) for name, each in values.items() if isinstance(each, tuple)}
        safe = {
            name: value if isinstance(value, int) else safe_line(str(value or ""))
            for name, value in (values | lists).items()
        }
        return (self._data.question or _DELETED_BEFORE).format(**safe)

    def _describe(self, id: str) -> str:
        """Return which record a shortened id means."""
        try:
            record = getattr(self._call.memory, self._verb.collection).get(id)
        except NotFoundError:  # a deleted record can be erased, too
            return safe_line(id)
        return f"{record.short_id}  {resolve_name('erstwhile.cli.views.records:describe')(record)}"

    def _erase(self) -> None:
        """Ask about the preview of an erasure, then run it; or only show the preview."""
        call, preview = self._call, self._given.pop("preview", False)
        yes = self._given.pop("yes")
        if not preview:
            seen: Erasure = self._call_verb(preview=True)
            scopes = frozenset(seen.scopes if "decisions" in seen.collections else ())
            # On a server the token says what may be erased; it need not open everything.
            seen_by = call.memory if call.is_remote else call.store.everything()
            protect = resolve_name("erstwhile.cli.people:protect")
            protect(call, seen_by.decisions, lambda decision: decision.scope in scopes)
            confirm(lambda: _erasure_question(self._call_verb(preview=True)), yes=yes)
        with working("Counting…" if preview else _ERASING):
            erased: Erasure = self._call_verb(preview=preview)
        if erased.receipt is None:
            call.out.record(erased)
        else:
            call.out.done(receipt_line(erased.receipt), erased)


def _as_page(result: Any) -> Any:
    """Return a list as a page, a named tuple as a mapping, and anything else as it is."""
    if hasattr(result, "_asdict"):
        return result._asdict()
    several = isinstance(result, Sequence) and not isinstance(result, Page | Hits | str)
    return Page(tuple(result)) if several else result


def _erasure_question(seen: Erasure) -> str:
    scopes = [f"  {safe_line(str(scope))}" for scope in seen.scopes[:20]]
    more = len(seen.scopes) - len(scopes)
    counts = [f"  {count:,} {name}" for name, count in seen.collections.items()]
    return "\n".join(
        (
            "These scopes:",
            *(scopes or ["  none"]),
            *([f"  and {more:,} more"] if more else []),
            "with these records:",
            *(counts or ["  none"]),
            "Destroy them for good, without any undo?",
        )
    )


def receipt_line(receipt: Receipt) -> str:
    if not receipt.ids:
        return "There was nothing to destroy"
    counts = {each.name: getattr(receipt, each.name) for each in fields(receipt)}
    destroyed = [
        f"{count:,} {name.replace('_', ' ')}"
        for name, count in counts.items()
        if isinstance(count, int) and count
    ]
    return f"Destroyed for good: {', '.join(destroyed)}"


_LAST = ("as_of", "known_at", "deleted", "reason", "expected_version", "limit", "cursor")
"""The options at the end of the help."""


def command_parameters(verb: Verb, data: CommandData) -> list[click.Parameter]:
    """Return the arguments and the options of the command of a verb."""
    named = {n: each for n, each in verb.parameters.items() if n not in data.without}
    positional = data.arguments
    if positional is None:
        positional = [n for n, p in named.items() if p.many or (p.required and not p.keyword)]
    rest = sorted(named.keys() - set(positional), key=[*named].index)
    ordered = sorted(rest, key=lambda name: _LAST.index(name) if name in _LAST else -1)
    return [
        *(_argument(named[name], data) for name in positional),
        *(_option(verb, named[name], data) for name in ordered),
        *options.own_parameters(data),
    ]


def _argument(parameter: VerbParameter, data: CommandData) -> click.Argument:
    name, value = parameter.name, _attributes(parameter, data)
    several = parameter.many or "multiple" in value
    optional = name in (*data.optional, *data.defaults)
    spelled = _spelled(name, data)
    metavar = None if not spelled or spelled.startswith("-") else spelled
    required = (parameter.required or several) and not optional
    if metavar and not required:
        metavar = f"[{metavar}]"
    default = {"default": data.defaults[name]} if name in data.defaults else {}
    shape: dict[str, Any] = {"type": value.get("type"), "nargs": -1 if several else 1}
    shape |= _completing(name, data)
    return click.Argument([name], required=required, metavar=metavar, **shape, **default)


def _option(verb: Verb, parameter: VerbParameter, data: CommandData) -> click.Option:
    name, attributes = parameter.name, _attributes(parameter, data)
    spelled = _spelled(name, data)
    is_name = spelled.startswith("-")
    names = spelled if is_name else f"--{name.replace('_', '-')}"
    if spelled and not is_name:
        attributes["metavar"] = spelled
    if name in data.defaults:
        attributes["default"] = data.defaults[name]
    required = parameter.required and name not in (*data.optional, *data.defaults)
    text = describe_parameter(verb.name, name)
    default = data.defaults.get(name, parameter.default)
    is_shown = isinstance(default, str | int | float) and not isinstance(default, bool) and default
    if is_shown and "by default" not in text:
        text = f"{text.removesuffix('.')}; {default} by default."
    if "multiple" in attributes:
        text = f"{text} Repeatable."
    attributes |= _completing(name, data)
    return click.Option([names, name], required=required, help=text, **attributes)


def _spelled(name: str, data: CommandData) -> str:
    return data.spelling.get(name) or parameter_words()["spelling"].get(name, "")


def _completing(name: str, data: CommandData) -> dict[str, Any]:
    """Return how a shell completes a parameter: by the ids or the names of records."""
    by_name = name == "name" and data.group in ("blocks", "snapshots")
    is_record = name in ("id", "ids", "conversation", "exclude") or by_name
    return {"shell_complete": _complete_records} if is_record else {}


def _complete_records(*asked: Any) -> Any:
    return resolve_name("erstwhile.cli.completion:complete_records")(*asked)  # few calls complete


def _attributes(parameter: VerbParameter, data: CommandData) -> dict[str, Any]:
    """Return the attributes of an option by the type of a parameter."""
    name, members = parameter.name, [*_members(parameter.hint)]
    metavars = parameter_words()["metavars"]
    for each in members:
        if get_origin(each) in (Sequence, Iterable):
            return {"multiple": True, **_list_attributes(each, data.choices.get(name))}
    if bool in members:
        return {"is_flag": True, "default": None}
    for each in members:
        if isinstance(each, type) and issubclass(each, StrEnum):
            choice = options.status_of if name in ("state", "status") else options.one_of
            return {"type": choice(each)}
    if str in members:
        return {"metavar": metavars.get(name, "TIME" if datetime in members else None)}
    if any(get_origin(each) is Mapping for each in members):
        return {"metavar": "JSON", "callback": options.json_object}
    plain = next(each for each in (int, float) if each in members)
    return {"type": plain, "metavar": metavars.get(name)}


def _list_attributes(hint: Any, choices: Sequence[str] | None) -> dict[str, Any]:
    (element,) = get_args(hint)
    if get_origin(element) is tuple:
        return {"metavar": "A|B|C", "callback": options.triples}
    if get_origin(hint) is Iterable:
        return {"metavar": "A,B", "callback": options.split_names}
    enums = [each for each in _members(element) if issubclass(each, StrEnum)]
    if enums:
        return {"type": options.one_of(enums[0])}
    return {"type": click.Choice(choices)} if choices else {}


def _members(hint: Any) -> Iterator[Any]:
    """Yield the types of a union but None, or the type itself."""
    for each in get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,):
        if each is not NoneType:
            yield each
