"""Packs: named sets of types chosen by a filter and rendered within a budget (SPEC section 8, 004 section 10)."""
