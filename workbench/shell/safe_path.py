"""Protection of imports: it excludes the folder that the program is started in, as a code base may well contain a
folder named `services`, or a file named `click.py`, and nothing of it may run.

Python puts that folder first in the path for `python -m` and for the processes it starts with `-c`, which is
how multiprocessing starts its own. `PYTHONSAFEPATH` (Python 3.11) tells those not to. Nothing is imported
here but what Python itself has loaded before: `pathlib` might be that folder's. What `python -m` loads before
any code of ours (`importlib`, `pkgutil`) is beyond us; `codecortex` and `python -P -m workbench` do better.
"""

import os
import sys


def leave_out_current_folder() -> None:
    """Take the current folder out of `sys.path`, here and in every process started from here."""
    home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    here = _current_folder()
    kept = [entry for entry in sys.path if entry and os.path.realpath(entry) != here]
    if os.path.realpath(home) == here:
        kept.append(home)
    sys.path[:] = kept
    os.environ["PYTHONSAFEPATH"] = "1"


def _current_folder() -> str | None:
    try:
        return os.path.realpath(os.getcwd())
    except FileNotFoundError:
        return None
