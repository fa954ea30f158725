"""Commands that do more than call one verb, and the data of all commands.

The `.toml` files have the help of each command. Commands are imported by name when they are called,
so that `erstwhile --help` answers at once.
"""
