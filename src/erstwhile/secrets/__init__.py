"""Secrets: recognise passwords and keys in texts and mask them.

Any package may import it; it imports only `rule_files` and `letter_case`. Begin with
`masking`, then read the rules in `issued.toml` and `named.toml`.
"""
