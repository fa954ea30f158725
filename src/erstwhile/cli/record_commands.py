"""What every collection can do to one of its records: show, hide, restore, destroy."""

from __future__ import annotations

from dataclasses import fields

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call, confirm, working
from erstwhile.cli.safe_text import safe_line
from erstwhile.core.errors import NotFoundError
from erstwhile.core.receipt import Receipt

REWRITING = "Rewriting the file, so that no byte is left…"

deleted = click.option("--deleted", is_flag=True, help="Those that were deleted instead.")


def record_commands(collection: str, noun: str) -> tuple[click.Command, ...]:
    """The commands of one collection, each as the method of the same name does."""
    return (
        _show(collection, noun),
        edit(collection, "delete", "Deleted", f"Hide one {noun} until it is restored or purged."),
        edit(collection, "restore", "Restored", f"Bring a deleted {noun} back as it was."),
        purge(collection),
        erase(collection, noun),
    )


def _show(collection: str, noun: str) -> click.Command:
    @click.command(name="show", help=_help(f"Show one {noun} whole.", collection, "show"))
    @click.argument("id")
    @click.pass_obj
    def show(call: Call, /, id: str) -> None:
        call.out.record(getattr(call.memory, collection).get(id))

    return show


def edit(collection: str, name: str, told: str, help: str) -> click.Command:
    """A command that does one thing to one record."""

    @click.command(name=name, help=_help(help, collection, name))
    @click.argument("id")
    @options.reason
    @click.pass_obj
    def edited(call: Call, /, id: str, reason: str | None) -> None:
        call.out.done(told, getattr(getattr(call.memory, collection), name)(id, reason=reason))

    return edited


def purge(collection: str) -> click.Command:
    example = f"\n\n\b\nExample:\n  erstwhile {collection} purge --older-than '90 days' --yes"

    @click.command(name="purge", help=f"Destroy what was deleted some time ago.{example}")
    @click.option("--older-than", metavar="AGE", help="Deleted longer ago; 30 days unless said.")
    @options.yes
    @click.pass_obj
    def purged(call: Call, /, older_than: str | None, yes: bool) -> None:
        limit = safe_line(older_than or "30 days")
        confirm(lambda: f"Destroy for good what was deleted long ago (limit: {limit})?", yes=yes)
        with working(REWRITING):
            asked = options.said({"older_than": older_than})
            receipt = getattr(call.memory, collection).purge(**asked)
        call.out.done(told_of(receipt), receipt)

    return purged


def erase(collection: str, noun: str) -> click.Command:
    help = _help(f"Destroy one {noun} or several for good.", collection, "erase", "--yes")

    @click.command(name="erase", help=help)
    @click.argument("ids", metavar="ID...", nargs=-1, required=True)
    @options.yes
    @click.pass_obj
    def erased(call: Call, /, ids: tuple[str, ...], yes: bool) -> None:
        confirm(lambda: _question(call, collection, ids), yes=yes)
        with working(REWRITING):
            receipt = getattr(call.memory, collection).erase(*ids)
        call.out.done(told_of(receipt), receipt)

    return erased


def _help(said: str, collection: str, name: str, *options: str) -> str:
    call = " ".join(("erstwhile", collection, name, "019a8a5b-1234", *options))
    return f"{said}\n\n\b\nExample:\n  {call}"


def _question(call: Call, collection: str, ids: tuple[str, ...]) -> str:
    """Shows what a shortened id stands for, since it cannot be taken back."""
    lines = [f"  {_meant(call, collection, id)}" for id in ids]
    return "\n".join(("For good:", *lines, "Destroy, without any undo?"))


def _meant(call: Call, collection: str, id: str) -> str:
    # Loaded here: it knows records of all sorts.
    from erstwhile.cli.views.descriptions import line

    try:
        record = getattr(call.memory, collection).get(id)
    except NotFoundError:  # it may be deleted, and can be erased all the same
        return safe_line(id)
    return f"{record.short_id}  {line(record)}"


def told_of(receipt: Receipt) -> str:
    if not receipt.ids:
        return "There was nothing to destroy"
    counts = {each.name: getattr(receipt, each.name) for each in fields(receipt)}
    gone = [
        f"{count:,} {name.replace('_', ' ')}"
        for name, count in counts.items()
        if isinstance(count, int) and count
    ]
    return f"Destroyed for good: {', '.join(gone)}"
