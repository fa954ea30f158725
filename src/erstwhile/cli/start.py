"""The entry point: the hook runs without click, every other command with it."""

from __future__ import annotations

import gc
import sys

from erstwhile.cli.hook.quick_call import PRE, calls_hook, parse_call, print_suggestion, respond


def main() -> None:
    """Run the command line."""
    is_hook = calls_hook(sys.argv[1:])
    if is_hook:
        gc.disable()  # the process is short, and an agent waits for it
        options = parse_call(sys.argv[1:])
        if options is not None:
            respond(options)
            return
    from erstwhile.cli.app import app  # loads click

    try:
        app.main()
    except SystemExit as end:
        if not is_hook:
            raise
        # An agent reads the exit code of a usage error as a denial, so there is an answer instead.
        if end.code and PRE in sys.argv:
            print_suggestion("ask", "the hook was called with unknown options")
