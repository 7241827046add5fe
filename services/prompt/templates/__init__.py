"""Prompt templates: what is written around the window, as files that a team can share."""
