"""The verbs of a memory as requests: one table and one codec, for the server and for the client."""
