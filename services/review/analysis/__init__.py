"""Static analysis of a change, each finding with its places."""
