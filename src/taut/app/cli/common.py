"""What several commands share."""

import os


def one_thread() -> None:
    """Call before NumPy is loaded: on small matrices the threads of BLAS cost far more than they gain."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
