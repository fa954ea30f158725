"""The entry point: the hook runs without click, every other command with it."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line."""
    if "pre-tool-use" in sys.argv and "--help" not in sys.argv:
        _answer_the_agent(sys.argv[1:])
        return
    from erstwhile.cli.app import app

    app.main()


def _answer_the_agent(words: list[str]) -> None:
    """Answer an invalid call, too: an agent reads the exit code of a usage error as a denial."""
    gc.disable()  # the process is short, and an agent waits for it
    from erstwhile.cli.hook.pre_tool_use import ask, parse_call, respond

    options = parse_call(words)
    if options is not None:
        respond(options)
        return
    from erstwhile.cli.app import app

    try:
        app.main()
    except SystemExit as end:
        if end.code:
            ask("the hook was called with unknown options")
