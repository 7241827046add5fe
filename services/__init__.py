"""The program without a face: everything CodeCortex does, callable without a screen."""

__version__ = "0.1.0"
