"""Filtering: which symbols of a segment match a query."""
