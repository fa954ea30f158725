"""Consolidation: merge what says the same, note what contradicts, and propose the rest."""
