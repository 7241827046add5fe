"""State of the prompt window, and its store."""
