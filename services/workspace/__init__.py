"""Which files there are, and how their bytes are read and written."""
