"""Records of a review: its file, marks of hunks, and the change as it was last looked at."""
