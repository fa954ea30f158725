"""Completion in a shell: global options after a command, and the ids of records."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import signature
from pkgutil import resolve_name
from typing import Any

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
)

from erstwhile.cli.call import Call
from erstwhile.cli.options import global_options_first, named_option
from erstwhile.cli.safe_text import safe_line

SHELLS: dict[str, type[ShellComplete]] = {}
"""The classes that write the script of a shell and complete its words."""
_MAX_CHOICES = 50
_MAX_LENGTH = 60


class _AnyOrder(ShellComplete):
    """Completes global options also after the command."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        assert isinstance(self.cli, click.Group)  # noqa: S101 (the root command is one)
        option = named_option(self.cli, args[-1]) if args else None
        root = click.Context(self.cli, info_name=self.prog_name, resilient_parsing=True)
        if option and not option.is_flag and "=" not in args[-1]:
            return option.shell_complete(root, incomplete)
        ordered = global_options_first(self.cli, args)
        found = super().get_completions(ordered, incomplete)
        if not incomplete.startswith("-"):
            return found
        known = {item.value for item in found}
        more = click.Command.shell_complete(self.cli, root, incomplete)
        return [*found, *(item for item in more if item.value not in known)]


for _base in (BashComplete, ZshComplete, FishComplete):
    SHELLS[_base.name] = type(_base.__name__, (_AnyOrder, _base), {})
    add_completion_class(SHELLS[_base.name])


def complete_records(
    context: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the ids or names of records that begin like this, each with its text."""
    try:
        with context.find_root() as root:
            return [*_matching(_call(root), context, str(param.name), incomplete)]
    except Exception:
        return []


def _matching(
    call: Call, context: click.Context, name: str, incomplete: str
) -> Iterator[CompletionItem]:
    describe = resolve_name("erstwhile.cli.views.records:describe")  # loads rich
    group = context.parent.info_name if context.parent and context.parent.parent else "facts"
    collection = "conversations" if name in ("conversation", "exclude") else group
    listing = getattr(call.memory, str(collection)).list
    wanted = {"limit": _MAX_CHOICES, "state": "any", "deleted": context.info_name == "restore"}
    known = signature(listing).parameters
    is_fact = collection == "facts"
    for record in listing(**{key: wanted[key] for key in wanted if key in known or is_fact}):
        value = record.name if name == "name" else record.id
        if name != "name" and record.short_id.startswith(incomplete):
            value = record.short_id
        if value.startswith(incomplete):
            yield CompletionItem(value, help=safe_line(str(describe(record)), _MAX_LENGTH))


def _call(root: click.Context) -> Call:
    """Return the call with the global options before the cursor. It embeds and learns nothing."""
    given: dict[str, Any] = root.params
    return Call(
        context=root,
        db=given["db"],
        dimensions={name: given[name] for name in ("user", "agent", "project", "session")},
        resolve=given["resolve"],
        everything=given["everything"],
        form=None,
        embedder="none",
        learners=0,
    )
