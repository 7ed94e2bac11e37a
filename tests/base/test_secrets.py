"""No password is repeated in a message, however its URL was written."""

import pytest

from taut.base.errors import StudyFileError
from taut.base.numbers import shown
from taut.base.secrets import hidden, without_secrets

URLS = [
    "postgresql://u:SECRET@h:1/d",
    "postgresql+psycopg://u:SEC/RET@h/d",
    "postgresql://u:SEC@RET@h/d",
    "postgresql://u:a@SECRET/c@h/d",
    "postgresql://u@server:SECRET@h/d",
    "postgresql:/u:SECRET@h",
    "postgresql:///u:SECRET@h",
    "postgresql:/u:SECRET",
    "mysql://u:SECRET",
    "postgresql://u:" + "SECRET" * 100 + "@h/d",
    "postgresql://h/d?password=SECRET&sslmode=require",
    "postgresql://h/d?PASSWORD=SECRET",
    "postgresql://h/d?sslpassword=SECRET&passfile=/home/SECRET",
    "postgresql://h/d?pass%77ord=SECRET",
]


@pytest.mark.parametrize("url", URLS)
def test_a_password_is_left_out(url: str) -> None:
    for text in (
        hidden(f"Storage {url!r}: no."),
        shown(url),
        shown([1, {"a": url}]),
        str(StudyFileError(f"{url}: no")),
    ):
        assert "SECRET" not in text and "RET" not in text and "sql" in text
    assert hidden(hidden(url)) == hidden(url) and without_secrets(without_secrets(url)) == without_secrets(url)


def test_a_value_is_one_url_whatever_is_in_it() -> None:
    assert without_secrets("postgresql://u:SE 'C\nRET@h/d") == "postgresql://u:***@h/d"
    assert without_secrets("host=here Password = SECRET user=me") == "host=here Password = *** user=me"


@pytest.mark.parametrize(
    "text",
    [
        "expected a URL like 'postgresql+psycopg://user:password@host/database', got 'x'",
        "Dask 'tcp://host:8786': expected 'tcp://[::1]:8786'",
        "postgresql+psycopg://me@host:5432/db?sslmode=require&options=-csearch_path%3Da",
        "sqlite:////home/a:b@c/study.db",
        "Suggestion 5: bypass=0.5 could not be stored; write password=... or a: b/c @ d",
        "https://distributed.dask.org/en: see there",
    ],
)
def test_what_is_no_secret_is_kept(text: str) -> None:
    assert hidden(text) == text


def test_the_users_name_and_the_host_are_shown() -> None:
    assert hidden("'postgresql://me:x@y@host:1/db?a=b&port=1&c'") == "'postgresql://me:***@host:1/db?a=***&port=1&***'"
