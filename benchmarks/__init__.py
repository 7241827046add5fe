"""Figures of the program on any folder of C#: measured, never tests that watch a clock."""

import os

os.environ.setdefault(
    "CODECORTEX_RESIDENT", "off"
)  # what a command leaves behind would be measured with the next
