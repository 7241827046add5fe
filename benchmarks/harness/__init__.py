"""Basis of all benchmarks: corpora, figures and results."""
