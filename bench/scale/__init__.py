"""The cost of a memory as it grows."""
