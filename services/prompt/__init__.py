"""The prompt of a model: outlines, tokens, the prompt window."""
