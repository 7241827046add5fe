"""Commands that a model may run: without a shell, from a list, below the root, isolated, limited (docs/SAFETY.md)."""
