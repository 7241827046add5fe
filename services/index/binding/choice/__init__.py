"""Overload resolution and type inference of calls."""
