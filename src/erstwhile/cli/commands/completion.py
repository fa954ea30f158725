"""`erstwhile completion`: complete commands and options in a shell."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, FishComplete, ZshComplete

_SHELLS = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}


@click.command()
@click.argument("shell", type=click.Choice(tuple(_SHELLS)))
@click.pass_context
def completion(context: click.Context, /, shell: str) -> None:
    """Write the script that completes commands in SHELL.

    For bash and zsh you may also put eval "$(erstwhile completion bash)" into ~/.bashrc, or the
    same with zsh into ~/.zshrc.

    \b
    Examples:
      erstwhile completion bash > ~/.local/share/bash-completion/completions/erstwhile
      erstwhile completion fish > ~/.config/fish/completions/erstwhile.fish
    """
    app = context.find_root().command
    click.echo(_SHELLS[shell](app, {}, "erstwhile", "_ERSTWHILE_COMPLETE").source())
