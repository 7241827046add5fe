"""Texts: edits, patches, diffs and merges, without files."""
