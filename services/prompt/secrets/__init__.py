"""Detection of likely secrets in text for a model, and masking with stable placeholders (SAFETY)."""
