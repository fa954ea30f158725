"""The hook that a coding agent calls before and after each tool call.

`cli.start` imports `quick_call` directly, without click, because an agent waits for the answer.
`command` has the same hooks as commands of `erstwhile`.
"""
