"""A knowledge graph in a memory: entities, observations about them, and relations between them.

Each is one fact, with a text that recall can find. Its place in the graph is in its metadata.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from erstwhile.core.kinds import Kind, Origin, State, Trust
from erstwhile.core.text import folded

if TYPE_CHECKING:
    from erstwhile.facts.fact import Fact
    from erstwhile.memory import Memory

TAG = "knowledge-graph"
_PLACE, _NUMBER = "graph", "number"
"""The fields of the metadata: what the fact is in the graph, and its place in the order."""
_PAGE = 1_000
ENTITY, OBSERVATION, RELATION = "entity", "observation", "relation"


class GraphItem(NamedTuple):
    """One part of the graph, which is one fact."""

    kind: str
    first: str
    """The name of the entity, or of the one where a relation starts."""
    second: str
    """The type of the entity or of the relation, or the observation."""
    third: str = ""
    """The entity where a relation ends."""

    @property
    def text(self) -> str:
        """The statement of the fact."""
        match self.kind:
            case "entity":
                return f"{self.first} ({self.second})"
            case "observation":
                return f"{self.first}: {self.second}"
        return f"{self.first} {self.second} {self.third}"

    @property
    def details(self) -> dict[str, Any]:
        """The details of the fact."""
        if self.kind != RELATION:
            return {"entities": [self.first]}
        relation = (self.first, self.second, self.third)
        return {"kind": Kind.RELATION, "relations": [relation]}


class KnowledgeGraph:
    """The graph of a memory, as it is now."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def items(self, *, gone: bool = False) -> dict[GraphItem, Fact]:
        """Return all parts of the graph in their order, or with `gone` those that ended, too."""
        facts = list(self._facts(state=State.ANY if gone else State.LIVE))
        facts += self._facts(deleted=True) if gone else ()
        facts.sort(key=_number)
        return {GraphItem(*fact.metadata[_PLACE]): fact for fact in facts}

    def add(
        self, wanted: Iterable[GraphItem], origin: Origin, taken: frozenset[str] = frozenset()
    ) -> list[GraphItem]:
        """Store parts in one transaction, and return those that are live now.

        `taken` has texts of facts outside of the graph, which an agent cannot make a part of it.
        """
        known, todo = self.items(gone=True), list(dict.fromkeys(wanted))
        number = 1 + max(map(_number, known.values()), default=0)
        texts = _free_texts(todo, known, taken)
        drafts = [
            {
                "text": text,
                "metadata": {_PLACE: list(item), _NUMBER: number + place},
                "tags": [TAG],
                "origin": origin,
                **item.details,
            }
            for place, (item, text) in enumerate(texts.items())
        ]
        stored = zip(todo, self._memory.remember_many(drafts), strict=True)
        live = {item: fact for item, fact in stored if fact.trust is Trust.TRUSTED}
        if missed := [item for item, fact in live.items() if not _is_part(fact, item)]:
            self.add(missed, origin, taken | {folded(texts[item]) for item in missed})
        return list(live)

    def remove(self, items: Iterable[GraphItem], reason: str) -> None:
        """Hide parts; a person can restore them."""
        known = self.items()
        for item in items:
            self._memory.facts.delete(known[item].id, reason=reason)

    def _facts(self, **filters: Any) -> Iterator[Fact]:
        cursor = None
        while True:
            page = self._memory.facts.list(tag=TAG, limit=_PAGE, cursor=cursor, **filters)
            yield from (fact for fact in page if _PLACE in fact.metadata)
            if page.next is None:
                return
            cursor = page.next


def _is_part(fact: Fact, item: GraphItem) -> bool:
    return tuple(fact.metadata.get(_PLACE, ())) == item


def _free_texts(
    items: list[GraphItem], known: Mapping[GraphItem, Fact], taken: frozenset[str]
) -> dict[GraphItem, str]:
    """Return the text of each part, with a number behind it if another part has it.

    Facts are the same if their texts are, in any letter case. Parts of the graph are not.
    """
    owners: dict[str, GraphItem | None] = dict.fromkeys(taken)
    owners |= {folded(fact.text): item for item, fact in known.items() if not fact.deleted_at}
    texts = dict[GraphItem, str]()
    for item in items:
        variants = (f"{item.text} ({nth})" if nth > 1 else item.text for nth in count(1))
        texts[item] = next(
            text for text in variants if owners.setdefault(folded(text), item) == item
        )
    return texts


def _number(fact: Fact) -> int:
    return int(fact.metadata.get(_NUMBER, 0))
