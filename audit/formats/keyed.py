"""Keyed hashes of values that must not be written down, so that equal ones can still be told.

Who has the key (it lies beside the hashes, for tonight's values must be hashed as well)
can hash every value that he thinks of: a word out of a list, a postal code, a birthday is
found so. What the key prevents is a table of hashes made beforehand, and that one value
shows as the same in the locks of two projects. Values that nobody can guess stay unknown.
"""

from __future__ import annotations

from collections.abc import Callable

SALT_BYTES = 16
_HEX = 32  # 128 bits: two of a million values have one hash with a probability of 1e-27


def keyed(salt: str) -> Callable[[str], str]:
    """The function from a value to its hash under the salt (32 hex digits).

    BLAKE3's keyed mode over the value's UTF-8, cut to 128 bits (the BLAKE3 paper, section 2.4:
    https://github.com/BLAKE3-team/BLAKE3-specs); the salt, repeated, is the 32-byte key.
    """
    from blake3 import blake3

    key = bytes.fromhex(salt) * 2
    return lambda value: str(blake3(value.encode(), key=key).hexdigest())[:_HEX]
