"""Likely secrets in text that goes to a model: found, and masked with stable placeholders (SAFETY)."""
