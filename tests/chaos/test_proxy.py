"""The COMMIT that is to be lost is lost, and no other."""

from collections.abc import Iterator

import psycopg
import pytest
from chaos.proxy import How, Order, Proxy
from servers import PASSWORD, Server


@pytest.fixture
def proxy(postgres: Server) -> Iterator[Proxy]:
    with postgres.connect() as connection:
        connection.execute("DROP TABLE IF EXISTS chaos_a, chaos_b")
        connection.execute("CREATE TABLE chaos_a (x int)")
        connection.execute("CREATE TABLE chaos_b (x int)")
    between = Proxy(postgres.port)
    yield between
    between.close()


def connect(proxy: Proxy) -> psycopg.Connection:
    return psycopg.connect(host="127.0.0.1", port=proxy.port, user="taut", password=PASSWORD, dbname="postgres")


def write(connection: psycopg.Connection, table: str, x: int) -> None:
    connection.execute(f"INSERT INTO {table} VALUES (%s)", [x])
    connection.commit()


@pytest.mark.parametrize(("how", "kept"), [("broken", True), ("unsent", False)])
def test_the_connection_breaks_at_the_right_commit(proxy: Proxy, postgres: Server, how: How, kept: bool) -> None:
    order = Order("chaos_b", how, others=6)  # so often that the statement is prepared, and its text not sent again
    proxy.lose(order)
    with connect(proxy) as connection:
        for x in range(6):
            write(connection, "chaos_a", x)
            write(connection, "chaos_b", x)
        assert not order.done.is_set()
        with pytest.raises(psycopg.OperationalError):
            write(connection, "chaos_b", 6)
    assert order.done.is_set()
    with postgres.connect() as direct:
        rows = direct.execute("SELECT x FROM chaos_b ORDER BY x").fetchall()
    assert [x for (x,) in rows] == list(range(6 + kept))
    with connect(proxy) as connection:
        write(connection, "chaos_b", 7)  # once is enough


def test_a_server_that_is_silent_has_committed(proxy: Proxy, postgres: Server) -> None:
    order = Order("chaos_a", "silent")
    proxy.lose(order)
    connection = connect(proxy)
    connection.execute("INSERT INTO chaos_a VALUES (1)")
    connection.pgconn.send_query(b"COMMIT")
    assert order.done.wait(10.0)
    with postgres.connect() as direct:
        assert direct.execute("SELECT count(*) FROM chaos_a").fetchone() == (1,)
    connection.pgconn.consume_input()  # would raise if the connection were broken
    assert connection.pgconn.is_busy()
    connection.close()
