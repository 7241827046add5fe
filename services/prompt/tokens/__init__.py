"""Counting tokens, exactly where the tokenizer is known."""
