"""The face for shells: commands made from the table of operations, and what they print."""
