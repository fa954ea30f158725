"""Settings: from the caller, else the environment, else the file, else the default."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import erstwhile
from erstwhile import InvalidInputError, Settings
from erstwhile.core import settings
from erstwhile.core.policies import Policy, parse_learning
from erstwhile.core.settings import config_file, load_settings
from erstwhile.testing.clock import FakeClock


@pytest.fixture(autouse=True)
def no_embedder_said(monkeypatch: pytest.MonkeyPatch, nobodys_settings: None) -> None:  # noqa: ARG001
    """Restore the default embedder: other tests run without one."""
    monkeypatch.delenv("ERSTWHILE_EMBEDDER")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create an empty settings file that the environment names."""
    place = tmp_path / "erstwhile.toml"
    place.touch()
    monkeypatch.setenv("ERSTWHILE_CONFIG", str(place))
    return place


def test_the_defaults() -> None:
    settings = load_settings()
    assert settings == Settings()
    assert (settings.synchronous, settings.busy_timeout) == ("FULL", 10.0)
    assert settings.location.endswith("memory.db")


def test_each_source_goes_before_the_next(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings().user is None
    file.write_text('user = "from the file"')
    assert load_settings().user == "from the file"
    monkeypatch.setenv("ERSTWHILE_USER", "from the environment")
    assert load_settings().user == "from the environment"
    assert load_settings(user="from the caller").user == "from the caller"
    assert load_settings(user=None).user == "from the environment"


@pytest.mark.parametrize("field", [field.name for field in fields(Settings)])
def test_every_setting_has_an_environment_variable(
    monkeypatch: pytest.MonkeyPatch, field: str
) -> None:
    """An empty variable counts as not set."""
    special = {"busy_timeout": "2.5", "synchronous": "NORMAL", "embedder": "hashing", "pii": "hold"}
    special |= {"connections": "3", "statement_timeout": "4.5", "idle_minutes": "30.5"}
    special |= {"llm": "openai:gpt-4o-mini", "llm_url": "http://localhost:11434/v1"}
    special |= {"daily_limit": "200000 tokens", "denials": "2 denials"}
    special |= {"retention": "messages 1 year", "key": "env:AGENT_KEY", "secrets": "warn, keep jwt"}
    special |= {"reranker": "minilm"}
    special |= {"learning": "verify false, facts_per_turn 5"}
    value = special.get(field, "x")
    monkeypatch.setenv(f"ERSTWHILE_{field.upper()}", value)
    assert str(getattr(load_settings(), field)) == value
    monkeypatch.setenv(f"ERSTWHILE_{field.upper()}", "")
    assert load_settings() == Settings()


def test_the_file_may_set_everything(file: Path) -> None:
    file.write_text('db = "a.db"\nuser = "ana"\nsynchronous = "NORMAL"\nbusy_timeout = 3\n')
    assert load_settings() == Settings(
        db="a.db", user="ana", synchronous="NORMAL", busy_timeout=3.0
    )
    assert load_settings().location == "a.db"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("colour = 'red'", "colour"),
        ("usr = 'ana'\ndbb = 'x'", "dbb, usr"),
        ("user = ", "cannot be read"),
        (b"user = '\xff'", "cannot be read"),
        ("synchronous = 'OFF'", "OFF"),
        ("pii = 'hide'", "hide"),
        ("secrets = 'hide'", "hide"),
        ("secrets = 'warn, refuse'", "names two treatments"),
        ("secrets = 'keep'", "keep RULE"),
        ("synchronous = 'full'", "full"),
        ("busy_timeout = 'long'", "busy_timeout"),
        ("busy_timeout = -1", "busy_timeout"),
        ("busy_timeout = 3601", "busy_timeout"),
        ("busy_timeout = nan", "busy_timeout"),
        ("busy_timeout = [1]", "busy_timeout"),
        ("idle_minutes = 0", "idle_minutes"),
        ("idle_minutes = nan", "idle_minutes"),
        ("idle_minutes = 'long'", "idle_minutes"),
        ("idle_minutes = 600000", "idle_minutes"),
        ("connections = 0", "connections"),
        ("connections = 'many'", "connections"),
        ("statement_timeout = 0", "statement_timeout"),
        ("space = ''", "space"),
        ("llm = 'gpt-4o'", "openai:MODEL"),
        ("llm = 'openai:'", "openai:MODEL"),
        ("llm = 5", "openai:MODEL"),
        ("llm_url = 'localhost:11434'", "llm_url"),
        ("llm_url = 5", "llm_url"),
        ("daily_limit = 'lots'", "daily_limit"),
        ("daily_limit = 5", "daily_limit"),
        ("db = 5", "db"),
        ("user = 5", "user"),
        ("agent = ['a']", "agent"),
        ("project = ''", "project"),
        ("session = ' x'", "session"),
    ],
)
def test_a_wrong_file_is_refused(file: Path, text: str | bytes, said: str) -> None:
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InvalidInputError, match=said):
        load_settings()


def test_a_named_file_must_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A typing mistake must be noticed; `~` is the home folder."""
    monkeypatch.setenv("ERSTWHILE_CONFIG", str(tmp_path / "nowhere.toml"))
    with pytest.raises(InvalidInputError, match="nowhere"):
        load_settings()
    monkeypatch.setenv("ERSTWHILE_CONFIG", "~/settings.toml")
    assert config_file() == Path.home() / "settings.toml"


def test_no_file_is_fine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ERSTWHILE_CONFIG")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert config_file().name == "config.toml"
    assert load_settings() == Settings()


@pytest.mark.parametrize("value", ["x", "-0.1", "inf", "nan", "3600.1"])
def test_a_wrong_environment_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("ERSTWHILE_BUSY_TIMEOUT", value)
    with pytest.raises(InvalidInputError, match="busy_timeout"):
        load_settings()


def test_an_unknown_setting_of_the_caller_is_a_type_error() -> None:
    unknown: dict[str, Any] = {"colour": "red"}
    with pytest.raises(TypeError, match="colour"):
        load_settings(**unknown)


def test_retention_may_be_a_table_of_the_file(file: Path) -> None:
    file.write_text('[retention]\nmessages = "1 year"\nusage = ["90 days", 1000]\n')
    assert load_settings().retention == "messages 1 year, usage 90 days, usage 1000"


def test_learning_may_be_a_table_of_the_file(file: Path) -> None:
    file.write_text("[learning]\nverify = false\nfacts_per_turn = 1\n")
    found = parse_learning(load_settings().learning)
    assert found == Policy(verify=False, facts_per_turn=1)
    assert found.facts_per_turn is not True


@pytest.mark.parametrize(
    "wrong",
    [
        "verify",
        "verify maybe",
        "facts_per_turn 0",
        "other_characters -1",
        "profile 5",
        "salience on, salience on",
        5,
    ],
)
def test_a_wrong_setting_of_learning_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidInputError, match="learning is not understood"):
        Settings(learning=wrong)


def test_there_are_few_settings_and_each_is_explained() -> None:
    assert len(fields(Settings)) <= 28
    lines = Path(settings.__file__).read_text("utf-8").splitlines()
    for field in fields(Settings):
        place = next(n for n, line in enumerate(lines) if line.startswith(f"    {field.name}: "))
        assert lines[place + 1].startswith('    """'), field.name


def test_open_uses_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERSTWHILE_DB", str(tmp_path / "from settings.db"))
    erstwhile.open().close()
    erstwhile.open(tmp_path / "given.db").close()
    with erstwhile.open(settings=Settings(db=str(tmp_path / "own.db"))) as memory:
        memory.remember("x")
    assert {each.name for each in tmp_path.glob("*.db")} == {
        "from settings.db", "given.db", "own.db",
    }  # fmt: skip


@pytest.mark.parametrize(
    "place",
    ["", " ", "a\0b", "a\ud800.db", b"a.db", "mysql://host/db", "sqlite://x"],
    ids=ascii,
)
def test_open_refuses_what_is_no_place(place: Any) -> None:
    with pytest.raises(InvalidInputError):
        erstwhile.open(place)


def test_a_memory_that_is_opened_waits_as_long_as_the_settings_say() -> None:
    clock = FakeClock()
    settings = Settings(idle_minutes=5, embedder="none")
    with erstwhile.open(":memory:", settings=settings, clock=clock) as memory:
        first = memory.scoped(user="ana").conversations.current()
        clock.advance(minutes=5)
        assert memory.scoped(user="ana").conversations.current().id == first.id
        clock.advance(seconds=1)
        assert memory.scoped(user="ana").conversations.current().id != first.id
