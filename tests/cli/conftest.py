"""Commands as the program runs them, in this process."""

import pytest

from audit.cli.main import _guarded


@pytest.fixture
def call(capsys):
    """Run a command; its exit code, and all that it said."""

    def said(*words):
        code = _guarded([str(word) for word in words])
        out, err = capsys.readouterr()
        return code, out + err

    return said
