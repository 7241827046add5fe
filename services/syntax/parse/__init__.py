"""From bytes to a syntax tree that holds every declaration."""
