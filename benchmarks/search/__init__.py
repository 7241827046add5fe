"""How fast and how well symbols and texts are found."""
