"""The hook that a coding agent calls before each tool call.

`cli.start` imports `pre_tool_use` directly, without click, because an agent waits for the answer.
`command` is the same hook as a command of `erstwhile`.
"""
