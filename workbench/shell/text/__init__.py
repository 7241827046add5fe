"""Answers as text for a person at a shell."""
