"""OpenMDAO writes reports and folders for every problem: not here."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENMDAO_REPORTS", "0")
        patch.setenv("OPENMDAO_WORKDIR", str(tmp_path_factory.mktemp("openmdao")))
        yield
