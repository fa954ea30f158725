"""`erstwhile init` and `config show`: begin a memory, and see the settings."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from erstwhile.cli.call import Call
from erstwhile.cli.safe_text import safe_line
from erstwhile.cli.views.records import view
from erstwhile.core.errors import RefusedError
from erstwhile.core.results import Page
from erstwhile.core.settings import PREFIX, config_file, source_of_each

_FIRST_COMMANDS = (
    'remember "I prefer short answers"',
    'recall "how do I like answers?"',
)


@dataclass(frozen=True, slots=True)
class ShownSetting:
    """A setting, its value for people, and where it comes from."""

    setting: str
    value: Any
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMemory:
    """The place of a memory, whether it is new, and commands to try next."""

    db: str
    created: bool
    config: str | None
    next: tuple[str, ...]


def show_config(call: Call) -> None:
    file = config_file()
    given = {"db": call.db, **call.dimensions, "embedder": call.embedder}
    shown = list[ShownSetting]()
    for name, source in source_of_each(**given).items():
        variable = f" {PREFIX}{name.upper()}" if source == "environment" else ""
        shown.append(ShownSetting(name, call.settings.shown(name), source + variable))
    call.out.page(Page(tuple(shown)), "")
    call.out.notice(
        f"configuration file: {file}{'' if file.exists() else ', which does not exist'}"
    )


def init(call: Call, *, config: bool, llm: str | None = None) -> None:
    """Create a store, and a configuration file that names it if asked."""
    file, place, call.llm = config_file(), call.location, llm
    if config and file.exists() and file.stat().st_size:
        raise RefusedError(f"{file} already exists", remedy="edit it, or leave --config out")
    is_address = "://" in place
    created = not is_address and not Path(place).exists()
    call.store.ping()
    if config:
        _write_config(file, call, place if is_address else str(Path(place).absolute()), llm)
    given = {} if config else {"db": call.db, **call.given_scope}
    words = "".join(f" --{name} {shlex.quote(value)}" for name, value in given.items() if value)
    following = [*_FIRST_COMMANDS, "chat" if config and llm else "chat --llm ollama:qwen2.5:7b"]
    call.out.record(
        NewMemory(
            db=call.settings.shown("db") if is_address else place,
            created=created,
            config=str(file) if config else None,
            next=tuple(f"erstwhile{words} {each}" for each in following),
        )
    )


def _write_config(file: Path, call: Call, place: str, llm: str | None) -> None:
    chosen = {"db": place, **call.given_scope, "embedder": call.embedder, "llm": llm}
    text = "".join(
        f"{name} = {json.dumps(value, ensure_ascii=False)}\n"
        for name, value in chosen.items()
        if value
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


@view.register
def _new_memory_view(made: NewMemory, _at: datetime | None) -> RenderableType:
    state = "Created" if made.created else "There already:"
    lines = [Text.assemble(("✓ ", "bold green"), (f"{state} {safe_line(made.db)}", "bold"))]
    if made.config:
        lines.append(Text(f"  The configuration is in {safe_line(made.config)}", "dim"))
    return Group(*lines, "Next:", *(Text(f"  {safe_line(each)}", "cyan") for each in made.next))
