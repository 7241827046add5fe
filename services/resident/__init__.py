"""Resident process of a workspace, which holds its index in memory and answers commands (SPEC section 19)."""
