"""Views of records on a terminal.

Only `cli.terminal` and `cli.demo` import these modules, because they load rich. Begin with
`layout`: `view` shows one record, `table` shows many.
"""
