"""What the prompt window holds, and where that is kept."""
