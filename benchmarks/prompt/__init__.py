"""Content and cost of the prompt window."""
