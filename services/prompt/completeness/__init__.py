"""Completeness of the window: missing types, items that nothing refers to, related types."""
