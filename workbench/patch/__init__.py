"""The patch editor."""
