"""`erstwhile conversations`: store messages, and find them again."""

from __future__ import annotations

from typing import Any

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call
from erstwhile.cli.groups import Group, one_id
from erstwhile.cli.input_text import read_standard_input
from erstwhile.conversations.conversation import ConversationStatus, Role

NONE_HERE = (
    "No conversation here matches.\n"
    'Add a message: erstwhile conversations add user "Which database do we run?"'
)
channel = click.option("--channel", metavar="NAME", help="Of this channel.")
metadata = click.option(
    "--metadata", callback=options.json_object, metavar="JSON", help="Any other details."
)
placed = options.together(
    click.option("--conversation", metavar="ID", help="Into this conversation."),
    click.option("--channel", metavar="NAME", help="Into the current one of this channel."),
    metadata,
    click.option("--said-at", metavar="TIME", help="The time of the message; now by default."),
    click.option("--key", help="An idempotency key: a repeated call stores nothing."),
)

conversations = Group(
    "conversations",
    "Store messages in their order, and find them again.",
    '--user ana conversations search "which database?"',
)
conversations.method(
    "current",
    "Show the current conversation, or start one.",
    "--user ana conversations current --channel telegram",
    channel,
)
conversations.method(
    "start",
    "Start another conversation; it becomes the current one.",
    "--user ana conversations start --channel telegram",
    channel,
    metadata,
    done="Started",
)


@conversations.command()
@click.argument("role", type=options.one_of(Role))
@click.argument("content")
@placed
@click.pass_obj
def add(call: Call, /, role: str, content: str, **details: Any) -> None:
    """Append a message to the current conversation, or to another.

    ROLE is user, assistant, system or tool. - as CONTENT reads it from standard input.

    \b
    Examples:
      erstwhile --user ana conversations add user "Which database do we run?" --channel telegram
    """
    text = read_standard_input().removesuffix("\n") if content == "-" else content
    call.out.done("Added", call.memory.conversations.add(role, text, **options.given(details)))


@conversations.command()
@click.argument("user")
@click.argument("assistant")
@placed
@click.pass_obj
def exchange(call: Call, /, user: str, assistant: str, **details: Any) -> None:
    """Append a user's message and the answer: both or neither.

    \b
    Examples:
      erstwhile --user ana conversations exchange "Which database?" "Postgres 17"
    """
    both = call.memory.conversations.add_exchange(user, assistant, **options.given(details))
    call.out.done("Added both", both._asdict())


conversations.method(
    "list",
    "List conversations, newest first.",
    "--user ana conversations list --status idle",
    click.option("--status", type=options.status_of(ConversationStatus), help="In this status."),
    channel,
    options.deleted,
    options.paging,
    empty=NONE_HERE,
)
conversations.method(
    "summaries",
    "List closed conversations that have a summary, newest first.",
    "--user ana conversations summaries --limit 3",
    channel,
    options.paging,
    empty=NONE_HERE,
)
conversations.method(
    "show",
    "Show a conversation: summaries of its beginning, then messages.",
    "--user ana conversations show 019a8a5b-1234",
    one_id,
    click.option("--limit", type=int, help="The maximum number of messages."),
    calls="transcript",
)
conversations.method(
    "messages",
    "List the last messages of a conversation, in their order.",
    "--user ana conversations messages 019a8a5b-1234 --limit 10",
    one_id,
    options.paging,
    empty="There is no message here yet.",
)
conversations.method(
    "message", "Show one message.", "--user ana conversations message 019a8a5b-1234", one_id
)
conversations.method(
    "search",
    "Find messages by words and meaning, best first.",
    '--user ana conversations search "the move to Postgres" --since "30 days ago"',
    click.argument("query"),
    click.option("--limit", type=int, help="The maximum number of messages; 10 by default."),
    click.option("--role", type=options.one_of(Role), help="From this role."),
    channel,
    options.period,
    click.option("--conversation", metavar="ID", help="Only in this conversation."),
    click.option("--exclude", metavar="ID", help="Not in this conversation."),
    options.floor,
    empty="No message here matches.",
)
conversations.method(
    "close",
    "Close a conversation, with a summary of it.",
    '--user ana conversations close 019a8a5b-1234 --summary "They moved to Postgres."',
    one_id,
    click.option("--summary", metavar="TEXT", help="A summary of the conversation."),
    options.reason,
    done="Closed",
)
conversations.method(
    "undo",
    "Undo the last messages of a conversation.",
    "--user ana conversations undo 019a8a5b-1234 --count 2",
    one_id,
    click.option("--count", type=int, default=1, help="How many messages; 1 by default."),
    options.reason,
    done=lambda undone: f"Messages undone: {len(undone):,}",
)
conversations.method(
    "branch",
    "Start another conversation with copies of the messages so far.\n\n"
    "MESSAGE is the id of the last message to copy.",
    "--user ana conversations branch 019a8a5b-1234",
    click.argument("message"),
    done="Branched",
)
conversations.method(
    "compact",
    "Store a SUMMARY of the messages that no summary covers yet.\n\nThe messages are kept.",
    '--user ana conversations compact 019a8a5b-1234 "They looked for a database."',
    one_id,
    click.argument("summary"),
    click.option("--through", metavar="ID", help="Up to this message; the last one by default."),
    done=lambda made: f"Summarised: messages {made.first:,} to {made.last:,}",
)
conversations.method(
    "expand",
    "Undo the summaries of the messages of a conversation.",
    "--user ana conversations expand 019a8a5b-1234",
    one_id,
    options.reason,
    done=lambda undone: f"Summaries undone: {len(undone):,}",
)
conversations.edit("reopen", "Open again", "Continue a closed conversation.")
conversations.delete_commands("conversation", also=" or messages")
conversations.method("stats", "Count conversations and messages.", "--user ana conversations stats")
