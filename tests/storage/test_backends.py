"""Which kind of place a path or URL names."""

import subprocess
import sys
from pathlib import Path

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
