"""Semantic notes: what types are for, in files beside the code, tied to its hashes (SPEC section 9)."""
