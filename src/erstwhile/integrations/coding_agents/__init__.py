"""Install a memory in coding agents: Claude Code, Codex, Gemini CLI, Cursor and others.

Begin with `hosts.toml`, the agents and their files, and `install.py`.
"""
