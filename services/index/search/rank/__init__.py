"""Ranking: how well a symbol matches a query."""
