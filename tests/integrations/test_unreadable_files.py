"""Files of other programs that are broken, too large, or something else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import erstwhile
from erstwhile.integrations.importers.registry import PROGRAMS, import_from, read_from
from tests.cases import cases

CASES = cases(__file__)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("content", [b"", b"{}", b"[1, null, [[]]]", b"SQLite format 3\0", b"\xff"])
def test_another_file_is_a_clear_error(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(erstwhile.InvalidInputError):
        read_from(name, tmp_path / "file")
    with pytest.raises(erstwhile.NotFoundError):
        read_from(name, tmp_path / "none")


@pytest.mark.parametrize(("name", "broken", "place"), CASES["what_states_nothing_is_told"])
def test_what_states_nothing_is_told(name: str, broken: str, place: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text(broken)
    with erstwhile.open(":memory:", embedder="none") as memory:
        ana = memory.scoped(user="ana")
        for preview in (True, False):
            made = import_from(ana, name, tmp_path / "file", preview=preview)
            assert made.facts == 1
            told = [(each.place, each.reason) for each in made.left_out]
            assert told == [(place, "it states nothing")]


def test_an_empty_block_is_told(tmp_path: Path) -> None:
    blocks = [{"label": "human", "value": "Ana"}, {"label": "persona", "value": ""}]
    (tmp_path / "agent.af").write_text(json.dumps({"blocks": blocks}))
    found = read_from("letta", tmp_path / "agent.af")
    assert [block.name for block in found.blocks] == ["human"]
    assert [(each.place, each.reason) for each in found.left_out] == [
        ("block persona", "it is empty")
    ]


def test_a_large_file_is_not_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("erstwhile.integrations.importers.files.LARGEST", 50)
    line = '{"type":"entity","name":"Ana","observations":["drinks tea"]}\n'
    (tmp_path / "file").write_text(line * 3)
    with pytest.raises(erstwhile.InvalidInputError, match="183 bytes") as raised:
        read_from("graphiti", tmp_path / "file")
    assert "split it" in str(raised.value.remedy)
    assert len(read_from("mcp-memory", tmp_path / "file").facts) == 3
