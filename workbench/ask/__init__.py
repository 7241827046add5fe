"""Asking a model from the workbench."""
