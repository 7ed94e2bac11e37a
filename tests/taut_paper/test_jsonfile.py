"""A JSON file is there as a whole or not at all."""

from pathlib import Path

import pytest

from taut_paper import jsonfile


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.json"
    for content in ({"a": [1, 0.1 + 0.2, None]}, ["ü"]):
        jsonfile.write(path, content)
        assert jsonfile.read(path) == content
    assert list(path.parent.iterdir()) == [path]


def test_what_cannot_be_written_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    jsonfile.write(path, 1)
    with pytest.raises(TypeError):
        jsonfile.write(path, {"a": object()})
    assert jsonfile.read(path) == 1 and list(tmp_path.iterdir()) == [path]
