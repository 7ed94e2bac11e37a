"""What several commands share."""

import os


def one_thread() -> dict[str, str]:
    """Call before NumPy is loaded: on small matrices the threads of BLAS cost far more than they gain.

    Returns the environment as it was, which is what the user's programs get: they may want all threads.
    """
    before = dict(os.environ)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    return before
