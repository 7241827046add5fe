"""A corpus of secrets in C# and beside it, and of harmless look-alikes, made anew from a seed."""
