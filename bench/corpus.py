"""Random facts of 10 to 25 words, of all kinds, some with tags or entities."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import erstwhile
from erstwhile import Memory
from erstwhile.core.kinds import Kind
from erstwhile.core.settings import Settings

USER = "ana"
CHUNK = 1_000
TAGS = 200
ENTITIES = 500
_KINDS = tuple(Kind)
_VOCABULARY = (
    "prefers uses moved deployed tested renamed wrote reviewed planned dropped switched upgraded "
    "the a new old shared local remote weekly nightly stable broken slow small public private "
    "service database project branch server editor script report invoice meeting customer release "
    "schema index budget holiday laptop garden recipe train contract library compiler dashboard "
    "before after because while without since until instead of again never always only mostly "
    "in Berlin Lisbon Kyoto March October Monday morning quarter version staging production"
)
_WORDS = _VOCABULARY.split()


def facts(count: int, *, seed: int = 0) -> list[dict[str, Any]]:
    """Return `count` different facts; a seed always gives the same facts."""
    random = Random(seed)
    return [_fact(random, f"{seed}-{number}") for number in range(count)]


def open_memory(path: Path, *, synchronous: str = "NORMAL") -> Memory:
    """Open a memory without an embedder, whose thread would be measured, too."""
    settings = Settings(synchronous=synchronous, embedder="none")
    return erstwhile.open(path, settings=settings).scoped(user=USER)


def filled(path: Path, rows: int) -> Memory:
    """Return a memory of one user with `rows` facts, rounded up to thousands."""
    memory = open_memory(path)
    for first in range(0, rows, CHUNK):
        memory.remember_many(facts(CHUNK, seed=first))
    return memory


def tag(random: Random) -> str:
    return f"topic {random.randrange(TAGS)}"


def entity(random: Random) -> str:
    return f"Person {random.randrange(ENTITIES)}"


def _fact(random: Random, name: str) -> dict[str, Any]:
    words = random.choices(_WORDS, k=random.randint(9, 24))
    kind = random.choice(_KINDS)
    fact: dict[str, Any] = {"text": f"{' '.join(words)} {name}", "kind": kind.value}
    if kind is Kind.STATE:
        fact["expires_at"] = "in 30 days"
    if random.random() < 0.5:
        fact["tags"] = [tag(random) for _ in range(random.randint(1, 3))]
    if random.random() < 0.5:
        fact["entities"] = [entity(random), entity(random)]
    if random.random() < 0.1:
        fact["metadata"] = {"page": random.randrange(100), "from": "notes"}
    return fact
