"""OpenMDAO writes reports and folders for every problem: not here. And mpi4py is there for others, without an MPI."""

import os
from collections.abc import Iterator

import pytest

os.environ["OPENMDAO_USE_MPI"] = "0"  # is looked at when it is imported


@pytest.fixture(scope="session", autouse=True)
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENMDAO_REPORTS", "0")
        patch.setenv("OPENMDAO_WORKDIR", str(tmp_path_factory.mktemp("openmdao")))
        yield
