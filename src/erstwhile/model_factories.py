"""Factories: the models and the prices, from arguments and settings.

Each is created on first use, because loading a model or a vendor's package is slow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from erstwhile.adapters.registry import resolve_embedder, resolve_llm, resolve_reranker
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.policies import DailyLimit
from erstwhile.core.ports import Embedder, Llm, Reranker
from erstwhile.core.settings import Settings
from erstwhile.services import no_llm

if TYPE_CHECKING:
    from erstwhile.usage.prices import Prices


def embedder_factory(
    given: Embedder | str | None, settings: Settings
) -> Callable[[], Embedder | None] | None:
    """Return the factory of the embedder; the caller's argument overrides the settings.

    Return None if there is no embedder.
    """
    if isinstance(given, str):
        settings = replace(settings, embedder=given)
    elif given is not None:
        return lambda: given
    return None if settings.embedder == "none" else lambda: _embedder(settings)


def reranker_factory(
    given: Reranker | str | None, settings: Settings
) -> Callable[[], Reranker | None]:
    """Return the factory of the reranker; the caller's argument overrides the settings."""
    if given is not None and not isinstance(given, str):
        return lambda: given
    spec = settings.reranker if given is None else given
    address, key = settings.reranker_url, settings.reranker_key
    return cache(lambda: resolve_reranker(spec, base_url=address, key=key))


def llm_factory(given: Llm | str | None, settings: Settings) -> Callable[[], Llm | None]:
    """Return the factory of the language model; the caller's argument overrides the settings."""
    if given is None or isinstance(given, str):
        chosen = settings if given is None else replace(settings, llm=given)
        return no_llm if chosen.llm == "none" else cache(lambda: _llm(chosen))
    if not (hasattr(given, "model") and hasattr(given, "complete")):  # such as a vendor's client
        raise InvalidInputError(
            f"{type(given).__name__} is not a language model for Erstwhile",
            remedy='give a name such as "openai:gpt-4o-mini", or an object with the methods of Llm',
        )
    return lambda: given


def price_reader(settings: Settings) -> Callable[[], Prices]:
    """Return the reader of prices. A price file of the user is read and checked at once."""
    if not settings.prices:
        return prices_of
    own = prices_of(settings.prices)
    return lambda: own


def prices_of(file: str = "") -> Prices:
    """Return the prices that come with the package, overridden by those in a file."""
    from erstwhile.usage.prices import load_prices  # few programs need prices

    return load_prices(file)


def check_prices(limit: DailyLimit, llm: Llm | str, prices: Callable[[], Prices]) -> None:
    """Raise InvalidInputError if the limit is in dollars and the price of the model is unknown."""
    model = llm.partition(":")[2] if isinstance(llm, str) else llm.model
    if limit.dollars is not None and model and prices().find(model) is None:
        raise InvalidInputError(
            f"daily_limit is in dollars, and the price of {model} is unknown",
            remedy="add its price to a file of prices, or limit the tokens",
        )


def _embedder(settings: Settings) -> Embedder | None:
    from erstwhile.adapters.embedders.base import CachedEmbedder

    found = resolve_embedder(
        settings.embedder, base_url=settings.embedder_url, key=settings.embedder_key
    )
    return None if found is None else CachedEmbedder(found)


def _llm(settings: Settings) -> Llm | None:
    from erstwhile.adapters.llm.retrying import RetryingLlm

    found = resolve_llm(settings.llm, base_url=settings.llm_url)
    return None if found is None else RetryingLlm(found)
