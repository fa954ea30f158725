"""Secrets: recognise passwords and keys in texts and mask them.

Any package may import it; it imports only `rule_files`, and numpy for long texts. Begin with
`masking`, then read the rules in `issued.toml` and `named.toml`.
"""
