"""Patterns of secrets within other text, a row each."""
