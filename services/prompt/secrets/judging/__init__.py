"""Likelihood of secrets by name and by value: which texts are secrets, wherever they stand."""
