"""One BLAS thread: the matrices are small, and threads of several test processes would wait for each other."""

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

from hypothesis import settings  # noqa: E402  (after the thread limits, which must come before NumPy)

# A slow machine is not a failed property.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
