"""Fork while a memory is open; what parent and child then saw is printed as JSON.

Arguments: the scene (a function below) and the memory's location.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import erstwhile
from erstwhile.core import fork_safety as fork
from erstwhile.core.ports import Session


def in_child(work: Callable[[], Any]) -> Callable[[], Any]:
    """Fork, run `work` in the child, and return a way to wait for what it returned."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            answer = work()
        except BaseException:
            answer = traceback.format_exc()
        os.write(writing, json.dumps(answer).encode())
        os._exit(0)
    os.close(writing)

    def answered() -> Any:
        with os.fdopen(reading) as pipe:
            told = json.load(pipe)
        os.waitpid(child, 0)
        return told

    return answered


def error_of(work: Callable[[], Any]) -> str:
    try:
        work()
    except erstwhile.ErstwhileError as error:
        return type(error).__name__
    return "none"


def both_go_on(memory: erstwhile.Memory) -> Any:
    first = memory.remember("before the fork")

    def write(who: str) -> list[str]:
        return [memory.remember(f"{who} says {number}").id for number in range(25)]

    child = in_child(lambda: [memory.facts.get(first.id).text, *write("child")])
    ours = write("parent")
    text, *theirs = child()
    verified = memory.audit.verify().ok
    return {
        "child_read": text,
        "written": len({*ours, *theirs}),
        "count": memory.facts.count(),
        "verified": verified,
    }


def the_parent_closes_first(memory: erstwhile.Memory) -> Any:
    """Write in the child after the parent has closed: an inherited connection would lose it."""
    memory.remember("before the fork")
    reading, writing = os.pipe()

    def write_late() -> str:
        os.read(reading, 1)
        return memory.remember("from the child").text

    child = in_child(write_late)
    memory.close()
    os.write(writing, b".")
    return {"told": child()}


def only_the_parent_goes_on(memory: erstwhile.Memory) -> Any:
    fact = memory.remember("before the fork")
    child = in_child(
        lambda: [
            error_of(lambda: memory.facts.get(fact.id)),
            error_of(lambda: memory.remember("from the child")),
            error_of(memory.close),
            in_child(lambda: error_of(memory.facts.count))(),
        ]
    )
    answers = child()
    memory.remember("after the fork")
    return {"child": answers, "parent": [each.text for each in memory.facts.list()]}


def while_others_write(memory: erstwhile.Memory) -> Any:
    stop = threading.Event()
    written: list[str] = []

    def write(thread: int) -> None:
        for number in iter(int, None):
            if stop.is_set():
                return
            written.append(memory.remember(f"thread {thread} says {number} {len(written)}").id)

    threads = [threading.Thread(target=write, args=(each,)) for each in range(4)]
    for thread in threads:
        thread.start()
    children = [
        in_child(lambda each=each: memory.remember(f"child {each}").text)()  # type: ignore[misc]
        for each in range(8)
    ]
    stop.set()
    for thread in threads:
        thread.join(60)
    lost = [each for each in written if memory.facts.get(each).id != each]
    return {
        "children": children,
        "lost": lost,
        "missing": len(written) + len(children) - memory.facts.count(),
        "verified": memory.audit.verify().ok,
    }


def while_one_write_takes_too_long(memory: erstwhile.Memory) -> Any:
    fork._PATIENCE = 0.05
    inside, go_on = threading.Event(), threading.Event()

    def slow(_: Session) -> None:
        inside.set()
        go_on.wait(60)

    thread = threading.Thread(target=memory._access.engine.write, args=(slow,))
    thread.start()
    inside.wait(60)
    child = in_child(
        lambda: [
            error_of(lambda: memory.remember("from the child")),
            error_of(memory.close),
            in_child(lambda: error_of(memory.facts.count))(),
        ]
    )
    answers = child()
    go_on.set()
    thread.join(60)
    return {"child": answers, "parent": memory.remember("after the fork").text}


def many_times(memory: erstwhile.Memory) -> Any:
    def opened() -> int:
        memory.remember("the same again")
        return len(os.listdir("/dev/fd"))  # noqa: PTH208  it lists no files

    before = opened()
    in_children = [in_child(opened)() for _ in range(30)]
    return {"before": before, "children": in_children, "after": opened()}


def by_multiprocessing(memory: erstwhile.Memory) -> Any:
    memory.remember("before the fork")
    forking = multiprocessing.get_context("fork")
    answers = forking.Queue()
    workers = [
        forking.Process(
            target=lambda n: answers.put(memory.remember(f"worker {n}").text), args=(n,)
        )
        for n in range(3)
    ]
    for worker in workers:
        worker.start()
    told = sorted(answers.get(timeout=300) for _ in workers)
    for worker in workers:
        worker.join(60)
    return {"told": told, "count": memory.facts.count(), "verified": memory.audit.verify().ok}


SCENES = (
    both_go_on,
    the_parent_closes_first,
    only_the_parent_goes_on,
    while_others_write,
    while_one_write_takes_too_long,
    many_times,
    by_multiprocessing,
)


def main(scene: str, location: str) -> None:
    # Later Pythons warn of a fork beside threads: it is what these scenes are about.
    warnings.simplefilter("ignore", DeprecationWarning)
    play = {each.__name__: each for each in SCENES}[scene]
    with erstwhile.open(location) as memory:
        print(json.dumps(play(memory)))


if __name__ == "__main__":
    main(*sys.argv[1:])
