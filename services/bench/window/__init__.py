"""The prompt window of a workspace: curated, advised, copied, kept."""

CHOICE = "model.json"
"""The state file of the model and the budget that were chosen."""
