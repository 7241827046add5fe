"""Diffs between the working area, commits and ranges of them: files, hunks, and what changed within lines."""
