"""Attacks on the files of a memory: wide permissions, addresses, mistyped names, damage."""

from __future__ import annotations

import os
import random
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

import erstwhile
from erstwhile.core.settings import Settings
from erstwhile.engines.sqlite.location import read_location
from tests.attacks.test_decisions import call, say
from tests.cli.shell import run
from tests.engines.processes import outcome

PLAIN = Settings(embedder="none")


def made(file: Path, *texts: str) -> Path:
    with erstwhile.open(file, settings=PLAIN) as memory:
        for text in texts or ("kept well",):
            memory.remember(text)
    return file


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def texts(location: str | Path) -> list[str]:
    with erstwhile.open(location, settings=PLAIN) as memory:
        return [fact.text for fact in memory.facts.list()]


class TestRights:
    @pytest.mark.parametrize("wide", [0o644, 0o660, 0o666, 0o604])
    def test_rights_of_others_end_when_the_file_is_opened(self, tmp_path: Path, wide: int) -> None:
        file = made(tmp_path / "memory.db")
        file.chmod(wide)
        assert texts(file) == ["kept well"]
        assert mode(file) == 0o600

    @pytest.mark.parametrize("content", [b"", b"x"])
    def test_a_file_in_which_a_memory_begins_is_tightened(
        self, tmp_path: Path, content: bytes
    ) -> None:
        """SQLite takes a single byte for none."""
        file = tmp_path / "new.db"
        file.write_bytes(content)
        file.chmod(0o664)
        erstwhile.open(file).remember("x")
        assert file.stat().st_mode & 0o777 == 0o600

    def test_a_file_that_is_no_database_keeps_its_rights(self, tmp_path: Path) -> None:
        file = tmp_path / "passwd"
        file.write_text("root:x:0:0\n" * 100, "utf-8")
        file.chmod(0o644)
        with pytest.raises(erstwhile.ErstwhileError):
            erstwhile.open(file).remember("x")
        assert file.stat().st_mode & 0o777 == 0o644

    def test_the_log_and_its_index_are_tightened_too(self, tmp_path: Path) -> None:
        file = tmp_path / "memory.db"
        with erstwhile.open(file, settings=PLAIN) as memory:
            memory.remember("in the log")
            for path in tmp_path.iterdir():
                path.chmod(0o666)
            with erstwhile.open(file, settings=PLAIN):
                assert {path.name: mode(path) for path in tmp_path.iterdir()} == {
                    "memory.db": 0o600,
                    "memory.db-wal": 0o600,
                    "memory.db-shm": 0o600,
                }

    def test_a_link_is_followed_to_the_file_and_its_log(self, tmp_path: Path) -> None:
        (tmp_path / "real").mkdir()
        file = made(tmp_path / "real" / "memory.db")
        file.chmod(0o644)
        (tmp_path / "link.db").symlink_to(file)
        assert texts(tmp_path / "link.db") == ["kept well"]
        assert mode(file) == 0o600

    def test_opening_a_file_twice_keeps_the_locks_of_the_process(self, tmp_path: Path) -> None:
        """Closing any descriptor of a file releases all locks of its process on it."""
        file = tmp_path / "memory.db"
        with erstwhile.open(file, settings=PLAIN) as memory:
            memory.remember("one")
            before = locks_on(file)
            erstwhile.open(file, settings=PLAIN).close()
            assert before
            assert locks_on(file) == before


def locks_on(file: Path) -> set[str]:
    """Return the locks that this process holds on a file, as Linux lists them."""
    listing = Path("/proc/locks")
    if not listing.exists():
        pytest.skip("the system does not list locks")
    inode = f":{file.stat().st_ino} "
    return {
        line.split(":", 1)[1]
        for line in listing.read_text().splitlines()
        if inode in line and f" {os.getpid()} " in line
    }


class TestReadingOnly:
    @pytest.mark.parametrize(
        "form", ["file:{}?mode=ro", "file://{}?mode=ro", "file:{}?immutable=1"]
    )
    def test_reading_works_and_changes_nothing(self, tmp_path: Path, form: str) -> None:
        file = made(tmp_path / "memory.db")
        file.chmod(0o644)
        before = file.read_bytes()
        with erstwhile.open(form.format(file), settings=PLAIN) as memory:
            assert [fact.text for fact in memory.facts.list()] == ["kept well"]
            assert memory.recall("what is kept?")
            assert "kept well" in memory.context("what is kept?", 1_000).text
            assert memory.audit.verify().ok
        assert (file.read_bytes(), mode(file)) == (before, 0o644)
        assert [path.name for path in tmp_path.iterdir()] == ["memory.db"]

    def test_every_change_is_refused_with_a_typed_error(self, tmp_path: Path) -> None:
        file = made(tmp_path / "memory.db")
        with erstwhile.open(f"file:{file}?mode=ro", settings=PLAIN) as memory:
            fact = memory.facts.list()[0]
            changes: list[Callable[[], object]] = [
                lambda: memory.remember("more"),
                lambda: memory.facts.delete(fact.id),
                lambda: memory.facts.erase(fact.id),
                lambda: memory.conversations.start(),
            ]
            for change in changes:
                with pytest.raises(erstwhile.ReadOnlyError, match="mode=ro"):
                    change()

    def test_a_reader_sees_what_a_writer_stores_meanwhile(self, tmp_path: Path) -> None:
        """Also while the newest facts are in the log, and after it was moved into the file."""
        file = made(tmp_path / "memory.db", "one")
        with erstwhile.open(f"file:{file}?mode=ro", settings=PLAIN) as reader:
            assert reader.facts.count() == 1
            with erstwhile.open(file, settings=PLAIN) as writer:
                writer.remember("two")
                assert reader.facts.count() == 2
            assert reader.facts.count() == 2

    def test_files_that_a_user_may_only_read(self) -> None:
        """A file of one's own, a folder, a file of another user; the fourth may be written."""
        with tempfile.TemporaryDirectory() as folder:
            told = outcome("read_only", folder)
        read = [["kept well"], "ReadOnlyError", []]
        assert told["read-only.db"] == read
        assert told["kept/inside.db"] == read
        if os.geteuid() == 0:  # else they are files of our own
            assert told["foreign.db"] == read
            kind, remedy, _ = told["wide.db"]
            assert kind == "RefusedError"
            assert "chmod 600" in remedy

    def test_an_empty_file_is_no_memory_to_read(self, tmp_path: Path) -> None:
        (tmp_path / "memory.db").touch()
        with pytest.raises(erstwhile.ReadOnlyError, match="open it once"):
            erstwhile.open(f"file:{tmp_path / 'memory.db'}?mode=ro", settings=PLAIN)

    def test_a_copy_can_be_made_of_a_memory_that_is_only_read(self, tmp_path: Path) -> None:
        file = made(tmp_path / "memory.db")
        erstwhile.copy(f"file:{file}?mode=ro", tmp_path / "copy.db", settings=PLAIN)
        assert texts(tmp_path / "copy.db") == ["kept well"]


class TestAddresses:
    @pytest.mark.parametrize(
        "address",
        ["file:memory.db", "file:{}/memory.db", "file://{}/memory.db", "file://localhost{}/memory.db",
         "file:{}/mem%6Fry.db?mode=rw", "file:memory.db?mode=rwc#part"],
    )  # fmt: skip
    def test_an_address_means_the_file_that_sqlite_means(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
    ) -> None:
        monkeypatch.chdir(tmp_path)
        made(tmp_path / "memory.db")
        written = address.format(tmp_path)
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI
        assert apsw.Connection(written, flags).filename == read_location(written).path
        assert texts(written) == ["kept well"]
        assert [path.name for path in tmp_path.iterdir()] == ["memory.db"]

    @pytest.mark.parametrize("mode", ["ro", "rw"])
    def test_a_missing_file_is_not_created(self, tmp_path: Path, mode: str) -> None:
        with pytest.raises(erstwhile.NotFoundError, match="check the path"):
            erstwhile.open(f"file:{tmp_path}/inner/memory.db?mode={mode}")
        assert not list(tmp_path.iterdir())

    def test_a_memory_in_memory_has_an_address_too(self, tmp_path: Path) -> None:
        with erstwhile.open(f"file:{tmp_path}/x.db?mode=memory", settings=PLAIN) as memory:
            memory.remember("gone when closed")
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize("address", ["file://host/a.db", "file:a?mode=x", "file:a?vfs=y"])
    def test_what_cannot_be_kept_is_refused(self, address: str) -> None:
        with pytest.raises(erstwhile.InvalidInputError):
            erstwhile.open(address)


class TestMistypedNames:
    @pytest.mark.parametrize(
        "words",
        [("recall", "x"), ("facts", "list"), ("stats",), ("context", "x"), ("tasks", "claim-due")],
        ids=" ".join,
    )
    def test_a_reading_command_creates_no_file(
        self, tmp_path: Path, words: tuple[str, ...]
    ) -> None:
        ended = run("--db", str(tmp_path / "agnet.db"), *words)
        assert ended.code == 3
        assert "agnet.db" in ended.error["message"]
        assert "erstwhile remember" in ended.error["remedy"]
        assert not list(tmp_path.iterdir())

    def test_a_command_that_stores_something_new_creates_it(self, tmp_path: Path) -> None:
        assert run("--db", str(tmp_path / "new.db"), "remember", "Ana likes tea").code == 0


DEEP = "'" + "[" * 100_000 + "]" * 100_000 + "'"
"""JSON that is nested too deeply to be read."""
DAMAGE = [
    ("facts", "kind", "'rumour'"),
    ("facts", "metadata", "'{\"a\":'"),
    ("facts", "entities", "'[1'"),
    ("messages", "role", "'nobody'"),
    ("messages", "said_at", "-9000000000000000000"),
    ("decisions", "input", "'{'"),
    ("facts", "metadata", DEEP),
    ("facts", "entities", DEEP),
    ("decisions", "input", DEEP),
    ("decisions", "options", DEEP),
    ("lessons", "created_at", "9000000000000000000"),
]


class TestDamage:
    @pytest.mark.parametrize(("table", "column", "value"), DAMAGE)
    def test_a_damaged_row_is_a_typed_error_that_names_the_record(
        self, tmp_path: Path, table: str, column: str, value: str
    ) -> None:
        file = tmp_path / "memory.db"
        with erstwhile.open(file, settings=PLAIN) as memory:
            ids = filled(memory)
        connection = apsw.Connection(str(file))
        connection.execute("PRAGMA ignore_check_constraints=ON")
        connection.execute(f"UPDATE {table} SET {column} = {value}").fetchall()  # noqa: S608
        connection.close()
        with (
            erstwhile.open(file, settings=PLAIN, learners=0) as memory,
            pytest.raises(erstwhile.CorruptError) as told,
        ):
            read(memory, table, ids)
        assert ids[table] in str(told.value)

    @pytest.mark.parametrize("value", ["{", "[" * 100_000])
    def test_advice_names_a_damaged_decision(self, tmp_path: Path, value: str) -> None:
        """A denial that cannot be read is told, and a person is asked."""
        file = tmp_path / "memory.db"
        with erstwhile.open(file, settings=PLAIN) as memory:
            said = say(memory, "deny", "npm publish")
        connection = apsw.Connection(str(file))
        connection.execute("UPDATE decisions SET input = ?", (value,)).fetchall()
        connection.close()
        with (
            erstwhile.open(file, settings=PLAIN, learners=0) as memory,
            pytest.warns(RuntimeWarning, match=f"{said.id} is damaged"),
        ):
            advice = memory.decisions.advise(call("npm publish --tag next"))
        assert (advice.suggestion, "damaged" in advice.reason) == ("ask", True)

    @pytest.mark.parametrize("seed", range(12))
    def test_flipped_bits_are_typed_errors(self, tmp_path: Path, seed: int) -> None:
        file, choose = tmp_path / "memory.db", random.Random(seed)
        with erstwhile.open(file, settings=PLAIN) as memory:
            ids = filled(memory)
        damaged = bytearray(file.read_bytes())
        used = [place for place in range(100, len(damaged)) if damaged[place]]
        for place in choose.sample(used, 24):
            damaged[place] ^= 1 << choose.randrange(8)
        file.write_bytes(damaged)
        with (
            suppress(erstwhile.ErstwhileError),  # it may be impossible to open or to close it
            erstwhile.open(file, settings=PLAIN, learners=0) as memory,
        ):
            for table in ids:
                with suppress(erstwhile.ErstwhileError):
                    read(memory, table, ids)


def filled(memory: erstwhile.Memory) -> dict[str, str]:
    """Fill a memory, and return the id of one record of each table."""
    fact = memory.remember("Ana lives in Lisbon", entities=["Ana"], metadata={"a": [1]})
    conversation = memory.conversations.start()
    message = memory.conversations.add("user", "hello", conversation=conversation.id)
    decision = memory.decisions.record(
        erstwhile.Decision(goal="g", tool="bash", input={"command": "ls"}, choice="allow")
    )
    return {
        "facts": fact.id,
        "messages": message.id,
        "decisions": decision.id,
        "lessons": memory.lessons.add("tests", "Run the tests first").id,
        "conversation": conversation.id,
    }


def read(memory: erstwhile.Memory, table: str, ids: dict[str, str]) -> None:
    match table:
        case "facts":
            memory.facts.list(state="any")
        case "messages":
            memory.conversations.messages(ids["conversation"])
        case "decisions":
            memory.decisions.get(ids["decisions"])
        case "lessons":
            memory.lessons.list()
        case _:
            memory.recall("where does Ana live?")
            memory.audit.verify()
            memory.remember("one more")
