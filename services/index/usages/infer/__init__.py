"""Inference: arguments, overloads and type parameters."""
