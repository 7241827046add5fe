"""Commands, their keys, and when they make sense."""
