"""The tour that `erstwhile demo` plays in a temporary file.

Only `cli.app` imports it. Begin with `script`: the scenes as data. `command` plays them and `views`
shows the results.
"""
