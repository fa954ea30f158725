"""`recollect import chat`: conversations that were held elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from recollect.cli import options
from recollect.cli.call import Call, counting
from recollect.model.attempt import AttemptOutcome
from recollect.model.chat import Imported, Spoilt
from recollect.model.errors import InvalidInputError


@click.group(name="import", cls=options.Commands)
def imports() -> None:
    """Bring in what was said elsewhere.

    \b
    Example:
      recollect --user ana import chat conversations.json --learn
    """


@imports.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--learn", is_flag=True, help="Learn from it at once.")
@click.pass_obj
def chat(call: Call, /, file: Path, learn: bool) -> None:
    """Import the conversations in FILE.

    Importing it again stores nothing twice. FILE has a JSON object with role and content on each
    line, and if you like at (a time) and conversation (a name); or it is the conversations.json of
    an export from ChatGPT or Claude. A conversation of which a part cannot be read is left out.

    \b
    Example:
      recollect --user ana import chat conversations.json --learn
    """
    # Loaded here: no other command reads such files.
    from recollect.integrations.chat_files import read_chats
    from recollect.integrations.chat_import import import_chats

    chats, spoilt = read_chats(_content(file), file.stem)
    if not chats:
        raise _useless(file, spoilt)
    with counting("Importing") as tell:
        done = import_chats(call.memory, chats, spoilt, tell)
    if not done.chats:
        raise _useless(file, done.left_out)
    for left_out in done.left_out:
        call.out.notice(f"left out: {left_out.place}: {left_out.reason}")
    told = f"Imported: {done.chats:,} conversations, {done.messages:,} new messages"
    if learn:
        told += f"; turns learned from: {_learned(call, done):,}"
    call.out.done(told, done)


def _learned(call: Call, done: Imported) -> int:
    """Learn from all that was imported; how many turns that were."""
    with counting("Learning") as tell:
        made = [
            attempt
            for conversation in done.conversations
            for attempt in call.memory.learn(conversation, progress=tell)
        ]
    return sum(attempt.outcome is not AttemptOutcome.FAILED for attempt in made)


def _useless(file: Path, spoilt: Sequence[Spoilt]) -> InvalidInputError:
    reasons = [f"{each.place}: {each.reason}" for each in spoilt[:3]]
    return InvalidInputError(
        "; ".join([f"{file} holds no conversation that can be read", *reasons]),
        remedy="see `recollect import chat --help` for what such a file looks like",
    )


def _content(file: Path) -> str:
    try:
        return file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(
            f"{file} cannot be read ({error})", remedy="give a file of text in UTF-8"
        ) from None
