"""Lists of rows."""
