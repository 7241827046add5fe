"""Repositories that strangers made: copies of `.context` in which every file of an earlier version is hostile."""
