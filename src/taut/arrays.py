"""The one array type of the inner code: float64 arrays. Points are always [n, d]; a single point is [1, d]."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.intp]
