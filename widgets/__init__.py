"""Widgets, one a file: values in, messages out."""
