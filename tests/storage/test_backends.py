"""Which kind of place a path or URL names."""

import subprocess
import sys
from pathlib import Path

import pytest
import toy

import taut
from taut.storage import open_storage


def test_a_url_may_name_a_file(path: Path) -> None:
    study = toy.study(storage=f"sqlite:///{path}")
    study.ask()
    assert len(taut.Study.open(path, toy.ToyPolicy()).suggestions) == 1


def test_urls_that_lead_nowhere() -> None:
    assert "got 'mysql'" in toy.refusal(lambda: open_storage("mysql://me:secret@host/db"))
    for url in ("mysql://me:secret@host/db", "postgresql://me:secret@host:port/db", "nonsense+://me:secret@host"):
        message = toy.refusal(lambda url=url: open_storage(url))
        assert "postgresql+psycopg://" in message and "secret" not in message


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:SE@CRET@host/db",
        "postgresql://u:SE@CRET/x@host/db",
        "postgresql://u:SE@CRET?x@host/db",
        "postgresql:/u:SECRET@host/db",
        "Postgresql:u:SECRET@host",
        "mysql+driver:/u:SECRET@host/db",
    ],
)
def test_a_password_that_is_written_wrongly_is_not_repeated(url: str) -> None:
    """Nor is it taken for the name of a host, or of a file."""
    message = toy.refusal(lambda: open_storage(url))
    assert "@ as %40" in message and "two slashes" in message and "CRET" not in message


def test_a_user_may_have_an_at_sign() -> None:
    message = toy.refusal(lambda: open_storage("postgresql://me@there:SECRET@127.0.0.1:1/db"))
    assert "cannot be reached" in message and "SECRET" not in message


def test_a_missing_driver_is_named() -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from taut.storage import open_storage\n"
        "import taut\n"
        "try:\n    open_storage('postgresql+psycopg://host/db')\n"
        "except taut.StorageError as error:\n    print(error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stderr == ""
    assert "pip install 'taut[postgres]'" in run.stdout
