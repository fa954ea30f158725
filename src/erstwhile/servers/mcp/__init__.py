"""Server of the Model Context Protocol (MCP), by which agents find and call tools.

Only this folder imports the package of the extra `erstwhile[mcp]`. Begin with `server.py`.
"""
