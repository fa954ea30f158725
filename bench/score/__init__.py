"""Figures of anybody's rankings, turn by turn and session by session, that others can check."""
