"""Ranged reads under version tokens (SPEC section 7)."""
