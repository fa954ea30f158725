"""`erstwhile chat`: talk to a language model that has the memory of a user."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, cast

import click

from erstwhile.adapters.registry import resolve_llm
from erstwhile.cli.call import Call, Format, is_terminal
from erstwhile.cli.safe_text import safe, safe_line
from erstwhile.cli.terminal import Terminal
from erstwhile.core.errors import ErstwhileError, InvalidInputError

if TYPE_CHECKING:
    from erstwhile.adapters.llm.vendor import VendorLlm
    from erstwhile.context.model import Context

TOKENS = 2_000
CHANNEL = "chat"
_HELP = "/why what the model was told of the memory · /facts all facts · /quit the end"


def chat(call: Call, *, llm: str | None = None, tokens: int = TOKENS) -> None:
    """Answer each line of standard input until its end, or until /quit."""
    call.llm = llm
    model = _model(call)
    if call.settings.user is None and not call.is_remote:
        raise InvalidInputError("a chat needs a user to learn about", remedy="add --user NAME")
    call.form = Format.TABLE
    dialogue = Chat(call, model, tokens)
    if is_terminal(sys.stdin):
        click.secho(f"{safe_line(call.settings.llm)} · {_HELP}", dim=True)
    for said in _lines():
        if said == "/quit":
            break
        dialogue.respond(said)


def _model(call: Call) -> VendorLlm:
    found = resolve_llm(call.settings.llm, base_url=call.settings.llm_url)
    if found is None:
        raise InvalidInputError(
            "no language model is configured",
            remedy="add --llm, or set ERSTWHILE_LLM, such as to ollama:qwen2.5:7b, "
            "openai:gpt-4o-mini or anthropic:claude-haiku-4-5",
        )
    return cast("VendorLlm", found)  # every model of a name can chat


def _lines() -> Iterator[str]:
    """Yield what the user types, without blank lines. The end of input and Ctrl-C end it."""
    with suppress(ImportError):
        import_module("readline")  # it lets people edit their line
    prompt = "you: " if is_terminal(sys.stdin) else ""
    with suppress(EOFError, KeyboardInterrupt):
        while True:
            if said := input(prompt).strip():
                yield said


class Chat:
    """A conversation with a model: each answer is streamed, and each turn observed."""

    def __init__(self, call: Call, model: VendorLlm, tokens: int) -> None:
        self._call = call
        self._model = model
        self._tokens = tokens
        self._told: Context | None = None

    def respond(self, said: str) -> None:
        """Run a command, or answer the words of the user."""
        if said == "/why":
            self._show_context()
        elif said == "/facts":
            self._call.out.page(self._call.memory.facts.list(), "No fact is known yet.")
        elif said.startswith("/"):
            click.secho(_HELP, dim=True)
        else:
            self._answer(said)

    def _answer(self, said: str) -> None:
        memory = self._call.memory
        self._told = memory.context(said, self._tokens, channel=CHANNEL)
        pieces = list[str]()
        try:
            for piece in self._model.chat(self._told.messages(said, history=True)):
                click.echo(safe(piece, keep="\n\t"), nl=False)
                pieces.append(piece)
        except KeyboardInterrupt:  # the user heard enough
            pass
        except ErstwhileError as error:
            cast("Terminal", self._call.out).notice(str(error))
        if pieces:
            click.echo()
            memory.observe_turn(said, "".join(pieces), channel=CHANNEL)

    def _show_context(self) -> None:
        if self._told is None or not self._told.items:
            click.secho("The model was told nothing of the memory.", dim=True)
            return
        for item in self._told.items:
            click.echo(f"{item.section}: {safe_line(item.text)}")
