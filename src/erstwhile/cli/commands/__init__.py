"""The commands, one module per group of commands.

Only `cli.app` imports them, by name, when they are called. Begin with `facts`. Nothing here imports
rich or an engine at the top, so that `erstwhile --help` answers at once.
"""
