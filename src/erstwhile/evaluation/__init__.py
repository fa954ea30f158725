"""Measuring how well recall finds, by public question sets, and how much is learned from turns."""
