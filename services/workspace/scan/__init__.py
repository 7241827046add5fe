"""Finding the files of a workspace, and what changed among them."""
