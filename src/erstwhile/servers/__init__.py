"""Servers for other programs: HTTP and MCP.

They call the public methods of `Memory`; only the command line imports them. Begin with `app.py`.
"""
