"""Symbol paths to symbols."""
