"""Studies on a server, and what a user reads when something is wrong."""

import socket
from collections.abc import Iterator
from dataclasses import replace

import pytest
import servers
import sqlalchemy as sa
import toy
from chaos.proxy import How, Order, Proxy

import taut
from taut.storage import open_storage
from taut.storage.database import DatabaseStorage
from taut.storage.postgres import PostgreSQL
from taut.storage.transactions import Database


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


# --- answers that are lost


@pytest.fixture
def proxy(postgres: servers.Server) -> Iterator[Proxy]:
    between = Proxy(postgres.port)
    yield between
    between.close()


def through(proxy: Proxy, postgres: servers.Server, answer: float = 30.0) -> DatabaseStorage:
    """A new place behind the proxy."""
    url = postgres.url().replace(f":{postgres.port}/", f":{proxy.port}/") + "&connect_timeout=2"
    return DatabaseStorage(Database(PostgreSQL(sa.make_url(url), answer)))


@pytest.mark.parametrize("how", ["broken", "silent"])
def test_a_commit_whose_answer_is_lost_is_read_back(how: How, proxy: Proxy, postgres: servers.Server) -> None:
    study = toy.study(initial=0, storage=through(proxy, postgres, 0.3))
    for table, work in (
        ("suggestions", study.ask),
        ("observations", lambda: study.tell(1, {"f": 1.0})),
        ("observations", lambda: study.add({"x1": 1.0, "x2": 2.0}, {"f": 3.0})),
    ):
        order = Order(table, how)
        proxy.lose(order)
        work()
        assert order.done.is_set()
    assert [row.number for row in study.suggestions] == [1]
    assert [row.value for row in study.observations] == [1.0, 3.0]


def test_a_commit_that_was_never_heard_is_made_again(proxy: Proxy, postgres: servers.Server) -> None:
    study = toy.study(initial=0, storage=through(proxy, postgres))
    study.ask()
    proxy.lose(Order("observations", "unsent"))
    study.add({"x1": 1.0, "x2": 2.0}, {"f": 1.0})
    assert len(study.observations) == 1


def test_a_server_that_keeps_the_connection_and_says_nothing(postgres: servers.Server) -> None:
    """As a firewall does that forgot the connection."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = postgres.url().replace(f":{postgres.port}/", f":{silent.getsockname()[1]}/")
        message = toy.refusal(lambda: open_storage(url + "&connect_timeout=2"))
    assert "cannot be reached" in message and "timeout" in message


def test_silence_in_the_middle_has_a_limit_and_is_named(proxy: Proxy, postgres: servers.Server) -> None:
    storage = through(proxy, postgres, 0.3)
    study = toy.study(initial=0, storage=storage)
    study.ask()
    proxy.mute()
    message = toy.refusal(lambda: study.tell(1, {"f": 1.0}))  # the old connection, and then a new one
    assert "cannot be reached" in message and "timeout" in message
    fresh = PostgreSQL(sa.make_url(postgres.url()), 0.3)
    with pytest.raises(sa.exc.OperationalError) as caught, fresh.limited(), fresh.engine().connect() as connection:
        connection.exec_driver_sql("SELECT pg_sleep(60)")
    assert "said nothing for 0.3 s" in fresh.explain(caught.value)


def test_a_stopped_writer_does_not_stop_the_others(postgres: servers.Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is stopped within a transaction keeps its locks, until the server ends the transaction."""
    monkeypatch.setattr("taut.storage.postgres._LIMITS", LIMITS_FOR_TESTS)
    url = postgres.url()
    study = toy.study(initial=0, storage=url)
    study.ask()
    with PostgreSQL(sa.make_url(url)).engine().connect() as stopped:
        stopped.exec_driver_sql("LOCK TABLE observations IN SHARE ROW EXCLUSIVE MODE")
        study.tell(1, {"f": 1.0})
        assert study.counts["f"] == 1
        stopped.invalidate()


LIMITS_FOR_TESTS = "-c lock_timeout=200ms -c idle_in_transaction_session_timeout=1s"


def test_the_number_of_a_lost_transaction_may_be_given_to_another(postgres: servers.Server) -> None:
    """After a crash: that one was committed, and ours was not."""
    url = postgres.url()
    toy.study(initial=0, storage=url).ask()
    backend = PostgreSQL(sa.make_url(url))
    with backend.limited(), backend.engine().connect() as connection:
        mine = backend.ticket(connection)
        connection.rollback()
        other = int(connection.exec_driver_sql("SELECT txid_current()").scalar_one())
        connection.commit()
        assert backend.committed(connection, mine) is False
        assert backend.committed(connection, replace(mine, transaction=other)) is False
        kept = backend.ticket(connection)
        connection.commit()
        assert backend.committed(connection, kept) is True
        backend.ticket(connection)
        assert backend.committed(connection, replace(kept, transaction=kept.transaction + 1)) is None  # in progress


def test_old_steps_are_swept_away(postgres: servers.Server) -> None:
    url = postgres.url()
    toy.study(initial=0, storage=url).ask()
    with postgres.connect() as connection:
        connection.execute(f"SET search_path TO {url.rpartition('%3D')[2]}")
        connection.execute("INSERT INTO steps VALUES ('old', 3, 0.0)")
        toy.study(initial=0, storage=url).ask()
        writers = {writer for (writer,) in connection.execute("SELECT writer FROM steps")}
    assert "old" not in writers and len(writers) == 2


def test_what_is_asked_for_in_vain_writes_nothing(postgres: servers.Server) -> None:
    url = postgres.url()
    storage = open_storage(url)
    assert storage.lease(1, ["f"], "one", 60.0, None) == ("f",)
    with postgres.connect() as connection:
        connection.execute(f"SET search_path TO {url.rpartition('%3D')[2]}")
        before = connection.execute("SELECT * FROM steps").fetchall()
        assert storage.lease(1, ["f"], "another", 60.0, None) == ()
        assert connection.execute("SELECT * FROM steps").fetchall() == before
        assert storage.lease(1, ["c"], "another", 60.0, None) == ("c",)
        assert connection.execute("SELECT * FROM steps").fetchall() != before
