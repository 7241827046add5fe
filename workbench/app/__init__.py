"""The Textual app, and what is painted first."""
