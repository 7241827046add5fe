"""The words of every type, in fields, and the types that words lead to."""
