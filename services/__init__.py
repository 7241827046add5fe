"""The program without a face: everything CodeCortex does, callable without a screen."""

import os

__version__ = "0.1.0"

# numpy's library for matrices, of which nothing here has any, starts a thread for each core that waits busily for work:
# a tenth of the processor's time of a start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
