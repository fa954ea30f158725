"""Recording, listing, deleting and erasing decisions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from erstwhile.core.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    ScopeError,
    TooLargeError,
)
from erstwhile.core.ports import Engine
from erstwhile.decisions.decision import Decision
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, embedding_memory, paged, unchanged
from tests.doubles import TROUBLES, UnreliableEmbedder

TOKEN = "ghp_" + "aB3d" * 9


def decided(command: str = "npm publish", choice: str = "deny", **said: Any) -> Decision:
    """Return a decision about a shell command."""
    whole = {"goal": "ship", "tool": "Bash", "input": {"command": command}, **said}
    return Decision(choice=choice, **whole)


class DecisionsContract(Contract):
    def test_recording_keeps_every_field(self, memory: Memory, clock: FakeClock) -> None:
        assert memory.decisions.count() == 0
        assert list(memory.decisions.list()) == []
        said = decided(
            turn=7, message="not from here", rationale="policy", options=("ask", "allow"),
            decided_by="rule", decided_at="2026-02-01T10:00:00.123456Z", lasts="goal",
        )  # fmt: skip
        kept = memory.decisions.record(said)
        assert memory.decisions.get(kept.id) == kept
        assert (kept.turn, kept.message, kept.rationale) == (7, "not from here", "policy")
        assert (kept.choice, kept.decided_by, kept.lasts) == ("deny", "rule", "goal")
        assert str(kept.decided_at) == "2026-02-01 10:00:00.123456+00:00"
        assert kept.recorded_at == clock.now()
        later = memory.decisions.record(decided("ls", "allow"))
        assert later.decided_at == later.recorded_at != kept.recorded_at
        assert memory.decisions.count() == 2

    def test_recording_again_changes_nothing(self, memory: Memory, clock: FakeClock) -> None:
        said = decided()
        first = memory.decisions.record(said)
        clock.advance(hours=1)
        with unchanged(memory):
            assert memory.decisions.record(said) == first
            assert memory.decisions.record(first) == first
        assert memory.decisions.count() == 1
        said = decided(input={"b": [{"d": 1, "c": 2}], "a": 0})
        kept = memory.decisions.record(said)
        again = replace(said, input={"a": 0, "b": [{"c": 2, "d": 1}]})
        assert memory.decisions.record(again) == kept

    @pytest.mark.parametrize(
        "other",
        [
            {"choice": "allow"}, {"input": {"command": "ls"}}, {"message": "x"}, {"turn": 1},
            {"goal": "x"}, {"tool": "x"}, {"rationale": "x"}, {"decided_by": "model"},
            {"options": ("x",)}, {"lasts": "once"}, {"transient": True},
            {"decided_at": "2020-01-01"}, {"covers": "fields"},
        ],
        ids=lambda other: next(iter(other)),
    )  # fmt: skip
    def test_a_reused_key_is_a_conflict(self, memory: Memory, other: dict[str, Any]) -> None:
        said = decided()
        memory.decisions.record(said)
        with unchanged(memory), pytest.raises(ConflictError, match=said.key):
            memory.decisions.record(replace(said, **other))

    @pytest.mark.parametrize("trouble", TROUBLES)
    def test_it_is_stored_if_the_embedder_fails(
        self, engine: Engine, clock: FakeClock, trouble: str
    ) -> None:
        embedder = UnreliableEmbedder(TROUBLES[trouble])
        memory = embedding_memory(engine, clock, embedder)
        kept = memory.decisions.record(decided())
        assert memory.flush().texts == 1
        assert memory.decisions.get(kept.id) == kept
        embedder.spoil = None
        embedder.embedded.clear()
        clock.advance(minutes=20)
        assert memory.flush().texts == 0
        assert embedder.embedded[0] == "npm publish"

    def test_secrets_are_masked_in_every_field(self, engine: Engine, clock: FakeClock) -> None:
        embedder = UnreliableEmbedder()
        memory = embedding_memory(engine, clock, embedder)
        kept = memory.decisions.record(
            decided(
                f"curl -H {TOKEN} {TOKEN}",
                message=TOKEN,
                rationale=f"has {TOKEN}",
                options=(TOKEN,),
                goal=f"g {TOKEN}",
            )
        )
        memory.decisions.set_outcome(kept.id, f"leaked {TOKEN}")
        other = decided(choice="allow", input={"password": "open sesame", "x": [TOKEN]})
        other = memory.decisions.supersede(kept.id, other, reason=f"rotated {TOKEN}")
        memory.flush()
        told = f"{memory.decisions.export()} {memory.audit.list().to_dict()} {embedder.embedded}"
        assert TOKEN not in told
        assert "sesame" not in told
        assert kept.input == {"command": "curl -H [masked:github-token] [masked:github-token]"}
        assert memory.decisions.get(other.id).input["password"] == "[masked:password]"  # noqa: S105

    @pytest.mark.parametrize(
        ("said", "error"),
        [
            ({"goal": " "}, InvalidInputError),
            ({"tool": ""}, InvalidInputError),
            ({"choice": "perhaps"}, InvalidInputError),
            ({"decided_by": "nobody"}, InvalidInputError),
            ({"lasts": "ages"}, InvalidInputError),
            ({"turn": -1}, InvalidInputError),
            ({"turn": True}, InvalidInputError),
            ({"input": {1: 2}}, InvalidInputError),
            ({"input": {"x": float("nan")}}, InvalidInputError),
            ({"input": {"x": object()}}, InvalidInputError),
            ({"input": {"x": "\0"}}, InvalidInputError),
            ({"input": {"x": "\ud800"}}, InvalidInputError),
            ({"input": "x" * 300_000}, TooLargeError),
            ({"message": "x" * 20_000}, TooLargeError),
            ({"options": ("x",) * 51}, TooLargeError),
            ({"key": ""}, InvalidInputError),
            ({"key": "x" * 300}, TooLargeError),
            ({"covers": "much"}, InvalidInputError),
            ({"decided_at": "in 1 hour"}, InvalidInputError),
            ({"decided_at": "some day"}, InvalidInputError),
        ],
    )
    def test_invalid_fields(
        self, memory: Memory, said: dict[str, Any], error: type[Exception]
    ) -> None:
        with unchanged(memory), pytest.raises(error):
            memory.decisions.record(replace(decided(), **said))
        with pytest.raises(InvalidInputError):
            memory.decisions.record("deny")  # type: ignore[arg-type]

    def test_listing_filters_and_pages(self, memory: Memory, clock: FakeClock) -> None:
        for number in range(5):
            memory.decisions.record(decided(f"c{number}", goal=f"g{number % 2}"))
            clock.advance(days=1)
        memory.decisions.record(decided("x", "allow", tool="Edit", decided_by="model"))
        listed = memory.decisions.list
        commands = [each.input["command"] for each in listed()]
        assert commands == ["x", "c4", "c3", "c2", "c1", "c0"]
        assert paged(listed) == list(listed())
        assert [len(listed(goal=goal)) for goal in ("g0", "g1", "ship")] == [3, 2, 1]
        assert memory.decisions.count(tool="Edit") == memory.decisions.count(choice="allow") == 1
        assert memory.decisions.count(decided_by="person", since="2026-03-03T00:00:00Z") == 3
        with pytest.raises(InvalidInputError):
            listed(cursor="x")

    def test_an_outcome_is_set_later(self, memory: Memory, clock: FakeClock) -> None:
        kept = memory.decisions.record(decided(choice="allow"))
        at = clock.advance(hours=1)
        noted = memory.decisions.set_outcome(kept.short_id, "it broke the build", good=False)
        assert memory.decisions.get(kept.id) == noted
        assert noted.outcome is not None
        assert (noted.outcome.text, noted.outcome.good, noted.outcome.at) == (
            "it broke the build", False, at,
        )  # fmt: skip
        assert memory.decisions.record(kept) == noted
        with pytest.raises(InvalidInputError):
            memory.decisions.set_outcome(kept.id, "")

    def test_superseding_links_both_and_happens_once(self, memory: Memory) -> None:
        old = memory.decisions.record(decided())
        new = memory.decisions.supersede(old.id, decided(choice="allow"), reason="tests pass")
        ended = memory.decisions.get(old.id)
        assert (ended.superseded_by, ended.superseded_because) == (new.id, "tests pass")
        with unchanged(memory), pytest.raises(ConflictError):
            memory.decisions.supersede(old.id, decided(), reason="again")
        with unchanged(memory), pytest.raises(ConflictError):
            memory.decisions.supersede(new.id, new, reason="itself")
        assert memory.audit.verify().ok

    def test_a_deleted_decision_is_restored(self, memory: Memory, clock: FakeClock) -> None:
        kept, other = memory.decisions.record(decided()), memory.decisions.record(decided("ls"))
        at = clock.advance(hours=1)
        gone = memory.decisions.delete(kept.short_id, reason="a mistake")
        assert gone == replace(kept, deleted_at=at)
        assert list(memory.decisions.list()) == [other]
        assert list(memory.decisions.list(deleted=True)) == [gone]
        assert (memory.decisions.count(), memory.decisions.count(deleted=True)) == (1, 1)
        assert [each["id"] for each in memory.decisions.export()] == [other.id]
        with pytest.raises(NotFoundError, match=r"decisions\.restore"):
            memory.decisions.get(kept.id)
        with unchanged(memory), pytest.raises(NotFoundError):
            memory.decisions.delete(kept.id)
        with unchanged(memory), pytest.raises(ConflictError, match="was deleted"):
            memory.decisions.record(kept)
        assert memory.decisions.restore(kept.id) == kept == memory.decisions.get(kept.id)
        with unchanged(memory), pytest.raises(NotFoundError):
            memory.decisions.restore(kept.id)
        actions = [entry.action for entry in memory.audit.list(subject=kept.id)]
        assert actions == ["decision.restore", "decision.delete", "decision.record"]
        assert memory.audit.verify().ok

    def test_purging_erases_old_deletions(self, memory: Memory, clock: FakeClock) -> None:
        old, new, kept = (memory.decisions.record(decided(name)) for name in "abc")
        memory.decisions.delete(old.id)
        clock.advance(days=31)
        memory.decisions.delete(new.id)
        assert memory.decisions.purge().ids == (old.id,)
        assert [each.id for each in memory.decisions.list(deleted=True)] == [new.id]
        assert memory.decisions.purge("0 days").decisions == 1
        assert list(memory.decisions.list()) == [kept]
        assert memory.audit.verify().ok

    def test_erasing_by_id_or_by_age_leaves_nothing(self, memory: Memory, clock: FakeClock) -> None:
        old = [memory.decisions.record(decided(f"old {number}")) for number in range(3)]
        clock.advance(days=100)
        new = memory.decisions.record(decided("new"))
        receipt = memory.decisions.erase(old[0].id, old[0].short_id)
        assert (receipt.ids, receipt.decisions, receipt.facts) == ((old[0].id,), 1, 0)
        assert memory.decisions.erase(older_than="90 days").decisions == 2
        assert [each.id for each in memory.decisions.list()] == [new.id]
        assert memory.audit.verify().ok
        assert {entry.action for entry in memory.audit.list(subject=old[1].id)} == {
            "decision.record", "erase",
        }  # fmt: skip
        with pytest.raises(NotFoundError):
            memory.decisions.get(old[1].id)
        with pytest.raises(InvalidInputError):
            memory.decisions.erase()
        with pytest.raises(InvalidInputError):
            memory.decisions.erase(new.id, older_than="90 days")
        with pytest.raises(InvalidInputError):
            memory.decisions.erase(older_than="in 3 days")

    def test_an_export_has_every_field(self, memory: Memory) -> None:
        kept = memory.decisions.record(decided(options=("ask",)))
        memory.decisions.set_outcome(kept.id, "fine", good=True)
        [told] = memory.decisions.export()
        assert told["outcome"]["good"] is True
        names = list(told)[: list(told).index("key") + 1]
        again = Decision(**{name: told[name] for name in names})
        assert memory.decisions.record(again).id == kept.id
        assert memory.decisions.count() == 1

    def test_changing_needs_the_exact_scope(self, memory: Memory) -> None:
        shared = memory.decisions.record(decided())
        ana = memory.scoped(user="ana")
        assert ana.decisions.get(shared.id) == shared
        with unchanged(memory), pytest.raises(ScopeError):
            ana.decisions.set_outcome(shared.id, "x")
        with unchanged(memory), pytest.raises(ScopeError):
            ana.decisions.delete(shared.id)
        hers = ana.decisions.record(decided())
        admin = memory.everything().decisions
        assert admin.set_outcome(shared.id, "x").outcome
        assert admin.supersede(hers.id, decided(), reason="x").scope == ana.scope
        with unchanged(memory), pytest.raises(ScopeError, match="no scope"):
            admin.record(decided())

    def test_ids_are_given_by_the_memory_and_keys_belong_to_a_scope(self, memory: Memory) -> None:
        ana, bob = memory.scoped(user="ana"), memory.scoped(user="bob")
        hers = ana.decisions.record(decided(key="release-7"))
        his = bob.decisions.record(decided("ls", "allow", key="release-7", id=hers.id))
        assert his.id != hers.id
        assert bob.decisions.record(decided("ls", "allow", key="release-7")) == his
        assert ana.decisions.get(hers.id).key == "release-7"
        with pytest.raises(NotFoundError):
            bob.decisions.get(hers.id)
        bob.decisions.delete(his.id)
        bob.decisions.erase(his.id)
        assert memory.everything().audit.verify().ok

    def test_old_decisions_of_a_decider_are_erased(self, memory: Memory, clock: FakeClock) -> None:
        kept = memory.decisions.record(decided())
        memory.decisions.record(decided(choice="observe", decided_by="agent"))
        clock.advance(days=100)
        assert memory.decisions.erase(older_than="90 days", decided_by="agent").decisions == 1
        assert list(memory.decisions.list()) == [kept]
        for wrong in ({"decided_by": "agent"}, {"older_than": "1 day", "decided_by": "nobody"}):
            with pytest.raises(InvalidInputError):
                memory.decisions.erase(**wrong)

    @pytest.mark.parametrize(
        "column", ["choice", "input", "message", "decided_by", "goal", "digest", "covers", "key"]
    )
    def test_change_behind_trail_shows(self, memory: Memory, engine: Engine, column: str) -> None:
        memory.decisions.record(decided())
        assert memory.audit.verify().ok
        forged = b"allow" if column == "digest" else "allow"
        forge = f"UPDATE decisions SET {column} = :forged"  # noqa: S608
        engine.write(lambda session: session.run(forge, {"forged": forged}))
        assert "changed without an entry" in memory.audit.verify().problems[0]

    def test_a_decision_that_disappeared_shows(self, memory: Memory, engine: Engine) -> None:
        memory.decisions.record(decided())
        engine.write(lambda session: session.run("DELETE FROM decisions", {}))
        assert "has disappeared" in memory.audit.verify().problems[0]
