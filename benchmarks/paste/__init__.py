"""Answers pasted back: a corpus made of real commits, and how many of them land."""
