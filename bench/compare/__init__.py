"""The same work for Erstwhile and for peers, each in an environment of its own, in turns."""
