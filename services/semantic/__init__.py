"""Semantic notes: what types are for, in files of the repository, tied to hashes of the code (SPEC section 9)."""

TYPES, GROUPS = "types", "semantic"
"""Folders of the notes of types, and of groups of types."""
