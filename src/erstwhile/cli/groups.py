"""Groups of commands, and commands that only call a method.

Most commands call one method of a collection and show its result. `Group.method` makes such a
command, so that a module of commands writes functions only where there is more to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from typing import Any, TypeAlias

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call, confirm, moment_asked, working
from erstwhile.cli.input_text import InputText, read_standard_input
from erstwhile.cli.safe_text import safe_line
from erstwhile.core.errors import NotFoundError
from erstwhile.core.page import Page
from erstwhile.core.receipt import Receipt

Parameter: TypeAlias = Callable[[Any], Any]
"""A decorator that gives a command an argument or an option."""

_ID = "019a8a5b-1234"
one_id = click.argument("id")


class Group(options.OrderedGroup):
    """The commands of one collection of the memory, which has the same name."""

    def __init__(self, name: str, help: str, *examples: str) -> None:
        super().__init__(name, help=_help(help, examples))

    def method(
        self,
        name: str,
        help: str,
        example: str | Sequence[str],
        *parameters: Parameter,
        calls: str | None = None,
        field: str | None = None,
        done: str | Callable[[Any], str] | None = None,
        empty: str = "",
    ) -> None:
        """Add a command that calls a method and shows the result.

        `calls` is the name of the method if it differs from the command. `field` is the name of a
        result
        that is not a record. `done` says what was done. `empty` is shown instead of an empty list.
        """

        def run(call: Call, arguments: tuple[Any, ...], given: dict[str, Any]) -> None:
            result = self._collection(call, calls or name)(*arguments, **given)
            if done:
                call.out.done(done if isinstance(done, str) else done(result), _page(result))
            elif field:
                call.out.record({field: result})
            else:
                at = moment_asked(given.get("as_of"), given.get("known_at"))
                _show(call, _page(result), empty, at)

        self._add(name, help, example, parameters, run)

    def edit(self, name: str, done: str, help: str) -> None:
        """Add a command that changes one record."""
        self.method(name, help, f"{self.name} {name} {_ID}", one_id, options.reason, done=done)

    def destroy(
        self,
        name: str,
        help: str,
        example: str,
        *parameters: Parameter,
        question: Callable[..., str],
    ) -> None:
        """Add a command that asks the question first, and then destroys records."""

        def run(call: Call, arguments: tuple[Any, ...], given: dict[str, Any]) -> None:
            yes = given.pop("yes")
            confirm(lambda: question(call, *arguments, **given), yes=yes)
            with working("Rewriting the file, so that no byte is left…"):
                receipt = self._collection(call, name)(*arguments, **given)
            call.out.done(destroyed(receipt), receipt)

        self._add(name, help, f"{example} --yes", (*parameters, options.yes), run)

    def record_commands(self, noun: str) -> None:
        """Add the commands that every collection of records has."""
        self.method("show", f"Show one {noun}.", f"{self.name} show {_ID}", one_id, calls="get")
        self.delete_commands(noun)

    def delete_commands(self, noun: str, also: str = "") -> None:
        """Add delete, restore, erase and purge; `also` names other records that erase takes."""
        self.edit("delete", "Deleted", f"Hide one {noun} until it is restored or purged.")
        self.edit("restore", "Restored", f"Restore a deleted {noun}.")
        self.purge()
        self.destroy(
            "erase",
            f"Destroy {noun}s{also} for good.",
            f"{self.name} erase {_ID}",
            click.argument("ids", metavar="ID...", nargs=-1, required=True),
            question=self._ask_about_records,
        )

    def purge(self) -> None:
        """Add the command that destroys records which were deleted long ago."""
        older_than = click.option(
            "--older-than", metavar="AGE", help="The time since the deletion; 30 days by default."
        )
        self.destroy(
            "purge",
            "Destroy records that were deleted some time ago.",
            f"{self.name} purge --older-than '90 days'",
            older_than,
            question=lambda _call, older_than="30 days": (
                f"Destroy for good everything deleted longer ago than {safe_line(older_than)}?"
            ),
        )

    def _add(
        self,
        name: str,
        help: str,
        example: str | Sequence[str],
        parameters: tuple[Parameter, ...],
        run: Callable[[Call, tuple[Any, ...], dict[str, Any]], None],
    ) -> None:
        @click.command(name, help=_help(help, (example,) if isinstance(example, str) else example))
        @options.together(*parameters)
        @click.pass_context
        def command(context: click.Context, /, **given: Any) -> None:
            run(context.obj, tuple(_arguments(context.command, given)), options.given(given))

        self.add_command(command)

    def _collection(self, call: Call, method: str) -> Callable[..., Any]:
        function: Callable[..., Any] = getattr(
            getattr(call.memory, str(self.name)), method.replace("-", "_")
        )
        return function

    def _ask_about_records(self, call: Call, *ids: str) -> str:
        """Return a question that shows which record each shortened id means."""
        lines = [f"  {self._describe(call, id)}" for id in ids]
        return "\n".join(("These records:", *lines, "Destroy them for good, without any undo?"))

    def _describe(self, call: Call, id: str) -> str:
        # Imported here: it imports the records of all collections.
        from erstwhile.cli.views.descriptions import describe

        try:
            record = self._collection(call, "get")(id)
        except NotFoundError:  # a deleted record can be erased, too
            return safe_line(id)
        return f"{record.short_id}  {describe(record)}"


def _help(text: str, examples: Sequence[str]) -> str:
    lines = "\n".join(f"  erstwhile {example}" for example in examples)
    return f"{text}\n\n\b\nExamples:\n{lines}"


def _arguments(command: click.Command, given: dict[str, Any]) -> Iterator[Any]:
    """Take the positional arguments out of the given parameters, in their order."""
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            value = given.pop(str(parameter.name))
            if isinstance(parameter.type, InputText) and value == "-":
                value = read_standard_input()
            yield from value if parameter.nargs == -1 else (value,)


def _page(result: Any) -> Any:
    several = isinstance(result, Sequence) and not isinstance(result, Page | str)
    return Page(tuple(result)) if several else result


def _show(call: Call, result: Any, empty: str, at: Any) -> None:
    if isinstance(result, Page):
        call.out.page(result, empty, at)
    else:
        call.out.record(result, at)


def destroyed(receipt: Receipt) -> str:
    """Return what a receipt says, in one line."""
    if not receipt.ids:
        return "There was nothing to destroy"
    counts = {each.name: getattr(receipt, each.name) for each in fields(receipt)}
    destroyed = [
        f"{count:,} {name.replace('_', ' ')}"
        for name, count in counts.items()
        if isinstance(count, int) and count
    ]
    return f"Destroyed for good: {', '.join(destroyed)}"
