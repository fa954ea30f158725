"""Commands that are imported when they run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

import click

from erstwhile.cli.help_text import with_wrapped_examples


class LazyCommands(Mapping[str, click.Command]):
    """The commands by name. A call imports only the command that it runs."""

    def __init__(self, homes: Mapping[str, str]) -> None:
        self._homes = homes
        """The module, below `erstwhile.cli`, and the name of each command: `module:name`."""

    def __getitem__(self, name: str) -> click.Command:
        module, command = self._homes[name].split(":")
        loaded: click.Command = getattr(import_module(f"erstwhile.cli.{module}"), command)
        return with_wrapped_examples(loaded)

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)
