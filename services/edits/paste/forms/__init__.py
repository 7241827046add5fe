"""Forms of answers: text read into pieces."""
