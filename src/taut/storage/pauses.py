"""How to wait for others without marching in step with them."""

import random
import time


class Pauses:
    """Pauses that double from one to the next, with a random part."""

    def __init__(self, first: float, longest: float) -> None:
        self._next, self._longest = first, longest

    def wait(self) -> None:
        time.sleep(self._next * random.uniform(0.5, 1.5))
        self._next = min(2.0 * self._next, self._longest)
