"""Measuring how well recall finds: public question sets, the usual figures, a plain baseline."""
