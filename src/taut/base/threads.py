"""One BLAS thread while a decision is made: on small matrices threads wait for each other longer than they work.

How many threads BLAS uses is a property of the whole process, so decisions of several Python threads share one limit:
the first sets it and the last takes it back.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class ThreadLimit:
    """The limit and how many decisions are under it; libraries are looked up once, when first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._controller: Any = None
        self._limit: Any = None

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._limit = self._found().limit(limits=1, user_api="blas")
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if not self._inside:
                    self._release()

    def _release(self) -> None:
        """Take the limit back, whichever thread set it: threadpoolctl listens only to the one that is in control."""
        from threadpoolctl import OpenBLASController

        OpenBLASController.clear_controlling_thread(force=True)
        self._limit.restore_original_limits()
        OpenBLASController.clear_controlling_thread()

    def _found(self) -> Any:
        """The BLAS libraries of this process, those of NumPy and SciPy at least."""
        if self._controller is None:
            import scipy.linalg  # noqa: F401  (its own BLAS has to be there to be found)
            from threadpoolctl import ThreadpoolController

            self._controller = ThreadpoolController()
        return self._controller


one_thread = ThreadLimit()
