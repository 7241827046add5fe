"""A file's text to declarations, hashes and colours: the only code that knows tree-sitter."""
