"""Bodies of members read on demand, as trees of plain nodes, and the names in doc comments."""
