"""What opens over the main screen."""
