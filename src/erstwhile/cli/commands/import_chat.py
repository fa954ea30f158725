"""`erstwhile import chat`: conversations that were held elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call, counting
from erstwhile.cli.input_file import text_of
from erstwhile.cli.plain_values import plain
from erstwhile.conversations.imported_chat import Imported, Spoilt
from erstwhile.core.errors import InvalidInputError
from erstwhile.learning.attempt import Attempt, AttemptOutcome


@click.group(name="import", cls=options.Commands)
def imports() -> None:
    """Bring in what was said elsewhere.

    \b
    Example:
      erstwhile --user ana import chat conversations.json --learn
    """


@imports.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--learn", is_flag=True, help="Learn from it at once.")
@click.pass_obj
def chat(call: Call, /, file: Path, learn: bool) -> None:
    """Import the conversations in FILE; - reads standard input.

    Importing it again stores nothing twice. FILE has a JSON object with role and content on each
    line, and if you like at (a time) and conversation (a name); or it is the conversations.json of
    an export from ChatGPT or Claude. A conversation of which a part cannot be read is left out.

    \b
    Example:
      erstwhile --user ana import chat conversations.json --learn
    """
    # Loaded here: no other command reads such files.
    from erstwhile.integrations.chat_files import read_chats
    from erstwhile.integrations.chat_import import import_chats

    chats, spoilt = read_chats(text_of(file), file.stem)
    with counting("Importing") as tell:
        done = import_chats(call.memory, chats, spoilt, tell)
    if not done.chats:
        raise _useless(file, done.left_out)
    for left_out in done.left_out:
        call.out.notice(f"left out: {left_out.place}: {left_out.reason}")
    told = f"Imported conversations: {done.chats:,}, new messages: {done.messages:,}"
    if not learn:
        call.out.done(f"{told}. Learn from them: erstwhile learn", done)
        return
    learned = _learned(call, done)
    call.out.done(f"{told}, turns learned from: {learned:,}", {**plain(done), "learned": learned})


def _learned(call: Call, done: Imported) -> int:
    """Learn from all that was imported; how many turns that were."""
    total, made = len(done.conversations), list[Attempt]()
    with counting("Learning") as tell:
        for number, conversation in enumerate(done.conversations, 1):
            made += call.memory.learn(conversation)
            tell(number, total)
    return sum(attempt.outcome is not AttemptOutcome.FAILED for attempt in made)


def _useless(file: Path, spoilt: Sequence[Spoilt]) -> InvalidInputError:
    reasons = [f"{each.place}: {each.reason}" for each in spoilt[:3]]
    return InvalidInputError(
        "; ".join([f"nothing in {file} can be imported", *reasons]),
        remedy="see `erstwhile import chat --help` for what such a file looks like",
    )
