"""What is measured: one function a measure, each for all systems in turns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median
from time import monotonic, sleep
from typing import Any
from zlib import crc32

from bench.compare.environment import peers
from bench.compare.process import Process, Spent, WorkError, run, run_code
from bench.speech import Speech

DIMENSIONS = 256
ROUNDS = 3
SINGLES = 20
MOST_AT_ONCE = 10_000
QUESTIONS = 30
_WRITES = "write,pwrite64,writev,pwritev,pwritev2"
_SYNCS = "fsync,fdatasync,sync_file_range,msync"


class Comparison:
    """The systems that still answer, their folders, and what was measured of each."""

    def __init__(self, names: Sequence[str], home: Path) -> None:
        self.names, self._home = names, home
        self.measured: dict[str, dict[str, Any]] = {name: {} for name in names}

    def folder(self, name: str, part: str) -> Path:
        folder = self._home / name / part
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def scrubbed(self, message: str) -> str:
        """Return a message without the folder of this machine."""
        return message.replace(str(self._home), "…")

    def opened(self, name: str, part: str, dimensions: int = DIMENSIONS) -> dict[str, Any]:
        """Return the command that opens a store with vectors of words."""
        given = 0 if name == "fts5" else dimensions
        return {"do": "open", "folder": str(self.folder(name, part)), "dimensions": given}

    def run(self, name: str, commands: Sequence[Mapping[str, Any]], *before: str) -> Spent:
        return run(name, self._home / name, commands, before)

    def each(self, measure: Callable[[str], Mapping[str, Any]], *failing: str) -> None:
        """Measure every system; the least number of several calls is kept. Failures are kept, too.

        `failing` are the names of the figures that a failure leaves out.
        """
        for name in self.names:
            known = self.measured[name]
            try:
                for figure, value in measure(name).items():
                    is_less = isinstance(value, float) and isinstance(known.get(figure), float)
                    known[figure] = min(known[figure], value) if is_less else value
            except WorkError as error:
                told = f"failed: {self.scrubbed(str(error))}"
                known.update({each: told for each in failing if not _has_failed(known.get(each))})


def _has_failed(value: Any) -> bool:
    """Whether a figure has failed already: the first reason is the one to tell."""
    return isinstance(value, str) and value.startswith("failed")


def starting(all: Comparison) -> None:
    def measure(name: str) -> dict[str, float]:
        imported = run_code(name, all.folder(name, ""), f"import {peers()[name].module}")
        first = {"do": "add", "texts": {"a": "Ana moved to Porto in March"}}
        asked = {"do": "recall", "questions": ["Where did Ana move?"]}
        spent = all.run(name, [all.opened(name, "first"), first, asked])
        return {
            "import_cpu_ms": imported.cpu * 1e3,
            "first_memory_cpu_ms": spent.cpu * 1e3,
            "first_memory_wall_ms": spent.wall * 1e3,
        }

    all.each(measure, "import_cpu_ms", "first_memory_cpu_ms")


def sizes(all: Comparison, wanted: Sequence[int]) -> None:
    """Fill each store, ask it and add to it, in turns; then open it in a new process."""
    speech = Speech()
    facts = speech.facts(max(wanted))
    texts = {f"fact{at}": f"{text} n{at}" for at, text in enumerate(facts)}
    asked = [speech.question(each) for each in facts[:: min(wanted) // QUESTIONS]][:QUESTIONS]
    done = added_ones = 0
    for size in sorted(wanted):
        workers = _Workers(all, "sized")
        step = min(MOST_AT_ONCE, (size - done + 2) // 3)
        for start in range(done, size, step):
            workers.bulk(_part(texts, start, min(size, start + step)), f"bulk_cpu_ms_{size}")
        for turn in range(ROUNDS):
            workers.ask(asked[turn::ROUNDS], size)
            added = Speech(1_000 + size + turn).facts(SINGLES)
            workers.add({f"one{size}-{turn}-{at}": each for at, each in enumerate(added)}, size)
        workers.close()
        done, added_ones = size, added_ones + ROUNDS * SINGLES
        _reopen(all, asked[0], size, size + added_ones)


class _Workers:
    """One open process for each system."""

    def __init__(self, all: Comparison, part: str) -> None:
        self._all = all
        self._times: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        self._open = {name: Process(name, all.folder(name, "")) for name in all.names}
        all.each(lambda name: self._opened(name, part), "opened")

    def _opened(self, name: str, part: str) -> dict[str, Any]:
        known = dict(self._all.measured[name])
        if any(_has_failed(known[figure]) for figure in known if figure.startswith("bulk")):
            self._open[name].kill()  # it has not all texts, so it would be too fast
            raise WorkError("not all texts were stored")
        self._open[name].do(**self._all.opened(name, part))
        return {}

    def bulk(self, texts: Mapping[str, str], figure: str) -> None:
        def measure(name: str) -> dict[str, float]:
            spent = self._open[name].do("add_many", texts=texts)
            return {figure: spent["cpu"] * 1e3 / len(texts)}

        self._all.each(measure, figure)

    def add(self, texts: Mapping[str, str], size: int) -> None:
        def measure(name: str) -> dict[str, float]:
            spent = self._open[name].do("add", texts=texts)
            each = {part: spent[part] * 1e3 / len(texts) for part in ("cpu", "wall")}
            return {f"add_{part}_ms_{size}": value for part, value in each.items()}

        self._all.each(measure, f"add_cpu_ms_{size}")

    def ask(self, questions: Sequence[str], size: int) -> None:
        def measure(name: str) -> dict[str, float]:
            times = self._times[name]
            for part, values in self._open[name].do("timed", questions=questions)["result"].items():
                times[part] += values
            return {}

        self._all.each(measure, f"recall_cpu_ms_{size}")
        for name, times in self._times.items():
            for part, values in times.items():
                self._all.measured[name][f"recall_{part}_ms_{size}"] = median(values)

    def close(self) -> None:
        for process in self._open.values():
            with suppress(WorkError):
                process.do("close")
            process.kill()


def _part(texts: Mapping[str, str], start: int, end: int) -> dict[str, str]:
    return dict(list(texts.items())[start:end])


def _reopen(all: Comparison, question: str, size: int, stored: int) -> None:
    """Open each store in a new process, ask it once, and measure the process and the files."""

    def measure(name: str) -> dict[str, float]:
        if isinstance(all.measured[name].get(f"bulk_cpu_ms_{size}"), str):
            raise WorkError("not all texts were stored")
        opened = all.opened(name, "sized")
        spent = all.run(name, [opened, {"do": "recall", "questions": [question]}, {"do": "peak"}])
        files = [each for each in Path(opened["folder"]).rglob("*") if each.is_file()]
        return {
            f"cold_cpu_ms_{size}": spent.cpu * 1e3,
            f"cold_mib_{size}": float(spent.answers[-1]["result"]),
            f"disk_bytes_each_{size}": sum(each.stat().st_size for each in files) / stored,
        }

    all.each(measure, f"cold_cpu_ms_{size}")


def syncs(all: Comparison) -> None:
    """Count with strace what twenty adds write and force to the disk, less the cost of opening."""

    def measure(name: str) -> dict[str, float]:
        few, many = (_counted(all, name, count) for count in (5, 25))
        return {part: (many[part] - few[part]) / 20 for part in few}

    all.each(measure, "syncs_each", "writes_each")


def _counted(all: Comparison, name: str, count: int) -> dict[str, float]:
    log = all.folder(name, "") / f"strace {count}"
    texts = {f"id{at}": text for at, text in enumerate(Speech(4).facts(count))}
    commands = [all.opened(name, f"counted {count}"), {"do": "add", "texts": texts}]
    try:
        traced = f"trace={_WRITES},{_SYNCS}"
        all.run(name, commands, "strace", "-f", "-qq", "-e", traced, "-o", str(log))
    except OSError:
        raise WorkError("strace is not installed") from None
    lines = log.read_text("utf-8", "replace").splitlines()
    calls = [line.split("(")[0].split()[-1] for line in lines if "(" in line]
    return {
        "syncs_each": float(sum(call in _SYNCS.split(",") for call in calls)),
        "writes_each": float(sum(call in _WRITES.split(",") for call in calls)),
    }


def two_writers(all: Comparison, count: int = 30) -> None:
    """Let two processes add to one store at once, then look for all texts."""

    def measure(name: str) -> dict[str, str]:
        home, opened = all.folder(name, ""), all.opened(name, "two")
        writers, refused = [Process(name, home) for _ in range(2)], list[str]()
        texts = [_marked(name, count) for name in ("first", "second")]
        for step in ({"do": "open"}, {"do": "add"}):
            for writer, own in zip(writers, texts, strict=True):
                arguments = opened if step["do"] == "open" else {**step, "texts": own}
                with suppress(WorkError):
                    writer.start(**arguments)
            for writer in writers:
                try:
                    writer.finish()
                except WorkError as error:
                    refused.append(str(error))
        for writer in writers:
            writer.kill()
        found = _found(all, name, [opened], {**texts[0], **texts[1]})
        told = f"{found} of {2 * count} found"
        failure = f"; an error: {all.scrubbed(refused[0])[:90]}" if refused else ""
        return {"two_writers": told + failure}

    all.each(measure, "two_writers")


def killed(all: Comparison, after: int = 40) -> None:
    """Kill a process that adds, and look for what it acknowledged."""

    def measure(name: str) -> dict[str, str]:
        home, opened = all.folder(name, ""), all.opened(name, "killed")
        file, texts = home / "acknowledged", _marked("kill", 400)
        worker = Process(name, home)
        worker.do(**opened)
        file.touch()
        worker.start("acknowledge", texts=texts, file=str(file))
        patience = monotonic() + 60
        while file.read_text("utf-8").count("\n") < after and monotonic() < patience:
            sleep(0.02)
        worker.kill()
        ids = file.read_text("utf-8").split("\n")[:-1]
        found = _found(all, name, [opened], {id: texts[id] for id in ids[-after:]})
        return {"killed": f"{found} of the last {len(ids[-after:])} found"}

    all.each(measure, "killed")


def deleted(all: Comparison) -> None:
    """Delete texts for good, close, and search the bytes of all files for their words."""
    secrets = _marked("quetzal", 20)
    others = {f"o{n}": text for n, text in enumerate(Speech(6).facts(100))}

    def measure(name: str) -> dict[str, str]:
        opened = all.opened(name, "deleted")
        worker = Process(name, all.folder(name, ""))
        worker.do(**opened)
        worker.do("add_many", texts=others)
        worker.do("add", texts=secrets)
        before = _in_files(Path(opened["folder"]))
        worker.do("delete", ids=list(secrets))
        worker.do("close")
        worker.kill()
        after = _in_files(Path(opened["folder"]))
        return {"deleted": f"{after} of 20 still in the files ({before} before)"}

    all.each(measure, "deleted")


def _in_files(folder: Path) -> int:
    files = [each.read_bytes() for each in folder.rglob("*") if each.is_file()]
    return sum(any(f"quetzalx{n:02}".encode() in each for each in files) for n in range(20))


def other_embedder(all: Comparison) -> None:
    """Open a store with vectors of another length, add a text and look for an old one."""
    old, new = _marked("old", 10), _marked("new", 10)

    def measure(name: str) -> dict[str, str]:
        all.run(name, [all.opened(name, "other"), {"do": "add", "texts": old}, {"do": "close"}])
        changed = all.opened(name, "other", DIMENSIONS // 2)
        found = _found(all, name, [changed, {"do": "add", "texts": new}], old | new)
        return {"other_embedder": f"{found} of 20 found"}

    all.each(measure, "other_embedder")


def _marked(name: str, count: int) -> dict[str, str]:
    """Return texts that do not resemble each other, since some systems refuse what they know."""
    facts = Speech(crc32(name.encode())).facts(count)
    return {f"{name}{at}": f"{name}x{at:02} {fact}" for at, fact in enumerate(facts)}


def _found(
    all: Comparison, name: str, before: Sequence[Mapping[str, Any]], texts: Mapping[str, str]
) -> int:
    """Return how many texts a new process finds by their own words."""
    asked = {"do": "recall", "questions": list(texts.values()), "limit": 5}
    found = all.run(name, [*before, asked]).answers[-1]["result"]
    return sum(id in ids for id, ids in zip(texts, found, strict=True))
