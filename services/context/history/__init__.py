"""What the repository's commits tell: files that change together, and the words that such changes are given."""
