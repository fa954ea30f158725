"""`erstwhile conversations`: what was said, and finding it again."""

from __future__ import annotations

import sys
from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.record_commands import edit, erase, purge
from erstwhile.conversations.conversation import ConversationStatus, Role
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.page import Page

NONE_HERE = (
    "No conversation here fits.\n"
    'Say something: erstwhile conversations add user "Which database do we run?"'
)
NOTHING_SAID = "Nothing was said here yet."
NONE_FOUND = "No message here holds any of these words."

channel = click.option("--channel", metavar="NAME", help="Of this channel.")
placed = options.together(
    click.option("--conversation", metavar="ID", help="Into this conversation."),
    click.option("--channel", metavar="NAME", help="Into the current one of this channel."),
    click.option("--metadata", callback=options.json_object, metavar="JSON", help="Anything else."),
    click.option("--said-at", metavar="TIME", help="When it was said, if not now."),
    click.option("--key", help="Names this call, so that repeating it stores nothing."),
)


@click.group(cls=options.Commands)
def conversations() -> None:
    """Keep what is said, in its order, and find it again.

    \b
    Example:
      erstwhile --user ana conversations search "which database?"
    """


@conversations.command()
@channel
@click.pass_obj
def current(call: Call, /, **asked: Any) -> None:
    """Show the conversation that is going on, or begin one.

    \b
    Example:
      erstwhile --user ana conversations current --channel telegram
    """
    call.out.record(call.memory.conversations.current(**options.said(asked)))


@conversations.command()
@channel
@click.option("--metadata", callback=options.json_object, metavar="JSON", help="Anything else.")
@click.pass_obj
def start(call: Call, /, **details: Any) -> None:
    """Begin another conversation, which is then the current one.

    \b
    Example:
      erstwhile --user ana conversations start --channel telegram
    """
    call.out.done("Begun", call.memory.conversations.start(**options.said(details)))


@conversations.command()
@click.argument("role", type=options.one_of(Role))
@click.argument("content")
@placed
@click.pass_obj
def add(call: Call, /, role: str, content: str, **details: Any) -> None:
    """Append a message to the current conversation, or to another.

    ROLE is user, assistant, system or tool. - as CONTENT reads it from standard input.

    \b
    Example:
      erstwhile --user ana conversations add user "Which database do we run?" --channel telegram
    """
    text = _standard_input() if content == "-" else content
    call.out.done("Kept", call.memory.conversations.add(role, text, **options.said(details)))


@conversations.command()
@click.argument("user")
@click.argument("assistant")
@placed
@click.pass_obj
def exchange(call: Call, /, user: str, assistant: str, **details: Any) -> None:
    """Append what a user said and the answer: both or neither.

    \b
    Example:
      erstwhile --user ana conversations exchange "Which database?" "Postgres 17"
    """
    both = call.memory.conversations.add_exchange(user, assistant, **options.said(details))
    call.out.done("Kept both", both._asdict())


@conversations.command(name="list")
@click.option("--status", type=options.one_of(ConversationStatus), help="In this status.")
@channel
@options.paging
@click.pass_obj
def list_conversations(call: Call, /, **asked: Any) -> None:
    """List conversations, newest first.

    \b
    Example:
      erstwhile --user ana conversations list --status idle
    """
    call.out.page(call.memory.conversations.list(**options.said(asked)), NONE_HERE)


@conversations.command()
@channel
@options.paging
@click.pass_obj
def summaries(call: Call, /, **asked: Any) -> None:
    """List closed conversations that have a summary, newest first.

    \b
    Example:
      erstwhile --user ana conversations summaries --limit 3
    """
    call.out.page(call.memory.conversations.summaries(**options.said(asked)), NONE_HERE)


@conversations.command()
@click.argument("id")
@click.option("--limit", type=int, help="How many messages at most.")
@click.pass_obj
def show(call: Call, /, id: str, **asked: Any) -> None:
    """Show a conversation: summaries of its beginning, then messages.

    \b
    Example:
      erstwhile --user ana conversations show 019a8a5b-1234
    """
    call.out.record(call.memory.conversations.transcript(id, **options.said(asked)))


@conversations.command()
@click.argument("id")
@options.paging
@click.pass_obj
def messages(call: Call, /, id: str, **asked: Any) -> None:
    """List the last messages of a conversation, in their order.

    \b
    Example:
      erstwhile --user ana conversations messages 019a8a5b-1234 --limit 10
    """
    call.out.page(call.memory.conversations.messages(id, **options.said(asked)), NOTHING_SAID)


@conversations.command()
@click.argument("id")
@click.pass_obj
def message(call: Call, /, id: str) -> None:
    """Show one message whole.

    \b
    Example:
      erstwhile --user ana conversations message 019a8a5b-1234
    """
    call.out.record(call.memory.conversations.message(id))


@conversations.command()
@click.argument("query")
@click.option("--limit", type=int, help="How many at most; 10 unless said.")
@click.option("--role", type=options.one_of(Role), help="Said by this role.")
@channel
@options.period
@click.option("--conversation", metavar="ID", help="In this conversation only.")
@click.option("--exclude", metavar="ID", help="In all conversations but this one.")
@click.pass_obj
def search(call: Call, /, query: str, **asked: Any) -> None:
    """Find messages by their words, best first, in any language.

    \b
    Example:
      erstwhile --user ana conversations search "the move to Postgres" --since "30 days ago"
    """
    found = call.memory.conversations.search(query, **options.said(asked))
    call.out.page(Page(tuple(found)), NONE_FOUND)


@conversations.command()
@click.argument("id")
@click.option("--summary", metavar="TEXT", help="What it was about.")
@options.reason
@click.pass_obj
def close(call: Call, /, id: str, summary: str | None, reason: str | None) -> None:
    """End a conversation, with a summary of it.

    \b
    Example:
      erstwhile --user ana conversations close 019a8a5b-1234 --summary "They moved to Postgres."
    """
    call.out.done("Closed", call.memory.conversations.close(id, summary, reason=reason))


@conversations.command()
@click.argument("id")
@click.option("--count", type=int, default=1, help="How many messages; 1 unless said.")
@options.reason
@click.pass_obj
def undo(call: Call, /, id: str, count: int, reason: str | None) -> None:
    """Take the last messages of a conversation back.

    \b
    Example:
      erstwhile --user ana conversations undo 019a8a5b-1234 --count 2
    """
    undone = call.memory.conversations.undo(id, count, reason=reason)
    call.out.done(f"Messages taken back: {len(undone):,}", Page(tuple(undone)))


@conversations.command()
@click.argument("message")
@click.pass_obj
def branch(call: Call, /, message: str) -> None:
    """Begin another conversation with copies of the messages so far.

    MESSAGE is the id of the last message that it shall have.

    \b
    Example:
      erstwhile --user ana conversations branch 019a8a5b-1234
    """
    call.out.done("Branched off", call.memory.conversations.branch(message))


@conversations.command()
@click.argument("id")
@click.argument("summary")
@click.option("--through", metavar="ID", help="Up to this message; up to the last unless said.")
@click.pass_obj
def compact(call: Call, /, id: str, summary: str, **asked: Any) -> None:
    """Record a SUMMARY of the messages that no summary covers yet.

    The messages are kept.

    \b
    Example:
      erstwhile --user ana conversations compact 019a8a5b-1234 "They looked for a database."
    """
    made = call.memory.conversations.compact(id, summary, **options.said(asked))
    call.out.done(f"Summed up: messages {made.first:,} to {made.last:,}", made)


def _standard_input() -> str:
    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig") if sys.stdin else ""
    except UnicodeDecodeError:
        raise InvalidInputError("the input is not UTF-8", remedy="convert it first") from None
    return text.removesuffix("\n")


for command in (
    edit("conversations", "reopen", "Open again", "Go on with one that was closed."),
    edit("conversations", "delete", "Deleted", "Hide one, until it is restored or purged."),
    edit("conversations", "restore", "Restored", "Bring a deleted one back as it was."),
    purge("conversations"),
    erase("conversations", "conversation or message"),
):
    conversations.add_command(command)


@conversations.command()
@click.pass_obj
def stats(call: Call, /) -> None:
    """Count conversations and messages.

    \b
    Example:
      erstwhile --user ana conversations stats
    """
    call.out.record(call.memory.conversations.stats())
