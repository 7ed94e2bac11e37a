"""Studies on a server, and what a user reads when something is wrong."""

import pytest
import servers
import toy

import taut
from taut.storage import open_storage


def test_a_server_may_be_shared_with_others(postgres: servers.Server) -> None:
    url = postgres.url()
    with postgres.connect() as connection:
        schema = url.rpartition("%3D")[2]
        connection.execute(f"CREATE TABLE {schema}.trees (id INTEGER)")
    toy.study(storage=url.replace("+psycopg", "")).ask()
    assert len(taut.Study.open(url, toy.ToyPolicy()).suggestions) == 1


def test_tables_of_another_program_on_a_server_are_left_alone(postgres: servers.Server) -> None:
    url = postgres.url()
    with postgres.connect() as connection:
        connection.execute(f"CREATE TABLE {url.rpartition('%3D')[2]}.study (id INTEGER)")
    message = toy.refusal(lambda: toy.study(storage=url))
    assert "'study'" in message and "schema" in message and servers.PASSWORD not in message


def test_a_server_that_does_not_answer() -> None:
    url = f"postgresql+psycopg://me:secret@127.0.0.1:{servers._free_port()}/db?password=secret"
    message = toy.refusal(lambda: open_storage(url))
    assert "cannot be reached" in message and "127.0.0.1" in message and "secret" not in message


@pytest.mark.parametrize("key", ["sslpassword", "PASSWORD", "passfile", "sslkey"])
def test_only_harmless_options_are_shown(key: str) -> None:
    url = f"postgresql+psycopg://me@127.0.0.1:{servers._free_port()}/db?{key}=secret&sslmode=prefer"
    message = toy.refusal(lambda: open_storage(url))
    assert f"{key}=***" in message and "sslmode=prefer" in message and "secret" not in message


def test_a_wrong_password_is_not_repeated(postgres: servers.Server) -> None:
    message = toy.refusal(lambda: open_storage(postgres.url(password="wrong-secret")))
    assert "authentication failed" in message and "wrong-secret" not in message


def test_a_schema_that_does_not_exist(postgres: servers.Server) -> None:
    message = toy.refusal(lambda: toy.study(storage=postgres.url() + "no"))
    assert "no schema has been selected" in message and "CREATE in the schema" in message


def test_a_server_that_came_back(postgres: servers.Server) -> None:
    study = toy.study(storage=postgres.url())
    study.ask()
    with postgres.connect() as connection:
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
    assert study.ask().number == 2
