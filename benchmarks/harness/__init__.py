"""Corpora, figures and results: what every benchmark stands on."""
