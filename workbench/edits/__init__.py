"""Dialogs and actions of structured edits and pasted answers."""
