"""A quotation mark that is left open takes in the rest of the file: that is refused, not read as one value."""

import pytest

from audit.errors import CannotLook
from audit.records.table import Part, Reading
from audit.tables.reading.delimited import Delimited

OPEN = [b'x,k\n1,"a\n2,b\n', b'x,k\n1,"a\n2,b', b'x\n"a\nb\n', b"x,k\n" + b"1,2\n" * 70_000 + b'3,"c\n']
CLOSED = [b'x,k\n1,"a\n"\n', b'x,k\n1,"a\n"', b'x,k\n1,5"\n', b'x,k\n1,"a"\n2,b\n\n\n', b'x,k\n1,"a\n"\n2,b']


def _read(folder, content, reading=Reading()):  # noqa: B008 - frozen
    (folder / "t.csv").write_bytes(content)
    return list(Delimited(Part(location=str(folder / "t.csv"), name="t.csv"), reading).blocks())


@pytest.mark.parametrize("content", OPEN, ids=range(len(OPEN)))
def test_an_open_quotation_mark_is_refused(tmp_path, content):
    with pytest.raises(CannotLook) as caught:
        _read(tmp_path, content)
    assert "left open" in caught.value.what
    assert _read(tmp_path, content, Reading(quote=""))


@pytest.mark.parametrize("content", CLOSED)
def test_a_closed_one_is_not(tmp_path, content):
    assert _read(tmp_path, content)
