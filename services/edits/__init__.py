"""Edits of source that are planned, checked, shown as one diff and written as one: renames, pasted answers."""
