"""Servers under load, and clients that go."""
