"""The language of project files: properties, conditions, functions, globs."""
