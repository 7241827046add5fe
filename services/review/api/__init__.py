"""The public API of a workspace: what others see of it, compared between two states."""
