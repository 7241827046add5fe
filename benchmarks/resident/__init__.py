"""Benchmarks of the resident process."""
