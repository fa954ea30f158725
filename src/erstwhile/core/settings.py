"""Settings: from the caller, else the environment, else a TOML file, else the default."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import timedelta
from pathlib import Path
from typing import Any

from erstwhile.core.errors import InvalidInputError, KeyMissingError, RefusedError
from erstwhile.core.folders import project_of, user_folder
from erstwhile.core.installing import import_extra
from erstwhile.core.policies import (
    parse_daily_limit,
    parse_denials,
    parse_learning,
    parse_retention,
    parse_secrets,
    table_text,
)
from erstwhile.core.scope import Scope
from erstwhile.core.text import checked_id
from erstwhile.secrets.masking import mask_text

PREFIX = "ERSTWHILE_"
_RANGES: dict[str, tuple[float, float]] = {
    "busy_timeout": (0.0, 3600.0),
    "connections": (1, 1000),
    "idle_minutes": (0.1, 365 * 24 * 60.0),
    "statement_timeout": (0.1, 86_400.0),
}
_FORMS = {
    "db": (re.compile(r"(?s:.*)"), "give the path of a file, or an address"),
    "embedder": (
        re.compile(r"universal|e5|minilm|hashing|none|(?s:(?:http|ollama):.*)"),
        "use one of universal, e5, minilm, hashing, none, http:MODEL or ollama:MODEL",
    ),
    "reranker": (re.compile(r"none|minilm|http(?::\S.*)?"), "use minilm, http:MODEL or none"),
    "llm": (
        re.compile(r"none|(?:openai|anthropic|ollama):\S.*"),
        "use openai:MODEL, anthropic:MODEL, ollama:MODEL or none",
    ),
    "llm_url": (re.compile(r"(?:https?://\S+)?"), "give an address such as https://…/v1"),
    "synchronous": (re.compile(r"FULL|NORMAL"), "use FULL or NORMAL"),
    "tokenizer": (re.compile(r"(?s:.+)"), "use auto, or see the settings"),
}
"""The form of settings that are texts, and the remedy for another text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings. Each has an environment variable, such as ERSTWHILE_DB."""

    db: str = ""
    """The location of the memory; if empty, `memory.db` in the user's data folder."""
    user: str | None = None
    """The user whose memory the command line uses."""
    agent: str | None = None
    """The agent whose memory the command line uses."""
    project: str | None = None
    """The project whose memory the command line uses."""
    session: str | None = None
    """The session whose memory the command line uses."""
    synchronous: str = "FULL"
    """FULL survives power loss. NORMAL is faster, but power loss may undo the last writes."""
    busy_timeout: float = 10.0
    """Seconds to wait for another process that writes."""
    space: str = "main"
    """The tenant in a shared PostgreSQL database. A file is a single space."""
    connections: int = 16
    """The highest number of open connections to a PostgreSQL server."""
    statement_timeout: float = 60.0
    """Seconds that a single statement may take on a PostgreSQL server."""

    embedder: str = "universal"
    """The embedder: universal, e5, minilm, http:MODEL, ollama:MODEL, none, or hashing for tests."""
    embedder_url: str = ""
    """The address of an OpenAI-compatible server, for http:MODEL."""
    embedder_key: str = field(default="", repr=False)
    """The key for this server."""
    reranker: str = "none"
    """The reranker: minilm (for English), http:MODEL, http (for a server of one model) or none."""
    reranker_url: str = ""
    """The address above `/rerank` on its server, for http."""
    reranker_key: str = field(default="", repr=False)
    """The key for this server."""
    llm: str = "none"
    """The language model that learns: openai:MODEL, anthropic:MODEL, ollama:MODEL or none."""
    llm_url: str = ""
    """The address of its server, if it is not the vendor's own."""
    learning: str = ""
    """How it learns, and how much: "verify false, facts_per_turn 5"."""
    tokenizer: str = "auto"
    """The tokenizer for new blocks: auto, estimate, or the name of a model."""

    idle_minutes: float = 120.0
    """Minutes without a message after which a conversation ends."""

    pii: str = "keep"
    """The treatment of personal data in learned facts: keep, mask, hold or refuse."""

    secrets: str = "mask"
    """The treatment of secrets: mask, warn or refuse, and rules to leave out: "warn, keep jwt"."""

    prices: str = ""
    """A TOML file with prices of models, which override the built-in prices."""
    daily_limit: str = "1000000 tokens"
    """The spending limit per day for language models: tokens, "1.50 usd", both, or none."""

    denials: str = "1 denial, share 0.6, floor 0.75"
    """When denials of the same act deny a tool call: how many, at which share, from which score."""

    retention: str = ""
    """How long records are kept: "messages 1 year, block_versions 20". By default for ever."""

    key: str = ""
    """Where the key of an encrypted file is: file:PATH, env:VARIABLE or keyring:SERVICE/NAME."""

    def __post_init__(self) -> None:
        for name, (form, remedy) in _FORMS.items():
            value = getattr(self, name)
            if not isinstance(value, str) or not form.fullmatch(value):
                raise InvalidInputError(f"{name} cannot be {self.shown(name)!r}", remedy=remedy)
        Scope(user=self.user, agent=self.agent, project=self.project, session=self.session)
        parse_learning(self.learning, self.pii)
        checked_id(self.space, name="space")
        parse_daily_limit(self.daily_limit)
        parse_denials(self.denials)
        parse_retention(self.retention)
        parse_secrets(self.secrets)
        check_key_source(self.key)
        for name, (lowest, highest) in _RANGES.items():
            if not lowest <= getattr(self, name) <= highest:
                raise InvalidInputError(f"{name} must lie between {lowest} and {highest:,}")

    def __repr__(self) -> str:
        """Return the settings without keys, and without the passwords in addresses."""
        names = [each.name for each in fields(self) if each.repr]
        shown = (f"{name}={mask_text(repr(self.shown(name)))}" for name in names)
        return f"Settings({', '.join(shown)})"

    def shown(self, name: str) -> Any:
        """Return a setting for people: a secret is hidden, and masked in another value."""
        value = getattr(self, name)
        if value and name.endswith("_key"):
            return "(hidden)"
        if not isinstance(value, str):
            return value
        server, address, _ = value.partition("://")
        if address and name == "db" and server != "file":
            return f"{server}://…"
        if name.endswith("_url") and "?" in value:  # the query may hold a key
            value = f"{value.partition('?')[0]}?…"
        return mask_text(value)

    @property
    def location(self) -> str:
        """The location of the memory, as `open` takes it."""
        return self.db or str(user_folder("data") / "memory.db")


def load_settings(**overrides: Any) -> Settings:
    """Load the settings from all sources. A keyword that is None counts as not given."""
    values: dict[str, Any] = {}
    for layer in _layers(overrides).values():
        values |= layer
    for name in _RANGES.keys() & values.keys():
        values[name] = _number(name, values[name])
    if values.get("project") == ".":
        values["project"] = project_of(Path())
    return Settings(**values)


def source_of_each(**overrides: Any) -> dict[str, str]:
    """Return where the value of each setting is from: default, file, environment or option."""
    layers = _layers(overrides)
    found = dict.fromkeys((each.name for each in fields(Settings)), "default")
    return found | {name: source for source, layer in layers.items() for name in layer}


def _layers(overrides: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the values by their source; a later source overrides an earlier one."""
    names = {each.name: os.environ.get(f"{PREFIX}{each.name.upper()}") for each in fields(Settings)}
    return {
        "file": _from_file(),
        "environment": {name: value for name, value in names.items() if value},
        "option": {name: value for name, value in overrides.items() if value is not None},
    }


def _number(name: str, value: Any) -> float:
    try:
        return type(_RANGES[name][0])(value)
    except (TypeError, ValueError):
        raise InvalidInputError(f"{name} is not a number: {value!r}", remedy="give one") from None


def config_file() -> Path:
    """Return the path of the TOML file; ERSTWHILE_CONFIG sets another one."""
    named = os.environ.get(f"{PREFIX}CONFIG")
    return Path(named).expanduser() if named else user_folder("config") / "config.toml"


def _from_file() -> dict[str, Any]:
    """Return the settings of the file, which must exist if the environment names it."""
    file = config_file()
    if not os.path.isfile(file):  # noqa: PTH113  unlike Path.is_file, no where we may not look
        if os.environ.get(f"{PREFIX}CONFIG"):
            raise InvalidInputError(
                f"{PREFIX}CONFIG names {file}, which does not exist",
                remedy="correct or unset the variable",
            )
        return {}
    import tomllib  # most callers have no configuration file

    try:
        values = tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise InvalidInputError(f"{file} cannot be read ({error})", remedy="correct it") from None
    known = {each.name for each in fields(Settings)}
    if unknown := sorted(set(values) - known):
        raise InvalidInputError(
            f"{file} has unknown settings: {', '.join(unknown)}",
            remedy="the settings are " + ", ".join(sorted(known)),
        )
    for name in ("learning", "retention"):
        if isinstance(values.get(name), dict):  # a table of the file
            values[name] = table_text(values[name])
    return values


_KEY_SOURCE = re.compile(r"(file|env|keyring):(\S.*)")
_KEY_REMEDY = "write file:PATH, env:VARIABLE or keyring:SERVICE/NAME"


def check_key_source(source: str) -> None:
    """Raise InvalidInputError unless it is empty or says where a key is."""
    if source and not (isinstance(source, str) and _KEY_SOURCE.fullmatch(source)):
        raise InvalidInputError("`key` does not name the place of a key", remedy=_KEY_REMEDY)


def read_key(source: str) -> str:
    """Return the key from its source; an empty source has none."""
    check_key_source(source)
    kind, _, place = source.partition(":")
    if not source:
        return ""
    if kind == "env":
        key = os.environ.get(place)
    else:
        key = _key_from_file(place) if kind == "file" else _key_from_keyring(place)
    if not key:
        raise KeyMissingError(
            f"there is no key at {source}", remedy=f"put it there, or {_KEY_REMEDY}"
        )
    return key


def _key_from_file(place: str) -> str:
    path = Path(place).expanduser()
    try:
        if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise RefusedError(f"other users can read {path}", remedy=f"run chmod 600 {path}")
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise KeyMissingError(f"the key cannot be read: {error}", remedy=_KEY_REMEDY) from None


def _key_from_keyring(place: str) -> str | None:
    keyring = import_extra("keyring", "encrypted")  # only who keeps the key there needs it
    service, _, name = place.rpartition("/")
    found: str | None = keyring.get_password(service or place, name)
    return found


TOKENS = 4_000
"""The token budget of a context."""
FLUSH = 60.0
"""Seconds that `flush` waits."""
LEARNERS, MAX_LEARNERS = 4, 64
"""The conversations that a process with a language model learns from at the same time."""
IDLE = timedelta(minutes=120)
"""The time without a message after which a conversation ends."""
EMBEDDER_WAIT = 5.0
"""Seconds that a query waits for a remote embedder. The background work waits longer."""
