"""Truth in time: stories in which something changes, and what a memory should say about them."""
