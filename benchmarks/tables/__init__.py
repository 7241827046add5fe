"""Makers of the tables that the program ships."""
