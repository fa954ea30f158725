"""The entry point: the hook runs without click, every other command with it."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line."""
    called = {"pre-tool-use", "post-tool-use"}.intersection(sys.argv)
    if called and not {"-h", "--help"}.intersection(sys.argv):
        _answer_the_agent(sys.argv[1:], must_say="pre-tool-use" in called)
        return
    from erstwhile.cli.app import app

    app.main()


def _answer_the_agent(words: list[str], *, must_say: bool) -> None:
    """Answer an invalid call, too: an agent reads the exit code of a usage error as a denial."""
    gc.disable()  # the process is short, and an agent waits for it
    from erstwhile.cli.hook.quick_call import parse_call, respond, say

    options = parse_call(words)
    if options is not None:
        respond(options)
        return
    from erstwhile.cli.app import app

    try:
        app.main()
    except SystemExit as end:
        if end.code and must_say:
            say("ask", "the hook was called with unknown options")
