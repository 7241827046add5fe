"""Views of text: source, outline, diff."""
