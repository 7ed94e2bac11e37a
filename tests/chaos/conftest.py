"""What the tests of this folder share."""

from collections.abc import Iterator

import pytest
from chaos.runs import Nursery


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    """Starts runs, from imports made once for each test process."""
    started = Nursery()
    yield started
    started.close()
