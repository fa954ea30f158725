"""Threads for the calls of each token, so that no token takes those of the others.

Verbs run on threads. A token has a few of them, and other ones for heavy calls: a search waits for
other searches of the same token, but a light call never waits for a search. While others use the
server, a token that computes all the time has only one thread of each kind. More calls of a token
wait without a thread, and are dropped if their client disconnects.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.requests import ClientDisconnect

from erstwhile.servers.options import Limits

Result = TypeVar("Result")
_MAX_THREADS = 200
_GREEDY = 0.2
"""The share of a core above which a token computes all the time."""
_SECONDS = 2.0
"""Seconds for which a call counts."""


class RunOnThread(Protocol):
    """Runs a function on one of the threads of a token."""

    async def __call__(
        self,
        call: Callable[..., Result],
        *arguments: object,
        heavy: bool = False,
        gone: Callable[[], Awaitable[bool]] | None = None,
    ) -> Result:
        """Raise ClientDisconnect instead if the client is `gone` when a thread is free."""
        ...


@dataclass(slots=True)
class _Use:
    """The threads of one token, and how much it computed."""

    light: CapacityLimiter
    heavy: CapacityLimiter
    computed: float = 0.0
    """Seconds of computing, of which older ones count less."""
    at: float = field(default_factory=time.monotonic)

    def add(self, seconds: float) -> None:
        """Count a call that computed for some seconds."""
        now = time.monotonic()
        self.computed = self.computed * 0.5 ** ((now - self.at) / _SECONDS) + seconds
        self.at = now

    @property
    def is_greedy(self) -> bool:
        return self.computed > _GREEDY * _SECONDS


class TokenThreads:
    """The threads of one process, by token."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._used: dict[str, _Use] = {}
        self._all: CapacityLimiter | None = None

    def of(self, token: str) -> RunOnThread:
        """Return the function that runs others on the threads of a token."""
        return partial(self._run, token)

    async def _run(
        self,
        token: str,
        call: Callable[..., Result],
        *arguments: object,
        heavy: bool = False,
        gone: Callable[[], Awaitable[bool]] | None = None,
    ) -> Result:
        self._all = self._all or CapacityLimiter(_MAX_THREADS)  # it needs an event loop
        use = self._use(token)
        self._share(token, use)
        async with use.heavy if heavy else use.light:
            if gone is not None and await gone():
                raise ClientDisconnect
            try:
                return await run_sync(_timed, use, call, arguments, limiter=self._all)
            finally:
                self._share(token, use)

    def _use(self, token: str) -> _Use:
        if token not in self._used:
            light, heavy = self._limits.threads_of_token, self._limits.heavy_of_token
            self._used[token] = _Use(CapacityLimiter(light), CapacityLimiter(heavy))
        return self._used[token]

    def _share(self, token: str, use: _Use) -> None:
        """Give a token its threads: one of each kind if it is greedy and others are here."""
        since = time.monotonic() - _SECONDS
        alone = all(each.at < since for name, each in self._used.items() if name != token)
        single = use.is_greedy and not alone
        use.light.total_tokens = 1 if single else self._limits.threads_of_token
        use.heavy.total_tokens = 1 if single else self._limits.heavy_of_token


def _timed(use: _Use, call: Callable[..., Result], arguments: tuple[object, ...]) -> Result:
    begun = time.thread_time()
    try:
        return call(*arguments)
    finally:
        use.add(time.thread_time() - begun)


async def run_anywhere(
    call: Callable[..., Result],
    *arguments: object,
    heavy: bool = False,
    gone: Callable[[], Awaitable[bool]] | None = None,
) -> Result:
    """Run a function on any thread: the only client of a server has no token."""
    del heavy, gone
    return await run_sync(call, *arguments)
