"""Attacks by an agent with a shell: to speak as a person, and to lift what a person decided."""

from __future__ import annotations

import json
import os
import pwd
from pathlib import Path

import pytest

import erstwhile
from erstwhile import Decision
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.settings import Settings
from erstwhile.decisions.decision import name_people, named_people, parse_people
from tests.attacks.test_decisions import call, say
from tests.cli.shell import AtTerminal, run

RECORD = ("decisions", "record", "Bash", '{"command": "npm publish"}', "allow", "--goal", "g")


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "memory.db"
    monkeypatch.setenv("ERSTWHILE_DB", str(place))
    monkeypatch.setenv("ERSTWHILE_EMBEDDER", "none")
    return place


def answered(*words: str, question: str, answer: str = "y") -> bool:
    """Answer the question of a command at a terminal, and return whether it succeeded."""
    with AtTerminal(*words) as typing:
        typing.wait_for(question)
        typing.type(f"{answer}\n")
        return typing.finish().code == 0


def suggestion(db: Path) -> str:
    with erstwhile.open(db, embedder="none") as memory:
        return str(memory.decisions.advise(call("npm publish")).suggestion)


def test_an_agent_with_a_shell_does_not_approve_itself(db: Path) -> None:
    """Without a terminal nobody is a person, and nobody is one by default."""
    assert run(*RECORD).code == 2
    for more in ((), ("--yes",), ("--by", "person"), ("--by", "person", "--covers", "fields")):
        assert run(*RECORD, *more, typed=b"y\n").code != 0
    for by in ("rule", "model", "agent", "advice"):
        assert run(*RECORD, "--by", by).code == 0
    assert suggestion(db) == "ask"


def test_a_person_at_a_terminal_is_asked(db: Path) -> None:
    for answer, expected in (("n", "ask"), ("y", "allow")):
        done = answered(*RECORD, "--by", "person", question="yourself", answer=answer)
        assert done is (answer == "y")
        erstwhile.open(db, embedder="none").close()
        assert suggestion(db) == expected


LIFTING: dict[str, list[str]] = json.loads(
    Path(__file__).with_name("decisions.json").read_text("utf-8")
)["lifting"]


def denied(db: Path) -> Decision:
    with erstwhile.open(db, embedder="none") as memory:
        return say(memory.scoped(project="shop"), "deny", "npm publish")


def stored(db: Path) -> list[Decision]:
    with erstwhile.open(db, embedder="none") as memory:
        return list(memory.everything().decisions.list())


@pytest.mark.parametrize("way", LIFTING)
def test_an_agent_with_a_shell_does_not_lift_a_denial(
    db: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    hers = denied(db)
    monkeypatch.setenv("ERSTWHILE_PROJECT", "shop")
    words = [word.format(id=hers.id, short=hers.short_id) for word in LIFTING[way]]
    ended = run(*words, typed=b"y\ny\n")
    assert ended.code != 0, ended
    assert ended.err
    assert stored(db) == [hers]


def test_a_person_lifts_a_denial_at_a_terminal(db: Path) -> None:
    hers = denied(db)
    assert answered(
        "--project", "shop", "decisions", "delete", hers.id, question="A person decided this"
    )
    assert stored(db) == []
    assert run("--project", "shop", "decisions", "restore", hers.id).code != 0
    assert stored(db) == []


def test_what_no_person_decided_is_changed_without_one(db: Path) -> None:
    denied(db)
    with erstwhile.open(db, embedder="none") as memory:
        his = say(memory.scoped(project="shop"), "observe", "ls", decided_by="agent")
    assert run("--project", "shop", "decisions", "set-outcome", his.id, "done").code == 0
    assert run("--project", "shop", "decisions", "delete", his.id).code == 0
    assert run("--user", "ana", "erase-scope", "--yes").code == 0
    old = ("decisions", "erase", "--older-than", "0 days", "--by", "agent", "--yes")
    assert run("--project", "shop", *old).code == 0


def name(db: Path, named: str) -> None:
    with erstwhile.open(db, embedder="none") as memory:
        name_people(memory.decisions, named)


def refused(*words: str) -> bool:
    """Call a command at a terminal, and return whether the account is told to be no person."""
    with AtTerminal(*words) as typing:
        typing.wait_for("may not speak")
        return typing.finish().code != 0


@pytest.mark.parametrize("named", ["nobody", "somebody, else"])
def test_the_environment_names_no_person(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    """Neither directly, nor by a folder, a file or an account that it names."""
    name(db, named)
    place = tmp_path / "erstwhile" / "config.toml"
    place.parent.mkdir()
    place.write_text('synchronous = "NORMAL"\n', "utf-8")
    for variable in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(variable, str(tmp_path))
    for variable in ("LOGNAME", "USER", "USERNAME", "SUDO_USER"):
        monkeypatch.setenv(variable, "somebody")
    monkeypatch.setenv("ERSTWHILE_PEOPLE", "terminal")
    monkeypatch.setenv("ERSTWHILE_CONFIG", str(place))
    assert refused(*RECORD, "--by", "person")
    assert refused("decisions", "people", "terminal")
    place.write_text('people = "terminal"\n', "utf-8")
    assert run(*RECORD, "--by", "person").code != 0
    monkeypatch.delenv("ERSTWHILE_CONFIG")
    place.unlink()
    assert suggestion(db) == "ask"


def test_only_a_person_says_who_is_a_person(db: Path) -> None:
    """No file says it, and no agent takes it back."""
    account = pwd.getpwuid(os.getuid()).pw_name
    assert stored(db) == []
    assert answered("decisions", "people", f"{account}, somebody", question="from now on")
    assert run("decisions", "people").data == {"people": f"{account}, somebody"}
    assert run("decisions", "people", "terminal", typed=b"y\n").code != 0
    [word] = stored(db)
    assert run("decisions", "delete", word.id, typed=b"y\n").code != 0
    assert answered(*RECORD, "--by", "person", question="yourself")
    assert suggestion(db) == "allow"


def test_a_file_does_not_say_who_is_a_person(db: Path, tmp_path: Path) -> None:
    """It counts where nobody said anything, because that is never wider than the default."""
    name(tmp_path / "theirs.db", "terminal")
    with erstwhile.open(db, embedder="none") as memory:
        name_people(memory.decisions, "nobody")
        memory.scoped(user="ana").remember("a second scope")
    erstwhile.export(tmp_path / "theirs.db", tmp_path / "theirs.jsonl")
    assert erstwhile.import_file(tmp_path / "theirs.jsonl", db).refused
    assert run("decisions", "people").data == {"people": "nobody"}
    erstwhile.copy(db, tmp_path / "copy.db")
    assert run("--db", str(tmp_path / "copy.db"), "decisions", "people").data == {
        "people": "nobody"
    }
    with erstwhile.open(tmp_path / "copy.db", embedder="none") as memory:
        name_people(memory.decisions, "ana")
        assert named_people(memory.decisions) == "ana"


def test_another_scope_does_not_say_who_is_a_person(db: Path) -> None:
    name(db, "nobody")
    with erstwhile.open(db, embedder="none") as memory:
        name_people(memory.scoped(project="shop").decisions, "terminal")
        assert named_people(memory.scoped(project="shop").decisions) == "nobody"
        assert named_people(memory.everything().decisions) == "nobody"


@pytest.mark.parametrize("wrong", ["", "ana,", "terminal, ana", "nobody, ana", 7])
def test_unclear_people_are_refused(wrong: object) -> None:
    with pytest.raises(InvalidInputError, match="people"):
        parse_people(wrong)  # type: ignore[arg-type]


def test_the_hook_follows_the_setting_for_denials(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How many denials deny, at which share, and from which score on."""
    with erstwhile.open(db, embedder="none") as memory:
        say(memory, "deny", "npm publish --tag next")
    event = b'{"tool_name": "Bash", "tool_input": {"command": "npm publish --tag next -v"}}'
    for setting, expected in (
        ("1 denial", "deny"), ("2 denials", "ask"), ("share 0.6, floor 1", "ask"),
    ):  # fmt: skip
        monkeypatch.setenv("ERSTWHILE_DENIALS", setting)
        assert f'"{expected}"' in run("hook", "pre-tool-use", typed=event).out
        with erstwhile.open(db, embedder="none") as memory:
            advice = memory.decisions.advise(call("npm publish --tag next -v"))
            assert advice.suggestion == expected


@pytest.mark.parametrize("wrong", ["", "3", "1 denial, 2 denials", "share 2", "0 denials", "x", 7])
def test_an_unclear_setting_for_denials_is_refused(wrong: object) -> None:
    with pytest.raises(InvalidInputError):
        Settings(denials=wrong)  # type: ignore[arg-type]
