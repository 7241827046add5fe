"""Outlines and signatures as text."""
