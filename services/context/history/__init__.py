"""History of the repository: files that change together, and the words that such changes are given."""
