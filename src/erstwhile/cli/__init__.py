"""The command line.

`erstwhile --help` must answer at once, so the modules that hold commands import nothing heavy: rich
and the engine are loaded when a command runs.
"""
