"""Opening a memory: the one place that names concrete classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from erstwhile.core.daily_limit import DailyLimit, parse_daily_limit
from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.core.scope import DIMENSIONS, Scope, Viewer
from erstwhile.core.settings import Settings, load_settings
from erstwhile.engines.selection import engine_at
from erstwhile.storage.access import Access

if TYPE_CHECKING:
    from erstwhile.copying.result import Copied
    from erstwhile.core.ports import Clock, Embedder, Engine, Llm
    from erstwhile.memory import Memory
    from erstwhile.recall.worker import Worker
    from erstwhile.usage.prices import Prices


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


def open(
    location: str | PathLike[str] | None = None,
    *,
    settings: Settings | None = None,
    embedder: Embedder | str | None = None,
    llm: Llm | str | None = None,
    clock: Clock | None = None,
    actor: str | None = None,
) -> Memory:
    """Open a memory, and make it if it is not there.

    It is a file's path, ":memory:", or the address of a database: "postgresql://…". Without a
    location, the settings say where it is. `embedder` is what turns texts into vectors: an object
    that does so, or a name, "none" for words alone; without it, the settings say. `llm` is the
    language model that learning asks, in the same way. `actor` is the name that the audit trail
    gives to what is done through this memory; by default the agent or the user of its scope.
    """
    # Loaded here and below: who only looks needs no more than the engine.
    from erstwhile.adapters.tokenizers.registry import NamedTokenizers
    from erstwhile.core.policy import Personal, Policy

    chosen = settings or load_settings()
    place = chosen.location if location is None else fspath(location)
    prices, limit = _price_reader(chosen), parse_daily_limit(chosen.daily_limit)
    make_llm = _llm_maker(llm, chosen)
    _check_that_money_can_be_counted(limit, llm or chosen.llm, prices)
    return assemble(
        engine_at(place, chosen),
        clock or SystemClock(),
        Viewer(name=actor),
        _embedder_maker(embedder, chosen),
        tokenizers=NamedTokenizers(chosen.tokenizer),
        prices=prices,
        idle=timedelta(minutes=chosen.idle_minutes),
        llm=make_llm,
        daily_limit=limit,
        policy=Policy(pii=Personal(chosen.pii)),
    )


def copy(
    source: str | PathLike[str],
    target: str | PathLike[str],
    *,
    source_space: str | None = None,
    target_space: str | None = None,
    settings: Settings | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Copied:
    """Copy a whole memory from one file or server to another, and compare the two.

    The source stays in use. A copy that was interrupted goes on, and an older one is brought up to
    date; a target with a memory of its own is refused. `progress` is told how many rows are done
    and how many there are.
    """
    from erstwhile.copying.copy import copy as copied

    chosen = settings or load_settings()
    _check_that_they_differ((fspath(source), source_space), (fspath(target), target_space))
    with (
        closing(engine_at(_existing(source), _in_space(chosen, source_space))) as here,
        closing(engine_at(fspath(target), _in_space(chosen, target_space))) as there,
    ):
        return copied(here, there, progress or (lambda _done, _total: None))


def distribute(database: str, *, settings: Settings | None = None) -> list[str]:
    """Spread a PostgreSQL database over a Citus cluster; which tables were not spread yet."""
    chosen = settings or load_settings()
    if not database.startswith(("postgresql://", "postgres://")):
        raise InvalidInputError(
            "only a PostgreSQL database can be distributed", remedy="give postgresql://…"
        )
    engine_at(database, chosen).close()  # which brings the tables up to date
    from erstwhile.engines.postgres.distribution import distribute as distributed

    return distributed(database, busy_timeout=chosen.busy_timeout)


def assemble(
    engine: Engine,
    clock: Clock,
    viewer: Viewer,
    make_embedder: Callable[[], Embedder | None] | None = None,
    **services: Any,
) -> Memory:
    """Create a memory from its parts; `services` are fields of Services in place of the defaults.

    Without an embedder, recall uses words alone.
    """
    from erstwhile.adapters.tokenizers.registry import ESTIMATED
    from erstwhile.core.defaults import IDLE
    from erstwhile.learning.background import BackgroundLearner
    from erstwhile.memory import Memory
    from erstwhile.recall.service import SearchService
    from erstwhile.recall.usage_recorder import UsageRecorder
    from erstwhile.recall.worker import Worker
    from erstwhile.services import Services

    access = Access(engine, clock, viewer, _terms)
    search = SearchService(make_embedder or (lambda: None))
    usage_recorder = UsageRecorder(access)

    def drain() -> Iterator[int]:
        usage_recorder.write_if_due()
        return search.drain(access)

    worker = None if make_embedder is None else Worker(drain)
    announcing = access.announcing(_announcer(engine, worker))
    defaults = {"tokenizers": ESTIMATED, "idle": IDLE, "prices": _shipped_prices}
    shared = Services(
        search=search,
        usage_recorder=usage_recorder,
        embedding_thread=worker,
        **{**defaults, **services},
    )
    learner = BackgroundLearner(shared, announcing)
    if worker is not None:
        engine.listen(worker.wake)
    return Memory(announcing, replace(shared, learning_thread=learner))


def _announcer(engine: Engine, worker: Worker | None) -> Callable[[], None]:
    """What is done after each change."""
    if worker is None:
        return engine.announce

    def changed() -> None:
        worker.wake()
        engine.announce()

    return changed


@contextmanager
def look(settings: Settings, *, patience: float) -> Iterator[Access]:
    """A quick look at a memory that is there, in the scope of the settings; it makes none."""
    place = settings.location
    if "://" not in place and not Path(place).expanduser().is_file():
        raise NotFoundError(f"there is no memory at {place}", remedy="record something first")
    hurried = replace(settings, busy_timeout=min(patience, settings.busy_timeout))
    engine = engine_at(place, hurried)
    scope = {name: getattr(settings, name) for name in DIMENSIONS}
    try:
        yield Access(engine, SystemClock(), Viewer(scope=Scope(**scope)), str.split)
    finally:
        engine.close()


def _in_space(settings: Settings, space: str | None) -> Settings:
    return settings if space is None else replace(settings, space=space)


def _check_that_they_differ(source: tuple[str, str | None], target: tuple[str, str | None]) -> None:
    places = [
        place if "://" in place[0] else (str(Path(place[0]).expanduser().resolve()), None)
        for place in (source, target)
    ]
    if places[0] == places[1]:
        raise InvalidInputError("a memory cannot be copied onto itself", remedy="name two places")


def _existing(place: str | PathLike[str]) -> str:
    """Opening makes a file that is not there, and an empty memory is nothing to copy."""
    said = fspath(place)
    if "://" not in said and not Path(said).expanduser().is_file():
        raise NotFoundError(f"there is no file {said}", remedy="check the path of the source")
    return said


def _embedder_maker(
    said: Embedder | str | None, settings: Settings
) -> Callable[[], Embedder | None] | None:
    """What the caller says goes before what the settings say."""
    if isinstance(said, str):
        settings = replace(settings, embedder=said)
    elif said is not None:
        return lambda: said
    return None if settings.embedder == "none" else lambda: _embedder(settings)


def _llm_maker(said: Llm | str | None, settings: Settings) -> Callable[[], Llm | None]:
    """What the caller says goes before what the settings say; one is made, when first needed."""
    from erstwhile.services import no_llm

    if said is None or isinstance(said, str):
        chosen = settings if said is None else replace(settings, llm=said)
        return no_llm if chosen.llm == "none" else cache(lambda: _llm(chosen))
    if not (hasattr(said, "model") and hasattr(said, "complete")):  # such as a vendor's client
        raise InvalidInputError(
            f"{type(said).__name__} is no language model for Erstwhile",
            remedy='give a name such as "openai:gpt-4o-mini", or an object with the methods of Llm',
        )
    return lambda: said


def _check_that_money_can_be_counted(
    limit: DailyLimit, llm: Llm | str, prices: Callable[[], Prices]
) -> None:
    """A limit in dollars is none where nobody knows what a call costs."""
    model = llm.partition(":")[2] if isinstance(llm, str) else llm.model
    if limit.dollars is not None and model and prices().find(model) is None:
        raise InvalidInputError(
            f"daily_limit is in dollars, and nobody knows what {model} costs",
            remedy="say its price in a file of prices, or limit the tokens",
        )


def _price_reader(settings: Settings) -> Callable[[], Prices]:
    """A file of one's own is read now, so that a mistake in it shows at once."""
    if not settings.prices:
        return _shipped_prices
    from erstwhile.usage.prices import load_prices

    own = load_prices(settings.prices)
    return lambda: own


def _shipped_prices() -> Prices:
    # Loaded here: most memories never ask for a price.
    from erstwhile.usage.prices import load_prices

    return load_prices()


def _terms(text: str) -> Sequence[str]:
    # Loaded here: who only lists needs no terms.
    from erstwhile.search.terms import terms

    return terms(text)


def _embedder(settings: Settings) -> Embedder | None:
    # Loaded here: only recalling and embedding need it.
    from erstwhile.adapters.embedders.cached import CachedEmbedder
    from erstwhile.adapters.embedders.registry import resolve

    found = resolve(settings.embedder, base_url=settings.embedder_url, key=settings.embedder_key)
    return None if found is None else CachedEmbedder(found)


def _llm(settings: Settings) -> Llm | None:
    # Loaded here: only learning needs it.
    from erstwhile.adapters.llm.registry import resolve
    from erstwhile.adapters.llm.retrying import CarefulLlm

    found = resolve(settings.llm, base_url=settings.llm_url)
    return None if found is None else CarefulLlm(found)
