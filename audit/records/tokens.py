"""Sequences of tokens: how long they are, where they are padded, and which ids they hold."""

from __future__ import annotations

from audit.records.base import Record
from audit.records.obstacle import Obstacle
from audit.records.signals import Fault


class TokenAsk(Record):
    """Where token ids are, and what they are held against.

    `tokens` and `mask` are arrays of a file or columns of a table; where `tokens` is empty, it is found, as is a mask
    called `attention_mask`. `pad_id` fills sequences up, `end_id` ends those that are whole.
    """

    tokens: str = ""
    mask: str = ""
    pad_id: int | None = None
    end_id: int | None = None
    vocab_size: int | None = None
    max_length: int | None = None


class LengthCount(Record, gc=False):
    """So many sequences of one length, of which `ended` end with the id that ends them."""

    length: int
    sequences: int
    ended: int = 0


class Place(Record, gc=False):
    """A sequence by its index, and a number found there."""

    index: int
    found: int


class Sequences(Record):
    """What sequences came to. A length counts from the first to the last token that is no padding.

    `name` is the array or column; `width` the most places that a sequence has, padding among them. `left`, `right`
    and `both` are sequences padded there and nowhere else, where padding can be told (`padding_known`). `outside` are
    ids that are not in the vocabulary, `nulls` ids that are missing, `missing` whole sequences. A `stream` is ids one
    after the other without sequences. Where `problem` or `faults` of the file say why,
    nothing was looked at.
    """

    name: str = ""
    lengths: tuple[LengthCount, ...] = ()
    width: int = 0
    places: int = 0
    padding_known: bool = False
    left: int = 0
    right: int = 0
    both: int = 0
    low: int | None = None
    high: int | None = None
    outside: int = 0
    outside_first: Place | None = None
    long_first: Place | None = None
    empty_first: int | None = None
    left_first: int | None = None
    right_first: int | None = None
    nulls: int = 0
    missing: int = 0
    stream: bool = False
    problem: str = ""
    faults: tuple[Fault, ...] = ()

    @property
    def count(self) -> int:
        """How many sequences there are."""
        return sum(one.sequences for one in self.lengths)


class TokenPart(Record):
    """The sequences of one file, or of a whole table, and how the report names them."""

    path: str
    sequences: Sequences


class Tokens(Record):
    """The sequences of the dataset at `path`, and what could not be looked at."""

    path: str
    parts: tuple[TokenPart, ...]
    unseen: tuple[Obstacle, ...] = ()
