"""Edits of source that are planned, shown as one diff and written as one: pasted answers."""
