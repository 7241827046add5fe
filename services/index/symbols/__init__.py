"""Symbols and types as values, made from declarations."""
