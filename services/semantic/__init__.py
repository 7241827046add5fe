"""Semantic notes: what types are for, in files of the repository, tied to hashes of the code (SPEC section 9)."""
