"""Opening a memory: the one place that names concrete classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.config import Settings, load_settings
from recollect.model.errors import InvalidInputError, NotFoundError
from recollect.model.scope import DIMENSIONS, Scope, Viewer
from recollect.model.text import checked_text
from recollect.store.access import Access

if TYPE_CHECKING:
    from recollect.memory import Memory
    from recollect.ports import Clock, Embedder, Engine, Tokenizers

_LONGEST_PATH = 10_000


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


def open(
    location: str | PathLike[str] | None = None,
    *,
    settings: Settings | None = None,
    embedder: Embedder | str | None = None,
    clock: Clock | None = None,
    actor: str | None = None,
) -> Memory:
    """Open a memory, and make it if it is not there: a file's path, or ":memory:".

    Without a location, the settings say where it is. `embedder` is what turns texts into vectors:
    an object that does so, or a name, "none" for words alone; without it, the settings say. `actor`
    is the name that the audit trail gives to what is done through this memory; by default the agent
    or the user of its scope.
    """
    # Loaded here and below: who only looks needs no more than the engine.
    from recollect.adapters.tokens.named import NamedTokenizers

    chosen = settings or load_settings()
    place = chosen.location if location is None else fspath(location)
    return assemble(
        _engine(place, chosen),
        clock or SystemClock(),
        Viewer(name=actor),
        _embedder_maker(embedder, chosen),
        NamedTokenizers(chosen.tokenizer),
    )


def assemble(
    engine: Engine,
    clock: Clock,
    viewer: Viewer,
    make_embedder: Callable[[], Embedder | None] | None = None,
    tokenizers: Tokenizers | None = None,
) -> Memory:
    """A memory from its parts; without an embedder words find all, and tokens are estimated."""
    from recollect.adapters.tokens.named import ESTIMATED
    from recollect.memory import Memory
    from recollect.pipeline.searching import Searching
    from recollect.pipeline.worker import Worker
    from recollect.search import analysis

    access, tokenizers = Access(engine, clock, viewer, analysis.terms), tokenizers or ESTIMATED
    if make_embedder is None:
        return Memory(access, Searching(lambda: None), None, tokenizers)
    searching = Searching(make_embedder)
    worker = Worker(lambda: searching.drain(access))
    return Memory(access.announcing(worker.wake), searching, worker, tokenizers)


@contextmanager
def look(settings: Settings, *, patience: float) -> Iterator[Access]:
    """A quick look at a memory that is there, in the scope of the settings; it makes none."""
    place = settings.location
    if "://" not in place and not Path(place).expanduser().is_file():
        raise NotFoundError(f"there is no memory at {place}", remedy="record something first")
    hurried = replace(settings, busy_timeout=min(patience, settings.busy_timeout))
    engine = _engine(place, hurried)
    scope = {name: getattr(settings, name) for name in DIMENSIONS}
    try:
        yield Access(engine, SystemClock(), Viewer(scope=Scope(**scope)), str.split)
    finally:
        engine.close()


def _embedder_maker(
    said: Embedder | str | None, settings: Settings
) -> Callable[[], Embedder | None] | None:
    """What the caller says goes before what the settings say."""
    if isinstance(said, str):
        settings = replace(settings, embedder=said)
    elif said is not None:
        return lambda: said
    return None if settings.embedder == "none" else lambda: _embedder(settings)


def _embedder(settings: Settings) -> Embedder | None:
    # Loaded here: only recalling and embedding need it.
    from recollect.adapters.embed.cached import CachedEmbedder
    from recollect.adapters.embed.named import resolve

    found = resolve(settings.embedder, base_url=settings.embedder_url, key=settings.embedder_key)
    return None if found is None else CachedEmbedder(found)


def _engine(place: str, settings: Settings) -> Engine:
    checked_text(place, name="the location", limit=_LONGEST_PATH)
    if "://" in place:
        raise InvalidInputError(
            f"{place.split('://')[0]} is not an engine of this version",
            remedy="give a file's path, or ':memory:'",
        )
    # Loaded here, so that `import recollect` costs little.
    from recollect.engine.sqlite import SqliteEngine

    return SqliteEngine(place, synchronous=settings.synchronous, busy_timeout=settings.busy_timeout)
