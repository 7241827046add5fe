"""The window rendered to one text within a budget."""
