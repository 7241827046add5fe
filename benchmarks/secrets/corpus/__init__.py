"""Corpus of secrets in C# and other files, and of harmless look-alikes, generated from a seed."""
