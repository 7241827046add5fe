"""Text that does not parse made to: braces by layout, then one declaration at a time."""
