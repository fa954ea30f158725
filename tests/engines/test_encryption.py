"""Encrypted files. Most tests need apsw-sqlite3mc in the place of apsw: `scripts/test` has it."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import apsw
import pytest

import erstwhile
from erstwhile import Settings
from erstwhile.core.settings import read_key
from erstwhile.engines.sqlite.connection import PAGE
from erstwhile.engines.sqlite.encryption import set_key

WORDS = "Quixle keeps a secret boat"
encrypting = pytest.mark.skipif(
    not hasattr(apsw, "mc_version"), reason="this apsw cannot encrypt; apsw-sqlite3mc can"
)


@pytest.fixture
def keys(tmp_path: Path) -> list[str]:
    """Return the places of two keys, one with a quote in it."""
    places = []
    for number, key in enumerate(("it's a first key", "a second key")):
        file = tmp_path / f"{number}.key"
        file.write_text(key)
        file.chmod(0o600)
        places.append(f"file:{file}")
    return places


def settings(path: Path, key: str = "") -> Settings:
    return Settings(db=str(path), key=key, embedder="none")


def store(path: Path, key: str = "") -> None:
    with erstwhile.open(settings=settings(path, key)) as memory:
        memory.remember(WORDS, tags=["Quixle"])
        memory.conversations.add("user", "Quixle " * 3000)
        on_disk(path, encrypted=bool(key))  # while the log is there


def read(path: Path, key: str = "") -> list[str]:
    with erstwhile.open(settings=settings(path, key), create=False) as memory:
        return [hit.fact.text for hit in memory.recall("secret boat")]


def on_disk(path: Path, *, encrypted: bool) -> None:
    """Check the bytes of the file and of every file beside it."""
    beside = [file for file in path.parent.iterdir() if file.name.startswith(path.name)]
    found = any(b"uixle" in file.read_bytes() for file in beside)
    assert found is not encrypted


@encrypting
def test_rights_of_others_end_when_an_encrypted_file_is_opened(
    tmp_path: Path, keys: list[str]
) -> None:
    path = tmp_path / "memory.db"
    store(path, keys[0])
    path.chmod(0o644)
    read(path, keys[0])
    assert path.stat().st_mode & 0o777 == 0o600


@encrypting
def test_no_plain_text_is_on_the_disk(tmp_path: Path, keys: list[str]) -> None:
    """Neither in the file, nor in its log, nor in a backup."""
    path = tmp_path / "memory.db"
    store(path, keys[0])
    assert read(path, keys[0]) == [WORDS]
    on_disk(path, encrypted=True)
    made = erstwhile.backup(path, tmp_path / "backups", settings=settings(path, keys[0]))
    on_disk(Path(made.path), encrypted=True)
    assert erstwhile.doctor(path, models=False, settings=settings(path, keys[0])).ok


@encrypting
def test_a_wrong_or_missing_key_is_a_clear_error(tmp_path: Path, keys: list[str]) -> None:
    path, plain = tmp_path / "memory.db", tmp_path / "plain.db"
    store(path, keys[0])
    store(plain)
    with pytest.raises(erstwhile.WrongKeyError, match="does not fit"):
        read(path, keys[1])
    with pytest.raises(erstwhile.KeyMissingError, match="is encrypted"):
        read(path)
    with pytest.raises(erstwhile.WrongKeyError, match="is not encrypted"):
        read(plain, keys[0])
    assert read(path, keys[0]) == [WORDS]


@encrypting
def test_a_file_is_encrypted_gets_another_key_and_is_decrypted(
    tmp_path: Path, keys: list[str]
) -> None:
    path = tmp_path / "memory.db"
    store(path)
    erstwhile.rekey(path, new_key=keys[0])
    on_disk(path, encrypted=True)
    assert read(path, keys[0]) == [WORDS]
    erstwhile.rekey(path, old_key=keys[0], new_key=keys[1])
    assert read(path, keys[1]) == [WORDS]
    with pytest.raises(erstwhile.WrongKeyError):
        read(path, keys[0])
    erstwhile.rekey(path, old_key=keys[1])
    on_disk(path, encrypted=False)
    assert read(path) == [WORDS]


@encrypting
def test_the_old_file_stays_if_the_new_one_fails(
    tmp_path: Path, keys: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "memory.db"
    store(path)
    with monkeypatch.context() as patch:
        patch.setattr("erstwhile.operations.store.verify", _damaged)
        with pytest.raises(erstwhile.CorruptError):
            erstwhile.rekey(path, new_key=keys[0])
    assert read(path) == [WORDS]
    with erstwhile.open(settings=settings(path)), pytest.raises(erstwhile.BusyError):
        erstwhile.rekey(path, new_key=keys[0])
    assert [file.name for file in tmp_path.glob("*.rekeyed")] == []


@encrypting
def test_an_encrypted_file_is_restored_copied_and_repaired(tmp_path: Path, keys: list[str]) -> None:
    path, used = tmp_path / "memory.db", settings(tmp_path / "memory.db", keys[0])
    store(path, keys[0])
    made = erstwhile.backup(path, tmp_path / "backups", settings=used)
    erstwhile.restore(made.path, tmp_path / "restored.db", settings=used)
    erstwhile.copy(path, tmp_path / "copied.db", settings=used)
    assert erstwhile.repair(path, into=tmp_path / "recovered.db", settings=used).ok
    for name in ("restored.db", "copied.db", "recovered.db"):
        on_disk(tmp_path / name, encrypted=True)
        assert read(tmp_path / name, keys[0]) == [WORDS]


@pytest.mark.skipif(hasattr(apsw, "mc_version"), reason="this apsw can encrypt")
def test_without_the_package_a_key_is_refused(tmp_path: Path, keys: list[str]) -> None:
    with pytest.raises(erstwhile.InvalidInputError, match="apsw-sqlite3mc"):
        store(tmp_path / "memory.db", keys[0])


def test_a_key_comes_from_a_file_a_variable_or_the_keyring(
    tmp_path: Path, keys: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENT_KEY", "from a variable")
    ring = SimpleNamespace(get_password=lambda service, name: f"{service}, {name}")
    monkeypatch.setitem(sys.modules, "keyring", ring)
    assert read_key(keys[0]) == "it's a first key"
    assert read_key("env:AGENT_KEY") == "from a variable"
    assert read_key("keyring:agents/shop") == "agents, shop"
    assert read_key("") == ""
    for missing in ("env:NO_SUCH_KEY", f"file:{tmp_path / 'none'}"):
        with pytest.raises(erstwhile.KeyMissingError):
            read_key(missing)
    (tmp_path / "0.key").chmod(0o644)
    with pytest.raises(erstwhile.RefusedError, match="other users"):
        read_key(keys[0])
    with pytest.raises(erstwhile.InvalidInputError):
        Settings(key="the key itself")


def _damaged(_path: Path, _key: str) -> None:
    raise erstwhile.CorruptError("the copy is damaged")


@encrypting
def test_backups_of_an_encrypted_memory_are_encrypted(tmp_path: Path, keys: list[str]) -> None:
    """They are rotated, restored and saved with the same key, and with no other."""
    path, folder = tmp_path / "a.db", tmp_path / "backups"
    mine = settings(path, keys[0])
    store(path, keys[0])
    first = erstwhile.backup(path, folder, settings=mine)
    second = erstwhile.backup(path, folder, settings=mine, keep=1)
    assert second.removed == (first.path,)
    on_disk(Path(second.path), encrypted=True)
    for other, error in (("", erstwhile.KeyMissingError), (keys[1], erstwhile.WrongKeyError)):
        with pytest.raises(error):
            erstwhile.restore(second.path, tmp_path / "b.db", settings=settings(path, other))
        assert not (tmp_path / "b.db").exists()
    restored = erstwhile.restore(second.path, path, settings=mine, overwrite=True)
    assert restored.saved is not None
    on_disk(Path(restored.saved), encrypted=True)
    assert read(path, keys[0]) == [WORDS]
    erstwhile.rekey(path, old_key=keys[0], new_key=keys[1])
    third = erstwhile.backup(path, folder, settings=settings(path, keys[1]), keep=1)
    assert third.removed == (), "a backup with another key cannot be compared"
    erstwhile.repair(path, into=tmp_path / "new.db", settings=settings(path, keys[1]))
    on_disk(tmp_path / "new.db", encrypted=True)


@encrypting
def test_a_changed_byte_of_an_encrypted_file_never_changes_an_answer(
    tmp_path: Path, keys: list[str]
) -> None:
    path, copy = tmp_path / "memory.db", tmp_path / "copy.db"
    store(path, keys[0])
    content, answers = path.read_bytes(), list[list[str]]()
    changed = range(PAGE + 2000, len(content), 16 * PAGE)  # in some pages
    for place in changed:
        damaged = bytearray(content)
        damaged[place] ^= 1
        copy.write_bytes(damaged)
        with suppress(erstwhile.CorruptError):
            answers.append(read(copy, keys[0]))
    assert all(answer == [WORDS] for answer in answers)
    assert len(answers) < len(changed)


_KILLED = """
import os, signal, sys
import erstwhile
from erstwhile.operations import store
store.verify = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
erstwhile.rekey(sys.argv[1], old_key=sys.argv[2])
"""


@encrypting
def test_the_next_opening_removes_what_a_killed_decryption_left(
    tmp_path: Path, keys: list[str]
) -> None:
    path = tmp_path / "memory.db"
    store(path, keys[0])
    subprocess.run([sys.executable, "-c", _KILLED, str(path), keys[0]], check=False)
    on_disk(path, encrypted=False)
    assert read(path, keys[0]) == [WORDS]
    on_disk(path, encrypted=True)


_OPENER = """
import sys, time
import erstwhile
from erstwhile import Settings
print("begins", flush=True)
end = time.monotonic() + 20
while time.monotonic() < end:
    for key in sys.argv[2:]:
        try:
            used = Settings(db=sys.argv[1], key=key, embedder="none")
            with erstwhile.open(settings=used, create=False) as memory:
                memory.remember("Written meanwhile")
            print("stored", flush=True)
            sys.exit()
        except (erstwhile.BusyError, erstwhile.KeyMissingError, erstwhile.WrongKeyError):
            continue
"""


@encrypting
@pytest.mark.parametrize("encrypted", [False, True])
def test_a_program_that_waits_for_the_file_gets_the_new_one(
    tmp_path: Path, keys: list[str], monkeypatch: pytest.MonkeyPatch, encrypted: bool
) -> None:
    """It has the old file open, and would put its log beside the new one."""
    path, old = tmp_path / "memory.db", keys[0] if encrypted else ""
    store(path, old)
    replace, waiting = Path.replace, list[subprocess.Popen[str]]()

    def slowly(self: Path, target: Path) -> Path:
        command = [sys.executable, "-c", _OPENER, str(path), old, keys[1]]
        waiting.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        assert waiting[0].stdout is not None
        assert waiting[0].stdout.readline() == "begins\n"
        time.sleep(0.5)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", slowly)
    erstwhile.rekey(path, old_key=old, new_key=keys[1])
    assert waiting[0].communicate(timeout=30)[0] == "stored\n"
    assert erstwhile.doctor(path, models=False, settings=settings(path, keys[1])).ok
    with erstwhile.open(settings=settings(path, keys[1]), create=False) as memory:
        assert {fact.text for fact in memory.facts.list()} == {WORDS, "Written meanwhile"}


@encrypting
def test_a_file_that_needs_no_change_is_told_apart(tmp_path: Path, keys: list[str]) -> None:
    path, plain = tmp_path / "memory.db", tmp_path / "plain.db"
    store(path, keys[0])
    store(plain)
    before = path.read_bytes(), plain.read_bytes()
    with pytest.raises(erstwhile.ConflictError, match="is already encrypted"):
        erstwhile.rekey(path, new_key=keys[1])
    with pytest.raises(erstwhile.ConflictError, match="is not encrypted"):
        erstwhile.rekey(plain, old_key=keys[0])
    with pytest.raises(erstwhile.InvalidInputError, match="is not encrypted"):
        erstwhile.rekey(plain)
    with pytest.raises(erstwhile.KeyMissingError, match="is encrypted"):
        erstwhile.rekey(path)
    with pytest.raises(erstwhile.WrongKeyError, match="is not encrypted"):
        erstwhile.rekey(plain, old_key=keys[0], new_key=keys[1])
    assert (path.read_bytes(), plain.read_bytes()) == before


@encrypting
def test_a_wrong_key_of_a_repair_names_the_file(tmp_path: Path, keys: list[str]) -> None:
    path = tmp_path / "memory.db"
    store(path, keys[0])
    with pytest.raises(erstwhile.WrongKeyError, match=f"does not fit {path}:"):
        erstwhile.repair(path, into=tmp_path / "new.db", settings=settings(path, keys[1]))
    with pytest.raises(erstwhile.KeyMissingError, match=f"{path} is encrypted"):
        erstwhile.repair(path, into=tmp_path / "new.db", settings=settings(path))
    assert not list(tmp_path.glob("new.db*"))


@encrypting
def test_an_encrypted_file_is_recovered_around_its_damage(tmp_path: Path, keys: list[str]) -> None:
    """Below a damaged inner page, rows are found by their form. A damaged schema is made anew."""
    path, used = tmp_path / "memory.db", settings(tmp_path / "memory.db", keys[0])
    with erstwhile.open(settings=used) as memory:
        memory.remember_many(f"Quixle has boat number {number}" for number in range(100))
    connection = apsw.Connection(str(path))
    set_key(connection, "key", read_key(keys[0]))
    pages = [
        *connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'facts'"),
        *connection.execute("SELECT MAX(pageno) FROM dbstat WHERE name = 'sqlite_schema'"),
    ]
    connection.close()
    content = bytearray(path.read_bytes())
    for (page,) in pages:
        content[int(str(page)) * PAGE - PAGE : int(str(page)) * PAGE] = bytes(PAGE)
    path.write_bytes(content)
    done = erstwhile.repair(path, into=tmp_path / "new.db", settings=used)
    assert done.ok
    assert path.read_bytes() == content
    on_disk(tmp_path / "new.db", encrypted=True)
    with erstwhile.open(settings=settings(tmp_path / "new.db", keys[0])) as memory:
        assert len(memory.facts.list(limit=200)) == 100
