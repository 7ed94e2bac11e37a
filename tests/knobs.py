"""What every record of settings has to keep: shared by the tests of settings."""

from dataclasses import fields


def check_provenance(record: type) -> None:
    """Every number says what it means and where it comes from; a record can be the key of a cache."""
    assert hash(record()) == hash(record())
    for field in fields(record):
        assert field.metadata.keys() == {"meaning", "source"}, field.name
        assert all(len(words) >= 8 for words in field.metadata.values()), field.name
