"""Open memories: the one place that names concrete classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from difflib import get_close_matches
from functools import partial
from os import PathLike, fspath
from typing import Any

from erstwhile.adapters.tokenizers import ESTIMATED, NamedTokenizers
from erstwhile.agent_policy import AgentPolicy, draft_guard
from erstwhile.core.arguments import is_server
from erstwhile.core.background import BackgroundThread, HealthRegistry
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.policies import (
    Policy,
    SecretPolicy,
    parse_daily_limit,
    parse_denials,
    parse_learning,
    parse_retention,
    parse_secrets,
)
from erstwhile.core.ports import Clock, Embedder, Engine, Llm, Reranker
from erstwhile.core.scope import Viewer, checked_actor
from erstwhile.core.settings import (
    EMBEDDER_WAIT,
    IDLE,
    LEARNERS,
    MAX_LEARNERS,
    Settings,
    load_settings,
)
from erstwhile.core.time import SystemClock
from erstwhile.engines.selection import engine_at
from erstwhile.learning.background import BackgroundLearners
from erstwhile.memory import Memory
from erstwhile.model_factories import (
    check_prices,
    embedder_factory,
    llm_factory,
    price_reader,
    prices_of,
    reranker_factory,
)
from erstwhile.recall.embedding import checked_wait
from erstwhile.recall.service import RecallService
from erstwhile.recall.usage_recorder import UsageRecorder
from erstwhile.search.analyser import LazyAnalyser
from erstwhile.secrets.scan import rule_names
from erstwhile.services import Services, no_llm
from erstwhile.storage.access import Access


def open(
    location: str | PathLike[str] | None = None,
    *,
    settings: Settings | None = None,
    embedder: Embedder | str | None = None,
    reranker: Reranker | str | None = None,
    llm: Llm | str | None = None,
    clock: Clock | None = None,
    actor: str | None = None,
    learners: int | None = None,
    create: bool = True,
    embedder_wait: float = EMBEDDER_WAIT,
    token: str | None = None,
) -> Memory:
    """Open a memory, and create it if it does not exist and `create` is true.

    `location` is the path of a file, an address as SQLite reads it, such as "file:a.db?mode=ro",
    ":memory:", the address of a database: "postgresql://…", or that of a server: "https://…",
    which has its own models and settings, and needs a `token`.
    `embedder` turns texts into vectors, `reranker` orders the best hits, `llm` is the language
    model for learning: each an object, or a name, or "none". `actor` is the name in the audit trail
    for changes through this memory; by default the agent or the user of the scope. `learners` is
    the number of conversations that this process learns from at the same time in the background: by
    default 4 with a language model, else 1; 0 leaves it to other processes. `embedder_wait` is the
    number of seconds that a query waits for a remote embedder or reranker before it does without.
    Missing arguments come from the settings.
    """
    chosen = settings or load_settings()
    place = chosen.location if location is None else fspath(location)
    if is_server(str(place)):
        own = {
            "embedder": embedder,
            "reranker": reranker,
            "llm": llm,
            "clock": clock,
            "learners": learners,
        }
        if given := [name for name, value in own.items() if value is not None]:
            raise InvalidInputError(
                f"a memory on a server has its own {given[0]}",
                remedy="set it on the server",
            )
        from erstwhile.client.memory import connect  # loads a library for HTTP

        return connect(place, token, actor=actor)
    prices, limit = price_reader(chosen), parse_daily_limit(chosen.daily_limit)
    make_llm = llm_factory(llm, chosen)
    check_prices(limit, llm or chosen.llm, prices)
    return assemble(
        engine_at(place, chosen, create=create),
        clock or SystemClock(),
        Viewer(name=None if actor is None else checked_actor(actor)),
        embedder_factory(embedder, chosen),
        reranker_factory(reranker, chosen),
        embedder_wait=checked_wait(embedder_wait),
        tokenizers=NamedTokenizers(chosen.tokenizer),
        prices=prices,
        idle=timedelta(minutes=chosen.idle_minutes),
        llm=make_llm,
        daily_limit=limit,
        policy=parse_learning(chosen.learning, chosen.pii),
        denials=parse_denials(chosen.denials),
        retention=parse_retention(chosen.retention),
        secrets=_checked_rules(parse_secrets(chosen.secrets)),
        learners=_learners(learners, has_llm=make_llm is not no_llm),
    )


def assemble(
    engine: Engine,
    clock: Clock,
    viewer: Viewer,
    make_embedder: Callable[[], Embedder | None] | None = None,
    make_reranker: Callable[[], Reranker | None] = lambda: None,
    *,
    embedder_wait: float = EMBEDDER_WAIT,
    secrets: SecretPolicy | None = None,
    **services: Any,
) -> Memory:
    """Create a memory from its parts; `services` are fields of Services that replace defaults.

    Without an embedder, recall uses words alone. Without `secrets`, each secret is masked.
    """
    access = Access(engine, clock, viewer, LazyAnalyser(), rules=AgentPolicy())
    stages = HealthRegistry(clock)
    models = (make_embedder or (lambda: None), stages.embedder, embedder_wait, make_reranker)

    def wake() -> None:
        if worker is not None:
            worker.wake()

    recall = RecallService(*models, wake)
    usage_recorder = UsageRecorder(access, stages.usage)

    def drain() -> Iterator[int]:
        usage_recorder.write_if_due()
        return recall.drain(access)

    idle = make_embedder is None or engine.read_only
    worker = None if idle else BackgroundThread(drain, stages.embedding)

    def announce() -> None:
        wake()
        engine.announce()

    announcing = access.announcing(announce).treating_secrets(secrets)
    defaults = {"tokenizers": ESTIMATED, "idle": IDLE, "prices": prices_of}
    shared = Services(
        recall=recall,
        usage_recorder=usage_recorder,
        background=stages,
        admission=partial(draft_guard, policy=services.get("policy", Policy())),
        embedding_thread=worker,
        **{**defaults, **services},
    )
    if worker is not None:
        engine.listen(worker.wake, stages.listening)
    everywhere = announcing.seen_by(Viewer(everything=True))
    learns = shared.learners and not engine.read_only
    pool = BackgroundLearners(shared, everywhere) if learns else None
    return Memory(announcing, replace(shared, learning_pool=pool))


def _checked_rules(policy: SecretPolicy | None) -> SecretPolicy | None:
    """Return a policy; raise InvalidInputError if it keeps what no rule is called."""
    if policy is not None and (unknown := policy.kept - rule_names()):
        near = get_close_matches(min(unknown), rule_names(), n=1)
        raise InvalidInputError(
            f"secrets keeps {min(unknown)!r}, and no rule has this name",
            remedy=f"did you mean {near[0]!r}?" if near else "use the name in a mask",
        )
    return policy


def empty_like(memory: Memory) -> Memory:
    """Return an empty memory in RAM with the settings of another, to try changes in."""
    names = ("tokenizers", "policy", "idle")
    own = memory._services  # noqa: SLF001  # bootstrap made them; those of a server are its own
    kept = {name: getattr(own, name) for name in names} if isinstance(own, Services) else {}
    engine = engine_at(":memory:", Settings(), create=True)
    treated = memory._access.secrets  # noqa: SLF001
    return assemble(engine, SystemClock(), Viewer(), learners=0, secrets=treated, **kept)


def _learners(given: int | None, *, has_llm: bool) -> int:
    """Return how many conversations are learned from at the same time.

    A model answers after a second, so several calls at once are faster. Patterns only use the CPU.
    """
    if given is None:
        return LEARNERS if has_llm else 1
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given <= MAX_LEARNERS:
        raise InvalidInputError(
            f"learners cannot be {given!r}", remedy=f"give a number from 0 to {MAX_LEARNERS}"
        )
    return given
