"""Colours of source lines."""
