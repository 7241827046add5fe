"""How values are written in cells."""
