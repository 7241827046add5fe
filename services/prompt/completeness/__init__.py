"""What the window refers to and does not show, what it shows and nothing refers to, and what is related to it."""
