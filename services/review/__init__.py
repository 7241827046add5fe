"""Review of change sets: numbered diffs, comments, analyses, publishing."""
