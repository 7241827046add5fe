"""Types of expressions: members, conversions, delegates, extensions."""
