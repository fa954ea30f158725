"""The HTTP API: every verb of a memory as a request, made from one table."""
