"""Every verb with two users: the actions of one have no effect on the other.

A method that reads must answer bob as if ana had stored nothing, errors included. A method that
changes must leave ana's records as they were.
"""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from erstwhile.adapters.embedders.hashing import HashingEmbedder
from erstwhile.blocks.collection import Blocks
from erstwhile.bootstrap import assemble
from erstwhile.core.errors import NotFoundError, ScopeError
from erstwhile.core.ports import Engine
from erstwhile.core.scope import Viewer
from erstwhile.decisions.collection import Decisions
from erstwhile.decisions.decision import Decision, DecisionRequest
from erstwhile.facts.collection import Facts
from erstwhile.facts.entities import Entities
from erstwhile.memory import Memory
from erstwhile.operations.erase import CLEARED
from erstwhile.storage.audit import Audit
from erstwhile.storage.record import Identified
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, embedding_memory, told, unchanged
from tests.contracts.facts.lookup import BY_ID
from tests.contracts.storage import isolation_of_conversations as talk
from tests.contracts.storage import isolation_of_learning as learning
from tests.contracts.storage import isolation_of_work as work
from tests.contracts.storage.probing import (
    UNKNOWN,
    Verb,
    answering_otherwise,
    by_id,
    disturbing,
    outcome,
    with_arguments,
)

TREASURE = "the treasure is buried at noon"

STATES: list[dict[str, Any]] = [
    {"deleted": True},
    *({"state": state} for state in ("live", "any", "retired", "quarantined", "upcoming")),
]
FILTERS: list[dict[str, Any]] = [
    {}, {"contains": "treasure"}, {"tag": "gold"}, {"entity": "Captain"}, {"key": "map"},
    {"known_at": "now"}, {"as_of": "in 9 days"},
]  # fmt: skip

QUERIES = (
    "TREASURE", "where are the TREASURES buried?", "Cap", "what does the Captain know of Bob",
    "is everybody welcome here?",
)  # fmt: skip
RECALLS: list[dict[str, Any]] = [
    {}, {"graph": True, "recent": True}, {"include_retired": True, "floor": 0.0},
    {"among": "all", "state": "any"}, {"known_at": "now"}, {"as_of": "in 9 days"},
]  # fmt: skip

DIGGING = DecisionRequest(goal="find the treasure", tool="Spade", input={"where": "at noon"})


def _dig(choice: str) -> Decision:
    return Decision(
        goal=DIGGING.goal, tool=DIGGING.tool, input=DIGGING.input, choice=choice, message="treasure"
    )


ASKING: dict[str, Verb] = {
    "Facts.get": lambda memory, id: memory.facts.get(id),
    "Facts.get known_at": lambda memory, id: memory.facts.get(id, known_at="now"),
    "Facts.find": lambda memory, _: [
        memory.facts.find(TREASURE), memory.facts.find("treasure", state="any"),
    ],
    "Facts.history": lambda memory, id: memory.facts.history(id),
    "Facts.list": lambda memory, _: [
        memory.facts.list(**state, **asked) for state in STATES for asked in FILTERS
    ],
    "Facts.count": lambda memory, _: [
        memory.facts.count(**state, **asked) for state in STATES for asked in FILTERS
    ],
    "Facts.value": lambda memory, _: [
        memory.facts.value("map"), memory.facts.value("map", known_at="now"),
    ],
    "Entities.list": lambda memory, _: [
        memory.entities.list(), memory.entities.list(known_at="now"),
    ],
    "Entities.get": lambda memory, _: memory.entities.get("Captain"),
    "Entities.get by alias": lambda memory, _: memory.entities.get("Cap"),
    "Entities.get of one's own": lambda memory, _: memory.entities.get("Bob"),
    "Decisions.get": lambda memory, id: memory.decisions.get(id),
    "Decisions.list": lambda memory, _: [
        memory.decisions.list(), memory.decisions.list(goal="find the treasure"),
        memory.decisions.list(deleted=True),
    ],
    "Decisions.count": lambda memory, _: memory.decisions.count(tool="Spade"),
    "Decisions.export": lambda memory, _: memory.decisions.export(),
    "Decisions.recall": lambda memory, _: [
        memory.decisions.recall(DIGGING, 50, namespace=namespace, floor=0)
        for namespace in ("goal", "global")
    ],
    "Decisions.advise": lambda memory, _: [
        memory.decisions.advise(DIGGING, namespace=namespace) for namespace in ("goal", "global")
    ],
    "Blocks.get": lambda memory, _: memory.blocks.get("chest/map"),
    "Blocks.get known_at": lambda memory, _: memory.blocks.get("chest/map", known_at="now"),
    "Blocks.list": lambda memory, _: [memory.blocks.list(), memory.blocks.list(known_at="now")],
    "Blocks.list deleted": lambda memory, _: memory.blocks.list(deleted=True),
    "Blocks.history": lambda memory, _: memory.blocks.history("chest/map"),
    "Blocks.history of a deleted one": lambda memory, _: memory.blocks.history("chest/gone"),
    "Blocks.diff": lambda memory, _: memory.blocks.diff("chest/map", 1),
    "Blocks.overflow": lambda memory, _: memory.blocks.overflow("chest/map"),
    "Audit.list": lambda memory, id: [
        memory.audit.list(), memory.audit.list(subject=id), memory.audit.list(action="erase"),
    ],
    "Audit.verify": lambda memory, _: memory.audit.verify(),
    "Memory.recall": lambda memory, _: [
        memory.recall(query, limit=5, **asked) for query in QUERIES for asked in RECALLS
    ],
    "Memory.recall narrowed": lambda memory, _: [
        memory.recall("TREASURE", **asked) for asked in FILTERS
    ],
    "Memory.why_not": lambda memory, id: [memory.why_not(query, id) for query in QUERIES],
    "Memory.flush": lambda memory, _: memory.flush(),
    "Memory.reembed": lambda memory, _: memory.reembed(),
    "Memory.stats": lambda memory, _: memory.stats(),
    "Memory.scopes": lambda memory, _: memory.scopes(),
    "Memory.users": lambda memory, _: memory.users(),
    "Memory.tags": lambda memory, _: memory.tags(),
    "Memory.ping": lambda memory, _: memory.ping(),
    "Memory.erase_user preview": lambda memory, _: memory.erase_user("bob", preview=True),
    "Memory.erase_scope preview": lambda memory, _: memory.erase_scope(preview=True),
    "Memory.scope": lambda memory, _: memory.scope,
    "Memory.as_person": lambda memory, _: memory.as_person("pirate"),
    "Memory.tools": lambda memory, _: [
        memory.tools().call(tool, {"query": query})
        for tool in ("recall", "context") for query in QUERIES
    ],
    **talk.ASKING,
    **work.ASKING,
    **learning.ASKING,
}  # fmt: skip

CHANGING_BY_ID: dict[str, Verb] = {
    **{f"Facts.{name}": verb for name, verb in BY_ID.items() if name not in ("get", "history")},
    "Memory.feedback": lambda memory, id: memory.feedback(id, "irrelevant"),
    "Decisions.set_outcome": lambda memory, id: memory.decisions.set_outcome(id, "nothing found"),
    "Decisions.supersede": lambda memory, id: memory.decisions.supersede(
        id, _dig("allow"), reason="why not"
    ),
    **by_id("decisions", "trust delete restore erase"),
    **talk.CHANGING_BY_ID,
    **work.CHANGING_BY_ID,
    **learning.CHANGING_BY_ID,
}


CHANGING: dict[str, Verb] = {
    "Audit.repair_time": lambda memory, _: memory.audit.repair_time(),
    "Decisions.record": lambda memory, _: memory.decisions.record(_dig("allow")),
    "Decisions.purge": lambda memory, _: memory.decisions.purge("0 days"),
    "Decisions.erase old ones": lambda memory, _: memory.decisions.erase(older_than="0 days"),
    "Facts.replace_text": lambda memory, _: memory.facts.replace_text(TREASURE, "there is none"),
    "Facts.forget": lambda memory, _: memory.facts.forget(TREASURE),
    "Facts.delete_all": lambda memory, _: memory.facts.delete_all(user=memory.scope.user),
    "Facts.delete_all of another": lambda memory, _: memory.facts.delete_all(user="ana"),
    "Facts.restore_all": lambda memory, _: memory.facts.restore_all("9 days ago"),
    "Facts.restore_all of another": lambda memory, _: memory.facts.restore_all(
        "9 days ago", user="ana"
    ),
    "Facts.purge_retired": lambda memory, _: memory.facts.purge_retired("0 days"),
    "Facts.set": lambda memory, _: memory.facts.set("map", "X marks the spot"),
    "Facts.purge": lambda memory, _: memory.facts.purge("0 days"),
    "Entities.add_alias": lambda memory, _: memory.entities.add_alias("Bob", "Cap"),
    "Entities.remove_alias": lambda memory, _: memory.entities.remove_alias("Captain", "Cap"),
    **with_arguments(
        "blocks", purge=("0 days",), add=("chest/map", "X marks the spot"),
        update=("chest/map", "none"), append=("chest/map", "none"),
        insert=("chest/map", 0, "none"), replace_text=("chest/map", "noon", "night"),
        rename=("chest/map", "mine"), describe=("chest/map", "mine"), set_limit=("chest/map", 9),
        set_read_only=("chest/map",), restore=("chest/gone",), delete=("chest/map",),
        erase=("chest/map",), prune=("chest/map", 1), delete_folder=("chest",),
        rename_folder=("chest", "mine"),
    ),
    "Memory.remember": lambda memory, _: memory.remember(TREASURE, entities=["Captain"], key="map"),
    "Memory.erase_user": lambda memory, _: memory.erase_user(str(memory.scope.user)),
    "Memory.erase_user of another": lambda memory, _: memory.erase_user("ana"),
    "Memory.clear": lambda memory, _: [memory.clear(name) for name in sorted(CLEARED)],
    "Memory.erase_scope": lambda memory, _: memory.erase_scope(),
    "Memory.erase_scope of another": lambda memory, _: memory.erase_scope(user="ana"),
    "Memory.tools": lambda memory, _: [
        memory.tools().call(tool, {"fact": TREASURE, **more})
        for tool, more in (("correct", {"action": "replace", "text": "none"}), ("forget", {}))
    ],
    "Memory.remember_many": lambda memory, _: memory.remember_many([TREASURE, "retired one"]),
    **talk.CHANGING,
    **work.CHANGING,
    **learning.CHANGING,
}  # fmt: skip

# Methods that return another view: the contract on scope tests them.
DOORS = {"Memory.scoped", "Memory.acting_as", "Memory.everything", "Memory.close"}
DOORS |= {"Memory.on_change"}  # `listening.py` says what it hears
WHOLE = {"Memory.maintain"}
"""Verbs about all scopes, which a scoped memory refuses."""


COLLECTIONS = (
    *(Facts, Entities, Blocks, Decisions, Audit),
    *(*talk.COLLECTIONS, *work.COLLECTIONS, *learning.COLLECTIONS),
)


def public_verbs() -> set[str]:
    """Return every public method and property of the memory and its collections."""
    return {
        f"{kind.__name__}.{name}"
        for kind in (Memory, *COLLECTIONS)
        for name, member in inspect.getmembers(kind)
        if not name.startswith("_") and (callable(member) or isinstance(member, property))
    }


def somebody(memory: Memory, name: str) -> Memory:
    view = memory.scoped(user=name)
    view.remember("Bob is here", entities=["Bob"])
    view.observations.add("bugfix", "Bob is here")
    view.conversations.add("user", "Bob says welcome")
    memory.flush()
    return view


class IsolationContract(Contract):
    def test_no_verb_is_forgotten(self) -> None:
        """A new public method must say here how it keeps users apart."""
        probed = {name.partition(" ")[0] for name in (*ASKING, *CHANGING_BY_ID, *CHANGING)}
        assert probed | DOORS | WHOLE == public_verbs()

    def test_a_scoped_memory_has_no_verb_about_all_scopes(self, memory: Memory) -> None:
        for verb in WHOLE:
            with pytest.raises(ScopeError):
                getattr(memory.scoped(user="bob"), verb.partition(".")[2])()

    @pytest.fixture(params=["words", "meaning"])
    def memory(self, engine: Engine, clock: FakeClock, request: pytest.FixtureRequest) -> Memory:
        """Open a memory with an embedder: search by meaning must be isolated, too."""
        if request.param == "words":
            return assemble(engine, clock, Viewer())
        return embedding_memory(engine, clock, HashingEmbedder())

    @pytest.fixture
    def bob(self, memory: Memory) -> Memory:
        memory.remember("everybody is welcome", entities=["Bob"])
        memory.observations.add("bugfix", "everybody is welcome")
        memory.lessons.add(work.DOMAIN, "share")
        return somebody(memory, "bob")

    def test_what_ana_does_changes_no_answer_to_bob(
        self, memory: Memory, clock: FakeClock, bob: Memory
    ) -> None:
        clock.advance(days=1, minutes=1)
        for ask in ASKING.values():
            outcome(ask, bob, UNKNOWN)
        memory.flush()  # writes what Bob's own prompts used
        before = {verb: outcome(ask, bob, UNKNOWN) for verb, ask in ASKING.items()}
        assert "treasure" not in told(before)
        records = live(memory.scoped(user="ana"))
        records += live(memory.scoped(user="ana", agent="coder", project="shop", session="s"))
        memory.flush()
        assert answering_otherwise(ASKING, bob, records, before) == set()

    def test_bob_cannot_change_what_is_ana_s(self, memory: Memory, bob: Memory) -> None:
        records = live(memory.scoped(user="ana"))
        unknown = {verb: outcome(change, bob, UNKNOWN) for verb, change in CHANGING_BY_ID.items()}
        assert all(NotFoundError.__name__ in each for each in unknown.values())
        with unchanged(memory):
            assert answering_otherwise(CHANGING_BY_ID, bob, records, unknown) == set()

    @pytest.mark.usefixtures("bob")
    def test_what_bob_does_changes_nothing_of_ana_s(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        live(ana)
        assert disturbing(CHANGING, ana, lambda verb: somebody(memory, verb)) == set()
        assert memory.everything().audit.verify().ok

    def test_bob_s_own_words_start_from_nothing(self, memory: Memory, bob: Memory) -> None:
        live(memory.scoped(user="ana"))
        said = bob.remember(TREASURE, entities=["Captain"], key="map")
        assert (said.evidence, said.supersedes, said.tags) == (1, (), ())
        bob.entities.add_alias("Captain", "Cap")
        assert bob.entities.get("Cap").entity.mentions == 1

    def test_an_invisible_fact_makes_no_id_ambiguous(self, memory: Memory) -> None:
        ana, bob = memory.scoped(user="ana"), memory.scoped(user="bob")
        hers, his = ana.remember("hers"), bob.remember("his")
        begin = his.id[:13]
        assert hers.id.startswith(begin)
        assert bob.facts.get(begin) == his
        assert bob.facts.pin(begin).id == his.id

    def test_an_invisible_scope_cannot_be_entered(self, bob: Memory) -> None:
        with pytest.raises(ScopeError, match="bob"):
            bob.scoped(user="ana")
        with pytest.raises(ScopeError, match="bob"):
            bob.everything()


def live(memory: Memory) -> list[Identified]:
    """Store records of every kind, and return the live, ended, deleted and erased ones."""
    live = memory.remember(
        TREASURE, key="map", tags=["gold"], entities=["Captain", "Bob"],
        relations=[("Captain", "knows", "Bob")], metadata={"where": "treasure island"},
    )  # fmt: skip
    memory.entities.add_alias("Captain", "Cap", reason="the treasure is theirs")
    retired, deleted, erased = memory.remember_many(
        [f"{name} treasure" for name in ("retired", "deleted", "erased")]
    )
    memory.blocks.add(
        "chest/map", TREASURE, limit_tokens=30, overflow="archive", description="treasure"
    )
    memory.blocks.append("chest/map", f"{TREASURE}. " * 20, reason="a treasure")
    memory.blocks.add("chest/gone", TREASURE)
    memory.blocks.delete("chest/gone")
    memory.remember("a treasure, they say", origin="web", entities=["Captain"])
    memory.remember("a treasure to come", valid_from="in 3 days", entities=["Captain"])
    memory.facts.confirm(live.id, reason="the treasure is real")
    memory.feedback(live.id, "useful", reason="it led to the treasure")
    memory.facts.retire(retired.id, "wrong", reason="no treasure")
    memory.facts.delete(deleted.id)
    memory.facts.erase(erased.id)
    digs = [memory.decisions.record(_dig("deny")) for _ in range(5)]
    memory.decisions.set_outcome(digs[0].id, "the treasure was not there")
    memory.decisions.supersede(digs[1].id, _dig("deny"), reason="no treasure")
    memory.decisions.delete(digs[2].id)
    memory.decisions.erase(digs[3].id)
    told = [*talk.talked(memory), *work.worked(memory), *learning.doubted(memory)]
    return [live, retired, deleted, erased, *digs, *told]
