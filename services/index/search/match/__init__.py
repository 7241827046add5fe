"""Matching: which texts contain the letters of a term, and where."""
