"""State of the workbench apart from its screens."""
