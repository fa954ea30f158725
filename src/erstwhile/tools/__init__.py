"""Tools for language models: facts, blocks, decisions and tasks, for function calling and MCP.

`memory` and everything above may import it. Begin with `tools.json`, the definitions for models,
and `toolset.py`, which runs their calls.
"""
