"""The sign of a size that was kept in 32 bits."""

import pytest

from audit.measures.sizes import truncation


@pytest.mark.parametrize(
    ("expected", "found", "told"),
    [
        (4361285557, 66318261, "the difference is exactly 4 GiB x 1"),  # field case C11
        (3 << 32, 0, "the difference is exactly 4 GiB x 3"),
        (1 << 32, 1, ""),
        (66318261, 4361285557, ""),
        (5, 5, ""),
        (5, 3, ""),
    ],
)
def test_whole_multiples_of_4_gib_are_named(expected, found, told):
    assert truncation(expected, found) == told
