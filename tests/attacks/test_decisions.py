"""Attacks on advice: to be allowed what nobody allowed, to get around a denial, to hide an act."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import erstwhile
from erstwhile import Decision, DecisionRequest, Memory
from erstwhile.core.errors import InvalidInputError, NotFoundError
from tests.cli.shell import run

COMMANDS = json.loads(Path(__file__).with_name("decisions.json").read_text("utf-8"))
MASKED: dict[str, tuple[str, str]] = COMMANDS["masked"]
STORED = "SELECT digest FROM decisions"


def call(command: str) -> DecisionRequest:
    return DecisionRequest(goal="g", tool="Bash", input={"command": command})


def say(memory: Memory, choice: str, command: str, **more: object) -> Decision:
    given = {"goal": "g", "tool": "Bash", "input": {"command": command}, **more}
    return memory.decisions.record(Decision(choice=choice, **given))  # type: ignore[arg-type]


def suggestion(memory: Memory, command: str) -> str:
    return str(memory.decisions.advise(call(command)).suggestion)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with erstwhile.open(":memory:", embedder="none") as opened:
        yield opened


@pytest.mark.parametrize("where", MASKED)
def test_nothing_hides_behind_a_mask(memory: Memory, where: str) -> None:
    """The masked texts are equal in most cases, and the calls are not."""
    allowed, other = MASKED[where]
    say(memory, "allow", allowed)
    assert suggestion(memory, allowed) == "allow"
    assert suggestion(memory, other) == "ask"


def test_the_variants_are_equal_once_they_are_masked(memory: Memory) -> None:
    """Otherwise the test above would show nothing."""
    equal = 0
    for pair in MASKED.values():
        stored = [say(memory, "observe", command).input for command in pair]
        equal += stored[0] == stored[1]
    assert equal >= 5


@pytest.mark.parametrize("command", [*COMMANDS["around"], *COMMANDS["computed"]])
def test_no_other_spelling_is_allowed(memory: Memory, command: str) -> None:
    """A command that is computed when it runs is compared exactly, or not at all."""
    say(memory, "allow", "rm -rf /")
    say(memory, "allow", "ls")
    assert suggestion(memory, command) == "ask"


@pytest.mark.parametrize("denied", COMMANDS["unrelated"])
def test_a_denial_says_nothing_about_another_act(memory: Memory, denied: str) -> None:
    for _ in range(4):
        say(memory, "deny", denied)
    for command in COMMANDS["unrelated"][denied]:
        assert suggestion(memory, command) == "ask", command


@pytest.mark.parametrize("by", ["model", "agent", "advice", "rule"])
@pytest.mark.parametrize("choice", ["allow", "observe"])
def test_a_denial_does_not_evaporate(memory: Memory, by: str, choice: str) -> None:
    for _ in range(3):
        say(memory, "deny", "npm publish")
    for _ in range(20):
        say(memory, choice, "npm publish", decided_by=by)
    assert suggestion(memory, "npm publish") == "deny"


def test_an_allowance_from_the_future_is_refused(memory: Memory) -> None:
    say(memory, "deny", "npm publish")
    with pytest.raises(InvalidInputError, match="future"):
        say(memory, "allow", "npm publish", decided_at="in 5 years")
    say(memory, "allow", "npm publish", decided_at="in 4 minutes", decided_by="person")
    say(memory, "deny", "npm publish")
    assert suggestion(memory, "npm publish") == "deny"


def test_a_misspelt_filter_is_an_error(memory: Memory) -> None:
    for verb in (memory.decisions.count, memory.decisions.list, memory.decisions.export):
        with pytest.raises(TypeError, match="gaol"):
            verb(gaol="x")  # type: ignore[call-arg]


def test_nobody_blanks_the_audit_trail_of_others(memory: Memory) -> None:
    """Neither with an id nor with a key that another scope uses."""
    shared = say(memory, "deny", "npm publish", key="k")
    bob = memory.scoped(user="bob")
    for chosen in ({"id": shared.id}, {"key": shared.key}, {"key": shared.id}):
        his = say(bob, "allow", "ls", **chosen)
        assert his.id != shared.id
        bob.decisions.delete(his.id)
        bob.decisions.erase(his.id)
    assert memory.everything().audit.verify().ok
    assert memory.decisions.get(shared.id) == shared


def test_an_id_of_others_tells_nothing(memory: Memory) -> None:
    hers = say(memory.scoped(user="ana"), "deny", "npm publish", key="hers")
    bob = memory.scoped(user="bob")
    say(bob, "allow", "ls", key="hers", id=hers.id)
    with pytest.raises(NotFoundError):
        bob.decisions.get(hers.id)


def test_a_stored_digest_cannot_be_guessed(tmp_path: Path) -> None:
    """Equal inputs in two scopes, or in two memories, have different digests."""
    seen = set()
    for name in ("a.db", "b.db"):
        with erstwhile.open(tmp_path / name, embedder="none") as memory:
            for user in ("ana", "bob"):
                say(memory.scoped(user=user), "allow", "sshpass -p hunter22xyz ssh host")
            engine = memory.decisions._access.engine
            rows = engine.read(lambda session: session.rows(STORED, {}))
            seen |= {digest for (digest,) in rows}
    assert len(seen) == 4


def test_a_copy_advises_as_its_source(tmp_path: Path) -> None:
    """The key goes with the scope: what was allowed exactly stays allowed, and nothing else is."""
    allowed, other = MASKED["a password of sshpass"]
    with erstwhile.open(tmp_path / "a.db", embedder="none") as memory:
        say(memory, "allow", allowed)
    erstwhile.copy(str(tmp_path / "a.db"), str(tmp_path / "b.db"), trust_permissions=True)
    with erstwhile.open(tmp_path / "b.db", embedder="none") as there:
        assert suggestion(there, allowed) == "allow"
        assert suggestion(there, other) == "ask"
        assert there.audit.verify().ok


@pytest.mark.parametrize("namespace", ["goal", "global"])
def test_nothing_hides_behind_the_mask_of_a_goal(memory: Memory, namespace: str) -> None:
    """What lasts for a goal lasts for exactly this goal, as it was before masking."""
    goals = [f"deploy with password={secret}" for secret in ("hunter22xyz", "swordfish99")]
    say(memory, "allow", "make", goal=goals[0], lasts="goal")
    [stored] = memory.decisions.list()
    assert "hunter22xyz" not in repr(stored.goal)
    for goal, expected in zip(goals, ("allow", "ask"), strict=True):
        request = DecisionRequest(goal=goal, tool="Bash", input={"command": "make"})
        assert memory.decisions.advise(request, namespace=namespace).suggestion == expected


def test_nothing_hides_behind_the_mask_of_a_tool(memory: Memory) -> None:
    tools = [f"mcp password={secret}" for secret in ("hunter22xyz", "swordfish99")]
    say(memory, "allow", "make", tool=tools[0])
    say(memory, "allow", "test", tool=tools[0], covers="fields")
    for tool, expected in zip(tools, ("allow", "ask"), strict=True):
        for command in ("make", "test"):
            request = DecisionRequest(goal="g", tool=tool, input={"command": command})
            assert memory.decisions.advise(request).suggestion == expected


LONG = (
    "npm publish" + " #" * 10_000, "echo " + "a" * 20_001, "npm publish\n" * 2_000,
    f'perl -e "{[f"system(npm x{n});" for n in range(999)]}"',
)  # fmt: skip


@pytest.fixture(scope="module")
def denying() -> Iterator[Memory]:
    with erstwhile.open(":memory:", embedder="none") as opened:
        for command in COMMANDS["denied"]:
            say(opened, "deny", command)
        yield opened


@pytest.mark.parametrize("command", [*COMMANDS["hidden"], *LONG], ids=lambda given: given[:40])
def test_what_is_computed_is_never_passed_in_silence(denying: Memory, command: str) -> None:
    advice = denying.decisions.advise(call(command))
    assert advice.suggestion == "deny" or (advice.suggestion == "ask" and advice.unread)


@pytest.mark.parametrize("command", COMMANDS["honest"])
def test_an_honest_command_is_neither_denied_nor_asked_about(denying: Memory, command: str) -> None:
    advice = denying.decisions.advise(call(command))
    assert (advice.suggestion, advice.unread) == ("ask", False)


def test_a_permission_of_something_computed_reaches_nothing_else(memory: Memory) -> None:
    say(memory, "allow", "dropdb $DB")
    assert suggestion(memory, "dropdb $DB") == "allow"
    for other in ("dropdb ledger", "dropdb $DB2", "dropdb  $DB", "dropdb '$DB'"):
        assert suggestion(memory, other) == "ask"


def test_a_denial_of_something_computed_asks_about_what_it_may_have_been(memory: Memory) -> None:
    say(memory, "deny", "dropdb $DB")
    assert memory.decisions.advise(call("dropdb ledger")).unread
    assert not memory.decisions.advise(call("createdb ledger")).unread


def test_the_silent_hook_speaks(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    place = f"{tmp_path}/memory.db"
    monkeypatch.setenv("ERSTWHILE_DB", place)
    with erstwhile.open(place, embedder="none") as memory:
        say(memory, "deny", "dropdb ledger")
    for command, said in (("dropdb $DB", '"ask"'), ("dropdb -h db1 ledger", '"deny"'), ("ls", "")):
        event = f'{{"tool_name": "Bash", "tool_input": {{"command": "{command}"}}}}'.encode()
        out = run("hook", "pre-tool-use", "--silent", typed=event).out
        assert said in out if said else out == ""


@pytest.mark.parametrize(
    ("denied", "asked"),
    [
        *COMMANDS["spellings"],
        *(("rm -rf /", command) for command in COMMANDS["around"]),
        ("rm -rf ~", "sshpass -p x;rm${IFS}-rf${IFS}~ ssh host"),  # behind a mask
        ("npm publish", "npm publish ."),  # the folder on which it works anyway
        ("npm publish", "npm publish ./"),
    ],
)
def test_another_spelling_is_the_same_act(memory: Memory, denied: str, asked: str) -> None:
    say(memory, "deny", denied)
    assert suggestion(memory, asked) == "deny"


@pytest.mark.parametrize(
    "given",
    [
        {"command": ["npm", "publish"]}, {"command": "npm", "args": ["publish"]}, "npm publish",
        {"cmd": "npm publish"}, {"Script": "npm publish"}, {"command": "npm publish", "x": 1},
    ],
    ids=str,
)  # fmt: skip
def test_a_command_is_the_same_act_in_every_form_of_input(denying: Memory, given: object) -> None:
    for tool_input, expected in ((given, "deny"), ({"command": "npm", "args": ["install"]}, "ask")):
        request = DecisionRequest(goal="g", tool="Bash", input=tool_input)
        assert denying.decisions.advise(request).suggestion == expected
