"""Writes: admission, drafts, conflicts, history."""
