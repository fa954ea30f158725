"""Where the command begins: the hook at once, everything else through click."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    if "pre-tool-use" in sys.argv and "--help" not in sys.argv:
        _answer_the_agent(sys.argv[1:])
        return
    from erstwhile.cli.app import app

    app.main()


def _answer_the_agent(words: list[str]) -> None:
    """However it was called: to an agent, the exit code of a usage error would forbid the tool."""
    gc.disable()  # it lives for a moment, and an agent waits for it
    from erstwhile.cli.hook.pre_tool_use import ask, plain_call, respond

    said = plain_call(words)
    if said is not None:
        respond(said)
        return
    from erstwhile.cli.app import app

    try:
        app.main()
    except SystemExit as end:
        if end.code:
            ask("the hook was called in a way that it does not know")
