"""What the prompt window holds and costs."""
