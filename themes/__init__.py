"""Themes as data."""
