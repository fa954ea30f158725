"""The tokens: what their file holds, who may read it, and when one ends."""

from __future__ import annotations

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import erstwhile
from erstwhile.core.scope import Scope
from erstwhile.servers.tokens import (
    Right,
    Spaces,
    TokenFile,
    read_mounted_secret,
    store_name,
    write_secret_file,
)


@pytest.fixture
def tokens(tmp_path: Path) -> TokenFile:
    return TokenFile(tmp_path / "below" / "tokens")


def test_the_file_is_private_and_has_no_token(tokens: TokenFile) -> None:
    made = tokens.make("shop", Scope(user="ana"))
    assert stat.S_IMODE(tokens.file.stat().st_mode) == 0o600
    assert stat.S_IMODE(tokens.file.parent.stat().st_mode) == 0o700
    assert made.secret.removeprefix("erstwhile_") not in tokens.file.read_text("utf-8")
    assert tokens.find(made.secret) == made.token


def test_a_token_is_read_back_as_it_was_made(tokens: TokenFile) -> None:
    expires = datetime(2200, 1, 1, tzinfo=UTC)
    more: dict[str, Any] = {"right": Right.ADMIN, "person": True, "expires_at": expires}
    made = tokens.make("shop", Scope(user="ana", project="x"), space="tenant", **more)
    [found] = TokenFile(tokens.file).tokens()
    assert found == made.token
    assert (found.space, found.right, found.person) == ("tenant", Right.ADMIN, True)
    assert (found.expires_at, found.id) == (expires, found.digest[:12])


@pytest.mark.parametrize(
    ("held", "allowed"),
    [("read", {"read"}), ("write", {"read", "write"}), ("admin", {"read", "write", "admin"})],
)
def test_each_right_has_those_before_it(tokens: TokenFile, held: str, allowed: set[str]) -> None:
    token = tokens.make("shop", right=Right(held)).token
    assert {right.value for right in Right if token.may(right)} == allowed


def test_a_revoked_token_is_gone_for_every_reader_at_once(tokens: TokenFile) -> None:
    """Also for a process that has read the file before."""
    other = TokenFile(tokens.file)
    first, second = tokens.make("one"), tokens.make("two")
    assert other.find(first.secret)
    assert other.find(second.secret)
    assert tokens.revoke(first.token.id[:8]) == first.token
    assert other.find(first.secret) is None
    assert other.find(second.secret) == second.token
    assert tokens.revoke("two") == second.token
    assert other.tokens() == []


def test_a_token_ends_at_its_time(tokens: TokenFile) -> None:
    now = datetime.now(UTC)
    over = tokens.make("old", expires_at=now - timedelta(seconds=1))
    later = tokens.make("new", expires_at=now + timedelta(hours=1))
    assert tokens.find(over.secret) is None
    assert tokens.find(later.secret) == later.token
    assert [each.name for each in tokens.tokens()] == ["old", "new"]


def test_what_is_revoked_must_be_one_token(tokens: TokenFile) -> None:
    for _ in range(2):
        tokens.make("same")
    for absent in ("other", ""):
        with pytest.raises(erstwhile.NotFoundError):
            tokens.revoke(absent)
    with pytest.raises(erstwhile.AmbiguousIdError):
        tokens.revoke("same")
    assert len(tokens.tokens()) == 2


def test_makers_at_the_same_time_lose_nothing(tokens: TokenFile) -> None:
    def make(name: str) -> None:
        for number in range(10):
            TokenFile(tokens.file).make(f"{name}{number}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(make, "abcd"))
    assert len({each.name for each in tokens.tokens()}) == 40


def test_a_file_that_others_may_read_opens_nothing(tokens: TokenFile) -> None:
    secret = tokens.make("shop").secret
    tokens.file.chmod(0o640)
    with pytest.raises(erstwhile.InvalidInputError, match="other accounts"):
        tokens.find(secret)
    with pytest.raises(erstwhile.InvalidInputError, match="other accounts"):
        tokens.make("second")


@pytest.mark.parametrize(
    "line", ["x", "[]", "1", "{}", '{"sha256": "a", "made_at": "2026-01-01", "more": 1}',
             '{"sha256": "a", "made_at": "2026-01-01", "right": "all"}']
)  # fmt: skip
def test_a_line_that_is_no_token_is_refused(tokens: TokenFile, line: str) -> None:
    """A line that says more than is understood may be a limit: it is not ignored."""
    tokens.make("shop")
    with tokens.file.open("a", encoding="utf-8") as text:
        text.write(f"{line}\n")
    with pytest.raises(erstwhile.InvalidInputError, match="not a token"):
        tokens.tokens()


def test_a_line_of_an_earlier_version_is_an_agent_that_writes(tokens: TokenFile) -> None:
    secret = tokens.make("shop", Scope(user="ana")).secret
    written = json.loads(tokens.file.read_text("utf-8"))
    old = {name: written[name] for name in ("sha256", "scope", "made_at")}
    tokens.file.write_text(f"{json.dumps(old)}\n", "utf-8")
    found = tokens.find(secret)
    assert found is not None
    assert (found.scope, found.right, found.person) == (Scope(user="ana"), Right.WRITE, False)


def test_no_token_has_the_name_of_another_one_with_an_actor(tokens: TokenFile) -> None:
    """The actor of `bot` with the header `Erstwhile-Actor: x` is `http:bot:x`."""
    with pytest.raises(erstwhile.InvalidInputError, match="colon"):
        tokens.make("bot:x")
    tokens.make("bot")
    tokens.file.write_text(tokens.file.read_text("utf-8").replace('"bot"', '"bot:x"'), "utf-8")
    with pytest.raises(erstwhile.InvalidInputError, match="not a token"):
        tokens.tokens()


def test_a_secret_takes_the_place_of_what_is_there(tmp_path: Path) -> None:
    """A file that others can read stays theirs, and so does what a link points to."""
    shared, link, victim = (tmp_path / name for name in ("shared", "link", "victim"))
    shared.touch()
    shared.chmod(0o666)
    victim.write_text("precious")
    link.symlink_to(victim)
    with shared.open() as read_by_others:
        for file in (shared, link):
            write_secret_file(file, "s3cret")
            assert (file.read_text(), file.is_symlink()) == ("s3cret\n", False)
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert read_by_others.read() == ""
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        write_secret_file(tmp_path / "folder", "s3cret")
    assert victim.read_text() == "precious"
    names = {each.name for each in tmp_path.iterdir()}
    assert names == {"folder", "link", "shared", "victim"}


def test_a_token_opens_one_store(tokens: TokenFile) -> None:
    """Its memory refuses the token of another one, and so does a server that names no store."""
    here = tokens.make("here", store="/a.db").token
    anywhere, old = tokens.make("any").token, datetime(2000, 1, 1, tzinfo=UTC)
    tokens.make("over", store="/a.db", expires_at=old)
    assert TokenFile(tokens.file).opening("/a.db") == [here, anywhere]
    assert tokens.opening("/b.db") == [anywhere]
    with erstwhile.open(":memory:", embedder="none") as memory:
        assert Spaces(memory, "main", store="/a.db").memory_of(here).scope == here.scope
        for store in ("/b.db", None):
            with pytest.raises(erstwhile.RefusedError, match="another memory"):
                Spaces(memory, "main", store=store).memory_of(here)


@pytest.mark.parametrize(
    ("location", "name"),
    [
        ("postgresql://ana:s3cret@DB:5432/memory?sslmode=require", "postgresql://db:5432/memory"),
        ("postgresql://ana@/memory?host=/tmp&password=x", "postgresql:///memory?host=%2Ftmp"),
        ("file:/a/../b.db?mode=ro", "/b.db"),
        (":memory:", ":memory:"),
    ],
)
def test_the_name_of_a_store_has_no_login(location: str, name: str) -> None:
    assert store_name(location) == name


def test_a_mounted_secret_belongs_to_another_account(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent can write the files of its own account, and knows most others."""
    file, account = tmp_path / "secret", os.geteuid()
    file.write_text(f"erstwhile_{'a1' * 20}\n")
    with pytest.raises(erstwhile.RefusedError, match="can write"):
        read_mounted_secret(file)
    monkeypatch.setattr(os, "geteuid", lambda: account + 1)
    with monkeypatch.context() as patched:
        patched.setattr(os, "access", lambda *_: True)
        with pytest.raises(erstwhile.RefusedError, match="can write"):
            read_mounted_secret(file)
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert read_mounted_secret(file) == f"erstwhile_{'a1' * 20}"
    for known in ("erstwhile_short", "localhost", f"erstwhile_{'a 1' * 20}", "é"):
        file.write_text(known, "utf-8")
        with pytest.raises(erstwhile.InvalidInputError, match="secret"):
            read_mounted_secret(file)
    with pytest.raises(erstwhile.InvalidInputError, match="cannot be read"):
        read_mounted_secret(tmp_path / "missing")
