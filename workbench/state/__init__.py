"""State of the workbench beside its screens."""
