"""Prompt window of a workspace: curation, advice, copies, presets."""

CHOICE = "model.json"
"""The state file of the model and the budget that were chosen."""
