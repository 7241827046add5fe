"""Extraction of statements into a method of their own: what flows in, what flows out, and how both are passed."""
