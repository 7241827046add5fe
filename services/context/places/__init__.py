"""Places of the source that a text names: frames of stack traces, lines of files, files of diffs."""
