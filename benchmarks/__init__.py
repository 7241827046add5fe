"""Figures of the program on any folder of C#: measured, never tests that watch a clock."""
