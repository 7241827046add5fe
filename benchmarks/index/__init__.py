"""How fast and how right the index is."""
