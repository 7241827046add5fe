"""Synchronisation of one workspace among many processes: refreshes of the index and notifications."""
