"""Kills, damage, and readers beside writers: nothing is lost, no answer is a mixture."""
