"""Files of a workspace: found, read, written."""
