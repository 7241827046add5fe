"""Review in the Diff view: comments, marks, the next hunk to look at."""
