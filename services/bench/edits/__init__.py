"""Edits, locks and proposals by the names people write."""
