"""Lines found in a text, and put in the place of others."""
