"""Workspace services behind semantic notes."""
