"""What a model gets to see: outlines, tokens, the prompt window."""
