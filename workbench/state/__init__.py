"""What the workbench holds and keeps beside its screens."""
