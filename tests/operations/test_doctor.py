"""`doctor` sees each kind of damage, names a remedy, and changes nothing."""

from __future__ import annotations

import hashlib
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest

import erstwhile
from erstwhile.core.errors import LlmError, NotFoundError
from erstwhile.operations.doctor import check_llm
from erstwhile.testing.clock import FakeClock
from erstwhile.testing.scripted_llm import ScriptedLlm
from erstwhile.types import Diagnosis, Health, HealthCheck


@pytest.fixture
def file(tmp_path: Path) -> Path:
    with erstwhile.open(tmp_path / "agent.db", embedder="hashing") as memory:
        memory.remember("Ana drinks tea")
        memory.remember("Ana has two cats")
        memory.flush()
    return tmp_path / "agent.db"


def examine(file: Path, *, models: bool = True) -> Diagnosis:
    settings = erstwhile.Settings(embedder="hashing")
    return erstwhile.doctor(file, settings=settings, models=models)


def found(file: Path, check: str) -> HealthCheck:
    return next(each for each in examine(file).checks if each.name == check)


def test_a_sound_memory_has_no_problems_and_is_not_changed(file: Path) -> None:
    before = hashlib.sha256(file.read_bytes()).digest(), sorted(file.parent.iterdir())
    diagnosis = examine(file)
    assert diagnosis.ok
    states = {each.name: each.health for each in diagnosis.checks}
    assert states.pop("llm") is Health.SKIPPED
    assert set(states.values()) == {Health.OK}
    assert before == (hashlib.sha256(file.read_bytes()).digest(), sorted(file.parent.iterdir()))


def test_models_are_left_alone_if_asked(file: Path) -> None:
    checks = {each.name for each in examine(file, models=False).checks}
    assert checks.isdisjoint({"embedder", "llm"})


def test_a_mode_that_lets_others_read(file: Path) -> None:
    file.chmod(0o644)
    finding = found(file, "modes")
    assert (finding.health, finding.remedy) == (Health.PROBLEM, f"run chmod 600 {file}")
    assert file.stat().st_mode & 0o777 == 0o644


def test_damaged_pages(file: Path) -> None:
    with file.open("r+b") as damaged:
        damaged.seek(4096 * 5)
        damaged.write(b"\xff" * 4096)
    finding = found(file, "pages")
    assert finding.health is Health.PROBLEM
    assert "restore" in finding.remedy


def test_a_disk_that_cannot_be_asked(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_path: Path) -> None:
        raise PermissionError("not permitted")

    monkeypatch.setattr(shutil, "disk_usage", fail)
    finding = found(file, "disk")
    assert (finding.health, finding.detail) == (Health.PROBLEM, "not permitted")
    assert found(file, "audit").health is Health.OK


def test_a_file_of_another_program(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("no database" * 100)
    diagnosis = examine(tmp_path / "note.txt")
    assert not diagnosis.ok
    assert {each.name for each in diagnosis.checks if each.health is Health.PROBLEM} >= {
        "pages",
        "opening",
    }


@pytest.mark.parametrize(
    ("statement", "check", "health", "detail", "remedy"),
    [
        (
            "INSERT INTO migrations VALUES (99, 'future', 'x', 0)",
            "opening", "problem", "", "newer version",
        ),
        (
            "UPDATE facts SET text = 'Ana drinks gin' WHERE text = 'Ana drinks tea'",
            "audit", "problem", "changed without an entry", "",
        ),
        (
            "DELETE FROM passage_terms WHERE rowid = 1",
            "index", "problem", "lacks 1 passages, and has 0", "repair",
        ),
        (
            "INSERT INTO passage_terms (rowid, terms) VALUES (99, 'x')",
            "index", "problem", "0 passages, and has 1 too", "repair",
        ),
        (
            "DELETE FROM vectors WHERE seq = 1",
            "vectors", "problem", "1 texts have no vector", "repair",
        ),
        (
            "UPDATE vectors SET vector = x'00' WHERE seq = 1",
            "vectors", "problem", "1 vectors of hashing/256", "reembed",
        ),
        (
            "UPDATE embedders SET model = 'another'",
            "vectors", "warning", "vectors are of another", "reembed",
        ),
        (
            "INSERT INTO outbox VALUES ('main', 1, 0, 1, NULL)",
            "waiting", "warning", "have waited", "",
        ),
        (
            "INSERT INTO outbox VALUES ('main', 1, 3, 1, NULL)",
            "waiting", "warning", "could not be embedded", "",
        ),
        (
            "UPDATE audit SET at = 253402300799000000 WHERE number = 1",
            "clock", "problem", "9999", "",
        ),
    ],
)  # fmt: skip
def test_a_changed_row_is_found(
    file: Path, statement: str, check: str, health: str, detail: str, remedy: str
) -> None:
    connection = apsw.Connection(str(file))
    connection.execute(statement)
    connection.close()
    finding = found(file, check)
    assert finding.health == health
    assert detail in finding.detail
    assert remedy in finding.remedy


def test_work_that_a_program_left(tmp_path: Path) -> None:
    clock = FakeClock(datetime.now(UTC) - timedelta(days=2))
    with erstwhile.open(tmp_path / "old.db", embedder="none", clock=clock) as memory:
        memory.tasks.claim(memory.tasks.add("Call mom", due="now").task.id, "worker", "1 minute")
    finding = found(tmp_path / "old.db", "leases")
    assert (finding.health, "1 tasks" in finding.detail) == (Health.WARNING, True)


def test_a_model_that_fails_and_one_that_answers() -> None:
    assert "answered" in check_llm(ScriptedLlm({"ready": True}))
    with pytest.raises(LlmError):
        check_llm(ScriptedLlm(LlmError("no key", remedy="set a key")))


def test_an_embedder_that_cannot_be_reached(file: Path) -> None:
    settings = erstwhile.Settings(embedder="http:x", embedder_url="http://127.0.0.1:9/v1")
    diagnosis = erstwhile.doctor(file, settings=settings)
    [finding] = [each for each in diagnosis.checks if each.name == "embedder"]
    assert (finding.health, bool(finding.remedy)) == (Health.PROBLEM, True)


def test_a_missing_memory_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        examine(tmp_path / "typo.db")
    assert list(tmp_path.iterdir()) == []
