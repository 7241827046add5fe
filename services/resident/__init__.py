"""A process a workspace that keeps its index and answers commands (SPEC section 19)."""
