"""Views of records on a terminal. They load rich, so that only `cli.terminal` imports them."""
