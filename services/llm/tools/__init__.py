"""Tools that a model may call: a registry, checked arguments, and the default set (001 section 5)."""
