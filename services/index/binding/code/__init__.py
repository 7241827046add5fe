"""Statements and expressions bound, one declaration at a time."""
