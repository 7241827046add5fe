"""Robustness against kills, damage, and parallel readers and writers: nothing is lost, no answer is a mixture."""
