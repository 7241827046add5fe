"""Likelihood of secrets by name and by value, independent of syntax."""
