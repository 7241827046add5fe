"""Contexts of literals: by what is before them, behind them and around them."""
