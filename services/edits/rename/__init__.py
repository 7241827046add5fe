"""Renaming of a symbol: what has its name, what only may have it, and what a new name would collide with."""
