"""What can be said of a change without a model, each with its places."""
