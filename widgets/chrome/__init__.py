"""Lines and boxes around the views."""
