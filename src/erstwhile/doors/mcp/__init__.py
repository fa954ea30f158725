"""The door for the Model Context Protocol (MCP), by which agents find and call tools.

The extra `erstwhile[mcp]` has its package, which only this folder imports. Begin with `server.py`.
"""
