"""Asking a model about what is in the window, and commands that it may run."""
