"""What a reviewer does in the Diff view: comments, marks, the next hunk to look at."""
