"""Let other programs use a memory: each door is a package for one protocol.

A door calls the public surface of `Memory` and decides nothing; only the command line imports it.
Begin with `mcp/server.py`.
"""
