"""Agents that act by the program's operations, and the workflows that they do together (SPEC section 12)."""
