"""The patch editor: lines of a file under a token and a lock, with a live diff of what would be written."""
