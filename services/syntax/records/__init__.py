"""Declarations as records, with their hashes."""
