"""Evaluation of one project file, from XML to a project."""
