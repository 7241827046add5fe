"""Reading by range, version tokens, and what a range belongs to."""
