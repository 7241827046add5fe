"""What the index keeps of every symbol, in memory and in its database."""
