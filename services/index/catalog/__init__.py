"""Catalogue of symbols, in memory and in the database of the index."""
