"""Making the index: files read by worker processes, passes over the disk."""
